import type { HookEvent, UserEventJson } from '@mira/shared'
import type { Prisma } from '../../db/generated/client.ts'
import type { Log } from '../../log.ts'
import type { HooksStore } from './hooks.store.ts'

/** What is told of an event: ids and names, and nothing that opens by itself. */
type Told = Record<string, string>

interface TellingDeps {
  store: Pick<HooksStore, 'wanting' | 'addDelivery' | 'itemOf' | 'conversationOf' | 'transaction'>
  enqueue(job: { hook_id: string; delivery_id: string }, tx: Prisma.TransactionClient): Promise<void>
  now(): Date
  log: Log
}

/** Beyond this, what a receiver that is away would be told is not kept for it. */
const MOST_WAITING = 1000
const ended = ['completed', 'failed', 'cancelled']

export type Telling = ReturnType<typeof createTelling>

/** Keeps for the hooks of people what they are to be told, each time something happens. */
export function createTelling({ store, enqueue, now, log }: TellingDeps) {
  const going = new Set<Promise<void>>()

  const keep = async (userId: string, event: HookEvent, read: () => Promise<Told | null>): Promise<void> => {
    const hooks = await store.wanting(userId, event)
    const data = hooks.length === 0 ? null : await read()
    if (data === null) return
    const at = now()
    const payload = { type: event, timestamp: at.toISOString(), data }
    await store.transaction(async (tx) => {
      for (const { id: hookId, waiting } of hooks) {
        const isTooMuch = waiting >= MOST_WAITING
        const refused = { state: 'failed', problem: 'backlog', finishedAt: at } as const
        const begun = { hookId, event, payload, ...(isTooMuch ? refused : { nextAttemptAt: at }) }
        const { id } = await store.addDelivery(tx, begun)
        if (!isTooMuch) await enqueue({ hook_id: hookId, delivery_id: id }, tx)
      }
    })
  }

  const tell = (userId: string, event: HookEvent, read: () => Promise<Told | null>): void => {
    const telling = keep(userId, event, read)
      .catch((error: unknown) => log.warn({ err: error, event }, 'hooks could not be told'))
      .finally(() => going.delete(telling))
    going.add(telling)
  }

  const itemOf = async (userId: string, id: string): Promise<Told | null> => {
    const item = await store.itemOf(userId, id)
    return item && { id, title: item.title, media_type: item.mediaType }
  }

  return {
    /** Looks at what a person's pages are told, and keeps what their hooks want of it. Never throws. */
    heed(userId: string, event: UserEventJson): void {
      if (event.type === 'media.done') tell(userId, event.type, () => itemOf(userId, event.id))
      else if (event.type === 'media.failed') {
        const { id, error } = event
        tell(userId, event.type, async () => {
          const item = await itemOf(userId, id)
          return item && { ...item, error }
        })
      } else if (event.type === 'reminder.due') {
        const { type, ...data } = event
        tell(userId, type, async () => data)
      } else if (event.type === 'automation.run' && ended.includes(event.status)) {
        const { type, ...data } = event
        tell(userId, type, async () => data)
      }
    },

    /** An answer came to its end and is stored. Never throws. */
    answered(userId: string, { sessionId, messageId }: { sessionId: string; messageId: string }): void {
      tell(userId, 'chat.answered', async () => {
        const conversation = await store.conversationOf(userId, sessionId)
        return conversation && { session_id: sessionId, message_id: messageId, title: conversation.title }
      })
    },

    /** Waits until all that happened is kept. */
    async settle(): Promise<void> {
      await Promise.all(going)
    },
  }
}
