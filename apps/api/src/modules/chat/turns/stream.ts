import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChatEvent, encodeSse, SSE_DONE } from '@mira/shared'
import type { Links } from '../conversations/links.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'

/** Joins small pieces of text. */
interface TextJoiner {
  add(text: string): void
  /** Emits the text that is held back; call it before any other event, and at the end. */
  flush(): void
}

/**
 * Gives the first piece at once and then one joined piece per window, so that a fast model doesn't cost an event per
 * token. Half a character (one of two surrogates) is held back until the other half has come.
 */
export function createTextJoiner(windowMs: number, give: (text: string) => void): TextJoiner {
  let buffer = ''
  let givenAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const giveHeld = (isLast: boolean) => {
    clearTimeout(timer)
    timer = undefined
    const isHalf = !isLast && /[\uD800-\uDBFF]$/.test(buffer)
    const text = isHalf ? buffer.slice(0, -1) : buffer
    buffer = isHalf ? buffer.slice(-1) : ''
    if (text === '') return
    givenAt = performance.now()
    give(text)
  }

  return {
    add(text) {
      buffer += text
      if (timer !== undefined) return
      const waitMs = givenAt + windowMs - performance.now()
      if (waitMs <= 0) giveHeld(false)
      else timer = setTimeout(giveHeld, waitMs, false)
    },
    flush: () => giveHeld(true),
  }
}

/** Encoded events of an answer up to `[DONE]`; ends early when the signal is aborted. */
export type AnswerStream = (signal: AbortSignal) => AsyncIterable<string>

/** Adds the last line of a stream. */
export async function* withDone(events: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* events
  yield encodeSse({ data: SSE_DONE })
}

/** One event with its place in the answer, from 1. */
interface LoggedEvent {
  seq: number
  event: ChatEvent
}

/** Events of a running answer, with its readers. */
export interface AnswerLog {
  /** Everything so far, in order. */
  readonly events: readonly LoggedEvent[]
  append(event: ChatEvent): LoggedEvent
  /** No more will come. */
  end(): void
  /** The events after a place as text of a stream, as they come, until the end or until the signal is aborted. */
  read(afterSeq: number, signal: AbortSignal): AsyncGenerator<string>
}

/** Encodes one event as the lines of a stream. */
export function encodeEvent({ seq, event }: LoggedEvent): string {
  return encodeSse({ id: seq, data: JSON.stringify(event) })
}

/**
 * Keeps the events in memory and wakes readers. A reader holds no events of its own, only its place, so that a slow
 * one costs nothing and misses nothing.
 * @param present an event as its readers see it, called for each of them: stored events hold no signed links.
 */
export function createAnswerLog(present: (event: ChatEvent) => ChatEvent = (event) => event): AnswerLog {
  const events: LoggedEvent[] = []
  /** Events that every reader is shown as they are, once they were encoded. */
  const lines: (string | undefined)[] = []
  const sleeping = new Set<() => void>()
  let isEnded = false

  const wakeAll = () => {
    for (const wake of sleeping) wake()
    sleeping.clear()
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
            sleeping.add(resolve)
          })
          sleeping.delete(wake)
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
      // links are signed, and sentences worded, for the request that reads the answer, not for the one that started it
      const asReader = AsyncLocalStorage.snapshot()
      return read(afterSeq, signal, (event) => asReader(present, event))
    },
  }
}

interface AnswersElsewhereDeps {
  stored: Pick<StoredAnswersStore, 'readEvents'>
  /** Without a notification, answers of other servers are looked at this often. */
  pollIntervalMs: number
  links: Links
}

/** Reads answers that another server makes, from what it stores of them. */
export function createAnswersElsewhere({ stored, pollIntervalMs, links }: AnswersElsewhereDeps) {
  const waitingForNews = new Map<string, Set<() => void>>()

  /** Resolves with the next news of an answer, or after a while. */
  const nextNews = (messageId: string, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const waiting = waitingForNews.get(messageId) ?? new Set()
      waitingForNews.set(messageId, waiting)
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        waiting.delete(wake)
        if (waiting.size === 0) waitingForNews.delete(messageId)
        resolve()
      }
      const timer = setTimeout(wake, pollIntervalMs)
      waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })

  return {
    /** Wakes the readers of these answers: another server has stored new events. */
    hear(messageIds: string[]): void {
      for (const id of messageIds) for (const wake of waitingForNews.get(id) ?? []) wake()
    },

    /** Encoded events of a user's answer after a position, until its end or until the signal is aborted. */
    async *follow(userId: string, messageId: string, afterSeq: number, signal: AbortSignal): AsyncGenerator<string> {
      let seq = afterSeq
      while (!signal.aborted) {
        // Subscribed before reading, so that nothing is missed in between.
        const news = nextNews(messageId, signal)
        const page = await stored.readEvents(messageId, seq)
        const last = page?.events.at(-1)
        if (page && last) {
          seq = last.seq
          yield page.events
            .map(({ seq: at, event }) => encodeEvent({ seq: at, event: links.presentEvent(userId, event) }))
            .join('')
        }
        if (page === null || page.isAll) return
        if (!last) await news
      }
    },
  }
}
