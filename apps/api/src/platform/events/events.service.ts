import { randomUUID } from 'node:crypto'
import { type UserEvent, type UserEventJson, userEventSchema } from '@mira/shared'
import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { Database } from '../database/client.ts'

/** Live events about users' data, delivered to listeners on all servers. */
export interface Events {
  /** Sends an event to all current listeners of a user. Never throws. */
  publish(userId: string, event: UserEventJson): void
  /**
   * Events of the user from now on, until the signal is aborted. The stream also ends when the listener falls far
   * behind, or when the user opens more streams than allowed.
   * @param options.sendsConnectedEvent starts with `events.connected`.
   */
  subscribe(userId: string, signal: AbortSignal, options?: { sendsConnectedEvent: boolean }): AsyncIterable<UserEvent>
  /** Ends all streams; clients reconnect, to another server if this one is stopping. */
  endStreams(): void
}

interface EventsDeps extends Pick<Database, 'listen' | 'notify'> {
  log: Log
}

const CHANNEL = 'mira_user_events'
/** The stream of a listener that is further behind ends; its client reconnects and reloads. */
const MAX_QUEUE_LENGTH = 200
/** More than a user's devices and tabs; a further stream ends the oldest one. */
const MAX_STREAMS_PER_USER = 20
const MAX_KNOWN_USERS = 10_000

const envelopeSchema = z.object({ origin: z.string(), user_id: z.string(), event: userEventSchema })

interface Listener {
  push(event: UserEvent): void
  end(): void
}

/** Delivers events to local listeners directly, and to other servers through the database. */
export function createEvents({ listen, notify, log }: EventsDeps): Events {
  const origin = randomUUID()
  const listeners = new Map<string, Set<Listener>>()

  /** Time of each user's last event, oldest first. The map is limited: users who aren't in it had no event after `unknownUntil`. */
  const lastTimes = new Map<string, number>()
  let unknownUntil = performance.now()

  const deliver = (userId: string, event: UserEvent) => {
    lastTimes.delete(userId)
    lastTimes.set(userId, performance.now())
    const [oldest] = lastTimes
    if (lastTimes.size > MAX_KNOWN_USERS && oldest) {
      lastTimes.delete(oldest[0])
      unknownUntil = oldest[1]
    }
    for (const listener of listeners.get(userId) ?? []) listener.push(event)
  }

  const endStreams = () => {
    for (const userListeners of [...listeners.values()]) for (const listener of [...userListeners]) listener.end()
  }

  const receive = (payload: string) => {
    const envelope = readEnvelope(payload)
    if (envelope && envelope.origin !== origin) deliver(envelope.user_id, envelope.event)
  }
  // events from other servers may have been missed: clients reconnect and reload
  listen(CHANNEL, receive, () => {
    lastTimes.clear()
    unknownUntil = performance.now()
    endStreams()
  })

  const add = (userId: string, listener: Listener) => {
    const userListeners = listeners.get(userId) ?? new Set()
    listeners.set(userId, userListeners)
    userListeners.add(listener)
    const [oldest] = userListeners
    if (userListeners.size > MAX_STREAMS_PER_USER) oldest?.end()
  }

  const remove = (userId: string, listener: Listener) => {
    const userListeners = listeners.get(userId)
    userListeners?.delete(listener)
    if (userListeners?.size === 0) listeners.delete(userId)
  }

  return {
    publish(userId, json) {
      const event = userEventSchema.parse(json)
      deliver(userId, event)
      const payload = JSON.stringify({ origin, user_id: userId, event: z.encode(userEventSchema, event) })
      notify(CHANNEL, payload).catch((error: unknown) => {
        log.warn({ err: error, type: event.type }, 'an event could not be sent to other servers')
      })
    },

    endStreams,

    async *subscribe(userId, signal, { sendsConnectedEvent } = { sendsConnectedEvent: false }) {
      const queue: UserEvent[] = []
      let isEnded = signal.aborted
      let wake = () => {}
      const listener: Listener = {
        push(event) {
          queue.push(event)
          if (queue.length > MAX_QUEUE_LENGTH) listener.end()
          wake()
        },
        end() {
          isEnded = true
          remove(userId, listener)
          wake()
        },
      }
      signal.addEventListener('abort', listener.end, { once: true })
      if (!isEnded) add(userId, listener)
      const quietMs = Math.floor(performance.now() - (lastTimes.get(userId) ?? unknownUntil))
      if (sendsConnectedEvent) queue.push({ type: 'events.connected', quiet_ms: quietMs })
      try {
        while (!isEnded) {
          const event = queue.shift()
          if (event) yield event
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        signal.removeEventListener('abort', listener.end)
        remove(userId, listener)
      }
    },
  }
}

function readEnvelope(payload: string): z.output<typeof envelopeSchema> | null {
  try {
    return envelopeSchema.safeDecode(JSON.parse(payload)).data ?? null
  } catch {
    // another version of the server may send events that this one doesn't know
    return null
  }
}
