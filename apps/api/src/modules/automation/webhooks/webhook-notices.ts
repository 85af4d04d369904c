import type { HookEvent, UserEventJson } from '@mira/shared'
import type { Log } from '../../../log.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { HookNotice, WebhooksStore } from './webhooks.store.ts'

/** Waiting deliveries of one receiver; further ones fail at once. */
const MAX_WAITING = 1000
const BATCH = 50
/** Page events that coincide with a webhook notice. */
const noticedEvents: ReadonlySet<string> = new Set<UserEventJson['type'] & HookEvent>([
  ...(['media.done', 'media.failed', 'reminder.due', 'automation.run'] as const),
])

export type WebhookNotices = ReturnType<typeof createWebhookNotices>

/**
 * Turns notices into deliveries to webhooks. Triggers of the database write the notices; this picks them up soon after.
 */
export function createWebhookNotices({
  store,
  queue,
  log,
}: {
  store: WebhooksStore
  queue: Pick<Queue, 'enqueue'>
  log: Log
}) {
  let taking: Promise<void> | undefined
  let isRequestedAgain = false

  const addDeliveries = async (
    tx: Prisma.TransactionClient,
    { userId, event, data, createdAt }: HookNotice,
  ): Promise<void> => {
    const now = new Date()
    const payload = { type: event, timestamp: createdAt.toISOString(), data }
    for (const { id: hookId, waiting } of await store.subscribedHooks(tx, userId, event)) {
      const isTooMuch = waiting >= MAX_WAITING
      const failure = { state: 'failed', problem: 'backlog', finishedAt: now } as const
      const delivery = { hookId, event, payload, ...(isTooMuch ? failure : { nextAttemptAt: now }) }
      const { id } = await store.addDelivery(tx, delivery)
      if (!isTooMuch) await queue.enqueue('deliver-hook', { hook_id: hookId, delivery_id: id }, { tx, userId })
    }
  }

  /** Handles all notices; when a server dies during it, another one continues. */
  const takeAll = async (): Promise<void> => {
    if (!(await store.hasNotices())) return
    for (let count = BATCH; count === BATCH; ) {
      count = await store.transaction(async (tx) => {
        const notices = await store.takeNotices(tx, BATCH)
        for (const notice of notices) await addDeliveries(tx, notice)
        return notices.length
      })
    }
  }

  const takeSoon = () => {
    isRequestedAgain = true
    taking ??= (async () => {
      while (isRequestedAgain) {
        isRequestedAgain = false
        // Remaining notices are handled with the next one, or by the sweep.
        await takeAll().catch((error: unknown) => log.warn({ err: error }, 'webhook notices could not be handled'))
      }
      taking = undefined
    })()
  }

  return {
    /** Handles notices after a page event that coincides with one. Never throws. */
    heed(_userId: string, { type }: UserEventJson): void {
      if (noticedEvents.has(type)) takeSoon()
    },

    /** Handles notices after an answer was stored. Never throws. */
    answered: (): void => takeSoon(),

    /** Handles notices left by a server that died. */
    sweep: takeAll,

    /** Waits until pending notices are handled. */
    async settle(): Promise<void> {
      await taking
    },
  }
}
