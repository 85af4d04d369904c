import { type ChatEvent, encodeSse, SSE_DONE } from '@mira/shared'
import type { Links } from '../conversations/links.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'

/** Encoded events of an answer up to `[DONE]`; ends early when the signal is aborted. */
export type AnswerStream = (signal: AbortSignal) => AsyncIterable<string>

/** Adds the last line of a stream. */
export async function* withDone(events: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* events
  yield encodeSse({ data: SSE_DONE })
}

/** One event with its place in the answer, from 1. */
export interface LoggedEvent {
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
 * @param present an event as readers are shown it: what opens by itself is in none that is kept.
 */
export function createAnswerLog(present: (event: ChatEvent) => ChatEvent = (event) => event): AnswerLog {
  const events: LoggedEvent[] = []
  const lines: string[] = []
  const sleeping = new Set<() => void>()
  let isEnded = false

  const wakeAll = () => {
    for (const wake of sleeping) wake()
    sleeping.clear()
  }

  return {
    events,
    append(event) {
      const logged = { seq: events.length + 1, event }
      events.push(logged)
      lines.push(encodeEvent({ ...logged, event: present(event) }))
      wakeAll()
      return logged
    },
    end() {
      isEnded = true
      wakeAll()
    },
    async *read(afterSeq, signal) {
      let next = Math.min(afterSeq, lines.length)
      let wake = () => {}
      const onAbort = () => wake()
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        while (!signal.aborted) {
          if (next < lines.length) {
            const text = next === lines.length - 1 ? (lines[next] ?? '') : lines.slice(next).join('')
            next = lines.length
            yield text
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
    },
  }
}

export interface AnswersElsewhereDeps {
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
        // Asked for before reading, so that nothing falls between.
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
