import { type ChatEvent, encodeSse } from '@mira/shared'

/** One event with its place in the answer, from 1. */
export interface LoggedEvent {
  seq: number
  event: ChatEvent
}

/** The events of one answer while it is made, and whoever reads them. */
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
