import type { DeliveryProblem, HookDelivery, HookEvent } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { HookModel } from '../../../platform/database/generated/models/Hook.ts'
import type { HookDeliveryModel } from '../../../platform/database/generated/models/HookDelivery.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'

export type HookRow = Omit<HookModel, 'events'> & { events: HookEvent[] }
export type DeliveryRow = Omit<HookDeliveryModel, 'event' | 'state' | 'problem'> &
  Pick<HookDelivery, 'event' | 'state' | 'problem'>

/** A notice of an event, to be turned into deliveries to webhooks. */
export interface WebhookOutboxEvent {
  id: bigint
  userId: string
  event: HookEvent
  data: Prisma.InputJsonObject
  createdAt: Date
}

/** Result of one attempt. */
export interface AttemptResult {
  state: HookDelivery['state']
  status: number | null
  problem: DeliveryProblem | null
  durationMs: number
  nextAttemptAt: Date | null
}

export type WebhooksStore = ReturnType<typeof createWebhooksStore>

const toHook = (row: HookModel) => row as HookRow
const toDelivery = (row: HookDeliveryModel) => row as DeliveryRow
const isOlder = (after: TimePosition | null) =>
  after === null
    ? {}
    : { OR: [{ createdAt: { lt: after.createdAt } }, { createdAt: after.createdAt, id: { lt: after.id } }] }
const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]

/** Rows of webhooks and their deliveries. */
export function createWebhooksStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    transaction: <T>(work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> => prisma.$transaction(work),

    /** @returns null when the user already has `maxHooks` webhooks. */
    async add(
      userId: string,
      { name, url, events, sealedSecret }: Pick<HookRow, 'name' | 'url' | 'events' | 'sealedSecret'>,
      maxHooks: number,
    ): Promise<HookRow | null> {
      const id = newId()
      const { rowCount } = await pool.query(
        sql`INSERT INTO hooks (id, user_id, name, url, events, sealed_secret)
         SELECT ${id}, ${userId}, ${name}, ${url}, ${events}, ${sealedSecret}
           WHERE (SELECT count(*) FROM hooks WHERE user_id = ${userId}) < ${maxHooks}`,
      )
      return rowCount === 1 ? toHook(await prisma.hook.findUniqueOrThrow({ where: { id } })) : null
    },

    async find(userId: string, id: string): Promise<HookRow | null> {
      const row = await prisma.hook.findUnique({ where: { id, userId } })
      return row && toHook(row)
    },

    /** A user's webhooks, newest first. */
    async list(userId: string, { limit, after }: { limit: number; after: TimePosition | null }): Promise<HookRow[]> {
      const where = { userId, ...isOlder(after) }
      return (await prisma.hook.findMany({ where, orderBy: newestFirst, take: limit })).map(toHook)
    },

    /** Latest delivery of each webhook. */
    async lastDeliveries(hookIds: string[]): Promise<Map<string, DeliveryRow>> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT d.id FROM unnest(${hookIds}::uuid[]) AS h (id) CROSS JOIN LATERAL (
           SELECT id FROM hook_deliveries WHERE hook_id = h.id ORDER BY created_at DESC, id DESC LIMIT 1) d`,
      )
      const deliveries = await prisma.hookDelivery.findMany({ where: { id: { in: rows.map(({ id }) => id) } } })
      return new Map(deliveries.map((row) => [row.hookId, toDelivery(row)]))
    },

    /** @returns false when it didn't exist. */
    async remove(userId: string, id: string): Promise<boolean> {
      return (await prisma.hook.deleteMany({ where: { id, userId } })).count > 0
    },

    /** Deliveries of a webhook, newest first. */
    async deliveries(
      hookId: string,
      { limit, after }: { limit: number; after: TimePosition | null },
    ): Promise<DeliveryRow[]> {
      const where = { hookId, ...isOlder(after) }
      return (await prisma.hookDelivery.findMany({ where, orderBy: newestFirst, take: limit })).map(toDelivery)
    },

    /** True when notices wait to be turned into deliveries. */
    async hasNotices(): Promise<boolean> {
      const { rowCount } = await pool.query(prepared(sql`SELECT FROM hook_notices LIMIT 1`))
      return rowCount === 1
    },

    /** Removes and returns notices after an id that no other server is taking, oldest first. */
    async takeNotices(
      tx: Prisma.TransactionClient,
      { limit, after }: { limit: number; after: bigint },
    ): Promise<WebhookOutboxEvent[]> {
      return tx.$queryRaw<WebhookOutboxEvent[]>`
        WITH taken AS (
          DELETE FROM hook_notices WHERE id IN (
            SELECT id FROM hook_notices WHERE id > ${after} ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING *)
        SELECT id, user_id AS "userId", event, data, created_at AS "createdAt" FROM taken ORDER BY id`
    },

    /** Active hooks of an active user that subscribe to an event, with the number of waiting deliveries. */
    async subscribedHooks(
      tx: Prisma.TransactionClient,
      userId: string,
      event: HookEvent,
    ): Promise<{ id: string; waiting: number }[]> {
      return tx.$queryRaw<{ id: string; waiting: number }[]>`
        SELECT h.id, (SELECT count(*)::int FROM hook_deliveries d WHERE d.hook_id = h.id AND d.state = 'waiting') AS waiting
        FROM hooks h JOIN users u ON u.id = h.user_id
        WHERE h.user_id = ${userId}::uuid AND ${event} = ANY (h.events) AND u.is_active
          AND h.suspended_at IS NULL`
    },

    async addDelivery(
      tx: Prisma.TransactionClient,
      delivery: Pick<DeliveryRow, 'hookId' | 'event'> & { payload: Prisma.InputJsonObject } & Partial<
          Pick<DeliveryRow, 'state' | 'problem' | 'nextAttemptAt' | 'finishedAt'>
        >,
    ): Promise<DeliveryRow> {
      return toDelivery(await tx.hookDelivery.create({ data: { id: newId(), ...delivery } }))
    },

    /** A waiting delivery with its hook; null when it's finished, or its hook is removed, suspended or a disabled account's. */
    async findWaiting(id: string): Promise<(DeliveryRow & { hook: HookRow }) | null> {
      const row = await prisma.hookDelivery.findUnique({
        where: { id, state: 'waiting', hook: { suspendedAt: null, user: { isActive: true } } },
        include: { hook: true },
      })
      return row && { ...toDelivery(row), hook: toHook(row.hook) }
    },

    /** @returns null when the hook was removed meanwhile. */
    async storeAttempt(
      tx: Prisma.TransactionClient,
      id: string,
      { state, ...result }: AttemptResult,
    ): Promise<DeliveryRow | null> {
      const finishedAt = state === 'waiting' ? null : new Date()
      const data = { ...result, state, finishedAt, attempts: { increment: 1 } }
      const { count } = await tx.hookDelivery.updateMany({ where: { id, state: 'waiting' }, data })
      return count === 0 ? null : toDelivery(await tx.hookDelivery.findUniqueOrThrow({ where: { id } }))
    },

    /**
     * Gives up overdue deliveries of suspended hooks and disabled accounts, which would come too late. They're stored
     * without a problem, since a server of the previous version couldn't name it.
     */
    async giveUpStopped(before: Date): Promise<void> {
      await prisma.hookDelivery.updateMany({
        where: {
          state: 'waiting',
          nextAttemptAt: { lt: before },
          hook: { OR: [{ suspendedAt: { not: null } }, { user: { isActive: false } }] },
        },
        data: { state: 'failed', problem: null, nextAttemptAt: null, finishedAt: new Date() },
      })
    },

    /** Claims overdue deliveries that may be sent and that no other server is claiming. */
    async takeLost(before: Date, limit: number): Promise<{ id: string; hookId: string; userId: string }[]> {
      const { rows } = await pool.query<{ id: string; hookId: string; userId: string }>(
        sql`UPDATE hook_deliveries SET next_attempt_at = now() WHERE id IN (
           SELECT d.id FROM hook_deliveries d JOIN hooks h ON h.id = d.hook_id JOIN users u ON u.id = h.user_id
           WHERE d.state = 'waiting' AND d.next_attempt_at < ${before} AND h.suspended_at IS NULL AND u.is_active
           ORDER BY d.next_attempt_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)
         RETURNING id, hook_id AS "hookId", (SELECT user_id FROM hooks h WHERE h.id = hook_id) AS "userId"`,
      )
      return rows
    },
  }
}
