import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChatEvent, encodeSse, SSE_DONE } from '@mira/shared'
import type { Links } from '../conversations/links.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'

/** Joins small pieces of text. */
interface TextJoiner {
  add(text: string): void
  /** Emits the text that's held back; to be called before any other event, and at the end. */
  flush(): void
}

/**
 * Emits the first piece immediately, then one joined piece per window, so that a fast model doesn't cost an event per token.
 * Half of a surrogate pair is held back until the other half arrives.
 */
export function createTextJoiner(windowMs: number, emit: (text: string) => void): TextJoiner {
  let buffer = ''
  let emittedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const emitBuffer = (isLast: boolean) => {
    clearTimeout(timer)
    timer = undefined
    const isHalf = !isLast && /[\uD800-\uDBFF]$/.test(buffer)
    const text = isHalf ? buffer.slice(0, -1) : buffer
    buffer = isHalf ? buffer.slice(-1) : ''
    if (text === '') return
    emittedAt = performance.now()
    emit(text)
  }

  return {
    add(text) {
      buffer += text
      if (timer !== undefined) return
      const waitMs = emittedAt + windowMs - performance.now()
      if (waitMs <= 0) emitBuffer(false)
      else timer = setTimeout(emitBuffer, waitMs, false)
    },
    flush: () => emitBuffer(true),
  }
}

/** Encoded events of an answer up to `[DONE]`; ends early when the signal is aborted. */
export type AnswerStream = (signal: AbortSignal) => AsyncIterable<string>

/** Adds the final `[DONE]`. */
export async function* withDone(events: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* events
  yield encodeSse({ data: SSE_DONE })
}

/** An event with its sequence number in the answer, from 1. */
interface LoggedEvent {
  seq: number
  event: ChatEvent
}

/** Events of a running answer, with its readers. */
export interface AnswerLog {
  /** All events so far, in order. */
  readonly events: readonly LoggedEvent[]
  append(event: ChatEvent): LoggedEvent
  /** Ends the log; no more events follow. */
  end(): void
  /** Encoded events after a sequence number, as they arrive, until the end or until the signal is aborted. */
  read(afterSeq: number, signal: AbortSignal): AsyncGenerator<string>
}

/** Encodes one event for an event stream (SSE). */
export function encodeEvent({ seq, event }: LoggedEvent): string {
  return encodeSse({ id: seq, data: JSON.stringify(event) })
}

/**
 * Keeps the events in memory and wakes readers. A reader only holds its position, so that a slow one costs nothing and misses
 * nothing.
 * @param present prepares an event for each reader, since stored events have no signed links
 */
export function createAnswerLog(present: (event: ChatEvent) => ChatEvent = (event) => event): AnswerLog {
  const events: LoggedEvent[] = []
  /** Encoded events that are the same for every reader. */
  const lines: (string | undefined)[] = []
  const sleepingReaders = new Set<() => void>()
  let isEnded = false

  const wakeAll = () => {
    for (const wake of sleepingReaders) wake()
    sleepingReaders.clear()
  }

  const lineOf = (logged: LoggedEvent, presentToReader: typeof present): string => {
    const event = presentToReader(logged.event)
    if (event !== logged.event) return encodeEvent({ ...logged, event })
    const line = lines[logged.seq - 1] ?? encodeEvent(logged)
    lines[logged.seq - 1] = line
    return line
  }

  async function* read(afterSeq: number, signal: AbortSignal, presentToReader: typeof present) {
    let next = Math.min(afterSeq, events.length)
    let wake = () => {}
    const onAbort = () => wake()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      while (!signal.aborted) {
        if (next < events.length) {
          const fresh = events.slice(next)
          next = events.length
          yield fresh.map((logged) => lineOf(logged, presentToReader)).join('')
        } else if (isEnded) {
          return
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve
            sleepingReaders.add(resolve)
          })
          sleepingReaders.delete(wake)
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  return {
    events,
    append(event) {
      const logged = { seq: events.length + 1, event }
      events.push(logged)
      wakeAll()
      return logged
    },
    end() {
      isEnded = true
      wakeAll()
    },
    read(afterSeq, signal) {
      // Links are signed and sentences worded for the request that reads the answer, not the one that started it.
      const asReader = AsyncLocalStorage.snapshot()
      return read(afterSeq, signal, (event) => asReader(present, event))
    },
  }
}

interface RemoteAnswersDeps {
  stored: Pick<StoredAnswersStore, 'readEvents'>
  /** Polling interval for other servers' answers when no notification arrives. */
  pollIntervalMs: number
  links: Links
}

/** Follows answers of other servers by their stored events. */
export function createRemoteAnswers({ stored, pollIntervalMs, links }: RemoteAnswersDeps) {
  const waitingReaders = new Map<string, Set<() => void>>()

  /** Resolves at the next notification about an answer, or after the polling interval. */
  const nextEvents = (messageId: string, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const waiting = waitingReaders.get(messageId) ?? new Set()
      waitingReaders.set(messageId, waiting)
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        waiting.delete(wake)
        if (waiting.size === 0) waitingReaders.delete(messageId)
        resolve()
      }
      const timer = setTimeout(wake, pollIntervalMs)
      waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })

  return {
    /** Wakes the readers of these answers, since another server has stored new events. */
    wake(messageIds: string[]): void {
      for (const id of messageIds) for (const wake of waitingReaders.get(id) ?? []) wake()
    },

    /** Encoded events of a user's answer after a position, until its end or until the signal is aborted. */
    async *streamEvents(
      userId: string,
      messageId: string,
      afterSeq: number,
      signal: AbortSignal,
    ): AsyncGenerator<string> {
      let seq = afterSeq
      while (!signal.aborted) {
        // Subscribes before reading, so that nothing is missed in between.
        const newEvents = nextEvents(messageId, signal)
        const page = await stored.readEvents(messageId, seq)
        const last = page?.events.at(-1)
        if (page && last) {
          seq = last.seq
          yield page.events
            .map(({ seq: eventSeq, event }) => encodeEvent({ seq: eventSeq, event: links.presentEvent(userId, event) }))
            .join('')
        }
        if (page === null || page.isEnd) return
        if (!last) await newEvents
      }
    },
  }
}
