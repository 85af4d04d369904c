import type { HookEvent, UserEventJson } from '@mira/shared'
import type { Log } from '../../../log.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { HookNotice, WebhooksStore } from './webhooks.store.ts'

interface WebhookNoticesDeps {
  store: Pick<WebhooksStore, 'hasNotices' | 'takeNotices' | 'wanting' | 'addDelivery' | 'transaction'>
  enqueue(
    job: { hook_id: string; delivery_id: string },
    options: { tx: Prisma.TransactionClient; userId: string },
  ): Promise<void>
  now(): Date
  log: Log
}

/** Beyond this, what a receiver that is away would be told is not kept for it. */
const MAX_WAITING = 1000
const AT_ONCE = 50
/** Page events that coincide with a webhook notice. */
const noted: ReadonlySet<string> = new Set<UserEventJson['type'] & HookEvent>([
  ...(['media.done', 'media.failed', 'reminder.due', 'automation.run'] as const),
])

export type WebhookNotices = ReturnType<typeof createWebhookNotices>

/**
 * Keeps for the hooks of people what they are to be told. What happened stands in the database since it did, written by its
 * triggers; here it is only noticed soon.
 */
export function createWebhookNotices({ store, enqueue, now, log }: WebhookNoticesDeps) {
  let taking: Promise<void> | undefined
  let isAskedAgain = false

  const keep = async (tx: Prisma.TransactionClient, { userId, event, data, createdAt }: HookNotice): Promise<void> => {
    const at = now()
    const payload = { type: event, timestamp: createdAt.toISOString(), data }
    for (const { id: hookId, waiting } of await store.wanting(tx, userId, event)) {
      const isTooMuch = waiting >= MAX_WAITING
      const refused = { state: 'failed', problem: 'backlog', finishedAt: at } as const
      const begun = { hookId, event, payload, ...(isTooMuch ? refused : { nextAttemptAt: at }) }
      const { id } = await store.addDelivery(tx, begun)
      if (!isTooMuch) await enqueue({ hook_id: hookId, delivery_id: id }, { tx, userId })
    }
  }

  /** Makes deliveries of all that was noted; of a server that dies within it, another one does. */
  const takeAll = async (): Promise<void> => {
    if (!(await store.hasNotices())) return
    for (let taken = AT_ONCE; taken === AT_ONCE; ) {
      taken = await store.transaction(async (tx) => {
        const notices = await store.takeNotices(tx, AT_ONCE)
        for (const notice of notices) await keep(tx, notice)
        return notices.length
      })
    }
  }

  const takeSoon = () => {
    isAskedAgain = true
    taking ??= (async () => {
      while (isAskedAgain) {
        isAskedAgain = false
        // what stays behind is taken with the next, or by the sweep
        await takeAll().catch((error: unknown) => log.warn({ err: error }, 'hooks could not be told'))
      }
      taking = undefined
    })()
  }

  return {
    /** Looks at what a person's pages are told, and takes what was noted with it. Never throws. */
    heed(_userId: string, { type }: UserEventJson): void {
      if (noted.has(type)) takeSoon()
    },

    /** An answer came to its end and is stored. Never throws. */
    answered: (): void => takeSoon(),

    /** Takes what a server noted and died over. */
    sweep: takeAll,

    /** Waits until all that happened is kept. */
    async settle(): Promise<void> {
      await taking
    },
  }
}
