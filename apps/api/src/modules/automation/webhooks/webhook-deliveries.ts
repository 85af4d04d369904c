import type { DeliveryProblem } from '@mira/shared'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { FetchProblem, WebFetcher } from '../../../platform/net/web-fetcher.ts'
import { signedHeaders } from './signature.ts'
import type { Attempted, DeliveryRow, HookRow, WebhooksStore } from './webhooks.store.ts'

/** Short ones make tests fast. */
export interface DeliveryLimits {
  /** Timeout of a receiver. */
  timeoutMs: number
  /** Pauses after failed attempts; after the last one the delivery is given up. */
  pausesSeconds: readonly number[]
}

interface WebhookDeliveriesDeps {
  store: Pick<WebhooksStore, 'findWaiting' | 'keepAttempt' | 'takeLost' | 'transaction'>
  seal: Pick<Seal, 'open'>
  fetcher: Pick<WebFetcher, 'post'>
  enqueue(
    job: { hook_id: string; delivery_id: string },
    options?: { tx?: Prisma.TransactionClient; startAfter?: Date; userId?: string },
  ): Promise<void>
  now(): Date
  limits?: Partial<DeliveryLimits> | undefined
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const defaultLimits: DeliveryLimits = {
  timeoutMs: 10_000,
  pausesSeconds: [5, 30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR],
}
/** A receiver that answers so wants nothing any more. */
const GONE = 410
/** Clocks of servers differ, and a timer may fire early. */
const EARLY_MS = 1_000
/** A delivery that was to be tried so long ago has lost its job. */
const LOST_MS = 15 * MINUTE * 1000
const LOST_AT_ONCE = 200
const knownProblems: Partial<Record<FetchProblem, DeliveryProblem>> = {
  address: 'address',
  private: 'private',
  timeout: 'timeout',
  status: 'status',
  redirects: 'redirects',
}

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>

/** Sends what hooks are told: signed, again with growing pauses while it does not arrive, and not for ever. */
export function createWebhookDeliveries({ store, seal, fetcher, enqueue, now, limits: given }: WebhookDeliveriesDeps) {
  const limits = { ...defaultLimits, ...given }

  const send = async ({ id, payload, hook }: DeliveryRow & { hook: HookRow }, signal?: AbortSignal) => {
    const secret = seal.open(hook.sealedSecret)
    if (secret === null) return { isOk: false, problem: 'secret' } as const
    const body = JSON.stringify(payload)
    const sent = await fetcher.post(hook.url, {
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, { id, at: now(), body }) },
      body,
      timeoutMs: limits.timeoutMs,
      signal,
    })
    return sent.isOk ? sent : { ...sent, problem: knownProblems[sent.problem] ?? ('unreachable' as const) }
  }

  /** @returns what came of it; null when there is nothing to try. */
  const attempt = async (
    id: string,
    { mayRepeat, signal }: { mayRepeat: boolean; signal?: AbortSignal },
  ): Promise<DeliveryRow | null> => {
    const delivery = await store.findWaiting(id)
    if (delivery === null) return null
    const { nextAttemptAt, attempts, hookId } = delivery
    // another job of the same delivery was quicker
    if (mayRepeat && nextAttemptAt !== null && nextAttemptAt.getTime() > now().getTime() + EARLY_MS) return null
    const begunAt = performance.now()
    const sent = await send(delivery, signal)
    const pause = limits.pausesSeconds[attempts]
    const isOver = sent.isOk || !mayRepeat || pause === undefined || sent.problem === 'secret'
    const isRefused = !sent.isOk && 'status' in sent && sent.status === GONE
    const nextAt = isOver || isRefused ? null : new Date(now().getTime() + pause * 1000)
    const attempted: Attempted = {
      state: sent.isOk ? 'delivered' : nextAt === null ? 'failed' : 'waiting',
      status: ('status' in sent ? sent.status : undefined) ?? null,
      problem: sent.isOk ? null : sent.problem,
      durationMs: Math.round(performance.now() - begunAt),
      nextAttemptAt: nextAt,
    }
    return store.transaction(async (tx) => {
      const kept = await store.keepAttempt(tx, id, attempted)
      if (kept !== null && nextAt !== null) {
        await enqueue({ hook_id: hookId, delivery_id: id }, { tx, startAfter: nextAt })
      }
      return kept
    })
  }

  return {
    /** Sends one that waits, and has it tried again when it does not arrive. */
    async handleJob(deliveryId: string, signal: AbortSignal): Promise<void> {
      await attempt(deliveryId, { mayRepeat: true, signal })
    },

    /** Sends one once. */
    once: (deliveryId: string) => attempt(deliveryId, { mayRepeat: false }),

    /** Gives a job to those that lost theirs. */
    async sweep(): Promise<void> {
      const lost = await store.takeLost(new Date(now().getTime() - LOST_MS), LOST_AT_ONCE)
      for (const { id, hookId, userId } of lost) await enqueue({ hook_id: hookId, delivery_id: id }, { userId })
    },
  }
}
