import {
  type CreatedHook,
  type CreateHook,
  type Hook,
  type HookDeliveriesResponse,
  type HookDelivery,
  type HookEvent,
  type HooksResponse,
  hookEvents,
  MAX_HOOKS,
} from '@mira/shared'
import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '../../../errors.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { WebFetcher } from '../../../platform/net/web-fetcher.ts'
import { newSecret, type WebhookDeliveries } from './webhook-deliveries.ts'
import type { DeliveryRow, HookRow, WebhooksStore } from './webhooks.store.ts'

const adminEvents: readonly HookEvent[] = ['automation.run']

const notFound = () => new NotFoundError('This hook no longer exists.')

export type WebhooksService = ReturnType<typeof createWebhooksService>

/** Webhooks: URLs that receive messages about a user's data. */
export function createWebhooksService({
  store,
  seal,
  fetcher,
  deliveries,
}: {
  store: WebhooksStore
  seal: Seal
  fetcher: WebFetcher
  deliveries: WebhookDeliveries
}) {
  const requireHook = async (userId: string, id: string): Promise<HookRow> => {
    const hook = await store.find(userId, id)
    if (hook === null) throw notFound()
    return hook
  }

  const requireAllowedUrl = (url: string) => {
    const problem = fetcher.check(url)
    if (problem === null) return
    const message =
      problem === 'private'
        ? 'This address isn’t on the public internet. An administrator can allow it in FETCH_ALLOWED_HOSTS.'
        : 'Enter an address that begins with https:// or http://.'
    const code = problem === 'private' ? 'hook_address_private' : 'hook_address'
    throw new ValidationError(message, { code, errors: [{ path: 'url', message }] })
  }

  return {
    /**
     * @param mayAdminister true when the caller and their credential have administrators' permissions.
     * @throws ValidationError for a URL that isn't allowed, ForbiddenError for administrators' events,
     *   ConflictError when there are too many webhooks.
     */
    async create(userId: string, { url, name, events }: CreateHook, mayAdminister: boolean): Promise<CreatedHook> {
      requireAllowedUrl(url)
      const allowed = hookEvents.filter((event) => mayAdminister || !adminEvents.includes(event))
      if (events?.some((event) => !allowed.includes(event))) {
        throw new ForbiddenError('Only administrators can subscribe to automation runs.')
      }
      const secret = newSecret()
      const hook = { url, name, events: events ?? allowed, sealedSecret: seal.encrypt(secret) }
      const row = await store.add(userId, hook, MAX_HOOKS)
      if (row === null) {
        throw new ConflictError(`There can be at most ${MAX_HOOKS} hooks. Delete one first.`, {
          code: 'too_many_hooks',
        })
      }
      return { ...presentHook(row, null), secret }
    },

    /** Newest first. @throws ValidationError for an invalid cursor. */
    async list(userId: string, { limit, cursor }: PageQuery): Promise<HooksResponse> {
      const rows = await store.list(userId, { limit: limit + 1, after: readTimeCursor(cursor) })
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      const last = await store.lastDeliveries(items.map(({ id }) => id))
      return { hooks: items.map((row) => presentHook(row, last.get(row.id) ?? null)), next_cursor: nextCursor }
    },

    /** Removes a webhook and its deliveries. @throws NotFoundError */
    async remove(userId: string, id: string): Promise<void> {
      if (!(await store.remove(userId, id))) throw notFound()
    },

    /** Deliveries of a webhook, newest first. @throws NotFoundError, ValidationError */
    async deliveries(userId: string, id: string, { limit, cursor }: PageQuery): Promise<HookDeliveriesResponse> {
      const after = readTimeCursor(cursor)
      await requireHook(userId, id)
      const rows = await store.deliveries(id, { limit: limit + 1, after })
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      return { deliveries: items.map(presentDelivery), next_cursor: nextCursor }
    },

    /** Sends a test delivery, without retries. @throws NotFoundError, ConflictError for a suspended webhook. */
    async test(userId: string, id: string): Promise<HookDelivery> {
      const { name, suspendedAt } = await requireHook(userId, id)
      if (suspendedAt !== null) {
        throw new ConflictError('A backup was restored, and this hook is off until you confirm it in the settings.', {
          code: 'access_suspended',
        })
      }
      const time = new Date()
      const payload = { type: 'test', timestamp: time.toISOString(), data: { id, title: name } }
      const { id: deliveryId } = await store.transaction((tx) =>
        store.addDelivery(tx, { hookId: id, event: 'test', payload, nextAttemptAt: time }),
      )
      const delivery = await deliveries.sendOnce(deliveryId)
      if (delivery === null) throw notFound()
      return presentDelivery(delivery)
    },
  }
}

function presentHook({ id, name, url, events, createdAt }: HookRow, last: DeliveryRow | null): Hook {
  return { id, name, url, events, created_at: createdAt, last_delivery: last && presentDelivery(last) }
}

function presentDelivery(row: DeliveryRow): HookDelivery {
  const { id, event, state, attempts, status, problem } = row
  return {
    id,
    event,
    state,
    attempts,
    status,
    problem: state === 'failed' ? (problem ?? 'stopped') : problem,
    duration_ms: row.durationMs,
    created_at: row.createdAt,
    next_attempt_at: row.nextAttemptAt,
    finished_at: row.finishedAt,
  }
}
