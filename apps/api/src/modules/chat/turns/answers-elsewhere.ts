import type { Links } from '../conversations/links.ts'
import { encodeEvent } from './answer-log.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'

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
    /** Another server told that there is something new of these answers. */
    hear(messageIds: string[]): void {
      for (const id of messageIds) for (const wake of waitingForNews.get(id) ?? []) wake()
    },

    /** The events of a person's answer after a place, encoded, until its end or until the signal is aborted. */
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
