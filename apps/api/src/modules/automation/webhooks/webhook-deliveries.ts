import { createHmac, randomBytes } from 'node:crypto'
import type { DeliveryProblem, HookEvent, UserEventJson } from '@mira/shared'
import type { Log } from '../../../log.ts'
import { isOutage } from '../../../platform/database/availability.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { forUsersIn } from '../../../platform/messages/audience.ts'
import type { FetchProblem, WebFetcher } from '../../../platform/net/web-fetcher.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { AttemptResult, DeliveryRow, HookRow, WebhookOutboxEvent, WebhooksStore } from './webhooks.store.ts'

/** Maximum number of waiting deliveries per webhook; further ones fail immediately. */
const MAX_WAITING = 1000
const BATCH = 50
/** Page events that coincide with a webhook notice. */
const noticedEvents: ReadonlySet<string> = new Set<UserEventJson['type'] & HookEvent>([
  ...(['media.done', 'media.failed', 'reminder.due', 'automation.run'] as const),
])

/**
 * Turns notices (rows that database triggers write about events) into deliveries to webhooks, soon after they're written.
 */
export function createWebhookOutbox({
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
    { userId, event, data, createdAt }: WebhookOutboxEvent,
  ): Promise<void> => {
    const now = new Date()
    // Webhooks reach third parties, so even an administrator's get only what users may read.
    const { error_told: _codes, ...shownData } = forUsersIn(data)
    const payload = { type: event, timestamp: createdAt.toISOString(), data: shownData }
    for (const { id: hookId, waiting } of await store.subscribedHooks(tx, userId, event)) {
      const isOverLimit = waiting >= MAX_WAITING
      const failure = { state: 'failed', problem: 'backlog', finishedAt: now } as const
      const delivery = { hookId, event, payload, ...(isOverLimit ? failure : { nextAttemptAt: now }) }
      const { id } = await store.addDelivery(tx, delivery)
      if (!isOverLimit) await queue.enqueue('deliver-hook', { hook_id: hookId, delivery_id: id }, { tx, userId })
    }
  }

  /** Handles the next notices in one transaction. @returns their ids, and an error when none of them could be handled. */
  const take = async (range: { limit: number; after: bigint }): Promise<{ ids: bigint[]; error?: unknown }> => {
    let ids: bigint[] = []
    try {
      await store.transaction(async (tx) => {
        const notices = await store.takeNotices(tx, range)
        ids = notices.map(({ id }) => id)
        for (const notice of notices) await addDeliveries(tx, notice)
      })
      return { ids }
    } catch (error) {
      if (ids.length === 0 || isOutage(error)) throw error
      return { ids, error }
    }
  }

  /**
   * Handles all notices; when a server dies meanwhile, another one continues.
   * @throws the first failure, after trying the other notices
   */
  const takeAll = async (): Promise<void> => {
    if (!(await store.hasNotices())) return
    const failures: unknown[] = []
    let after = 0n
    for (let count = BATCH; count === BATCH; ) {
      const { ids, error } = await take({ limit: BATCH, after })
      count = ids.length
      if (error === undefined) continue
      // One by one, so that a notice that can't be handled doesn't hold up the others.
      for (const _id of ids) {
        const one = await take({ limit: 1, after })
        if (one.error !== undefined) failures.push(one.error)
        after = one.ids.at(-1) ?? after
      }
    }
    if (failures.length > 0) throw failures[0]
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
    onUserEvent(_userId: string, { type }: UserEventJson): void {
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

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret in the format of Standard Webhooks. */
export function newSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Headers of Standard Webhooks that prove a message's sender and time. */
function signedHeaders(secret: string, message: { id: string; time: Date; body: string }): Record<string, string> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const timestamp = String(Math.floor(message.time.getTime() / 1000))
  const signature = createHmac('sha256', key).update(`${message.id}.${timestamp}.${message.body}`).digest('base64')
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** Limits that tests shorten. */
export interface DeliveryLimits {
  /** Timeout of a request to a receiver. */
  timeoutMs: number
  /**
   * Pauses after failed attempts; a receiver may ask for longer ones, up to the longest of these. An attempt that fails after the
   * last pause is final.
   */
  pausesSeconds: readonly number[]
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const defaultLimits: DeliveryLimits = {
  timeoutMs: 10_000,
  pausesSeconds: [5, 30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR],
}
/** Status of a receiver that wants no more deliveries. */
const GONE = 410
/** Tolerance for attempts that are early, since servers' clocks differ and a timer may fire early. */
const EARLY_MS = 1_000
/** Delay after which the job of an overdue delivery is assumed lost. */
const LOST_MS = 15 * MINUTE * 1000
const LOST_BATCH = 200
const knownProblems: Partial<Record<FetchProblem, DeliveryProblem>> = {
  address: 'address',
  private: 'private',
  certificate: 'certificate',
  timeout: 'timeout',
  status: 'status',
  redirects: 'redirects',
}

/** Problem to store: a server of the previous version couldn't read `certificate`. */
const storedProblemOf = (problem: DeliveryProblem | null) => (problem === 'certificate' ? 'unreachable' : problem)

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>

/** Signed deliveries to webhooks, retried with growing pauses a limited number of times. */
export function createWebhookDeliveries({
  store,
  seal,
  fetcher,
  queue,
  ...deps
}: {
  store: WebhooksStore
  seal: Seal
  fetcher: WebFetcher
  queue: Queue
  limits?: Partial<DeliveryLimits> | undefined
}) {
  const limits = { ...defaultLimits, ...deps.limits }
  const longestPauseMs = Math.max(...limits.pausesSeconds) * 1000

  const send = async ({ id, payload, hook }: DeliveryRow & { hook: HookRow }, signal?: AbortSignal) => {
    const secret = seal.decrypt(hook.sealedSecret)
    if (secret === null) return { isOk: false, problem: 'secret' } as const
    const body = JSON.stringify(payload)
    const response = await fetcher.post(hook.url, {
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, { id, time: new Date(), body }) },
      body,
      timeoutMs: limits.timeoutMs,
      signal,
    })
    return response.isOk
      ? response
      : { ...response, problem: knownProblems[response.problem] ?? ('unreachable' as const) }
  }

  /** Sends a delivery once and stores the result. @returns null when it isn't waiting or due, or its hook was removed meanwhile. */
  const attempt = async (
    id: string,
    { mayRetry, signal }: { mayRetry: boolean; signal?: AbortSignal },
  ): Promise<DeliveryRow | null> => {
    const delivery = await store.findWaiting(id)
    if (delivery === null) return null
    const { nextAttemptAt, attempts, hookId } = delivery
    // Another job has already made this attempt.
    if (mayRetry && nextAttemptAt !== null && nextAttemptAt.getTime() > Date.now() + EARLY_MS) return null
    const startedAt = performance.now()
    const outcome = await send(delivery, signal)
    const pause = limits.pausesSeconds[attempts]
    const isFinal = outcome.isOk || !mayRetry || pause === undefined || outcome.problem === 'secret'
    const isGone = !outcome.isOk && 'status' in outcome && outcome.status === GONE
    const requestedMs = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0
    const nextAt =
      isFinal || isGone ? null : new Date(Date.now() + Math.max(pause * 1000, Math.min(requestedMs, longestPauseMs)))
    const problem = outcome.isOk ? null : outcome.problem
    const result: AttemptResult = {
      state: outcome.isOk ? 'delivered' : nextAt === null ? 'failed' : 'waiting',
      status: ('status' in outcome ? outcome.status : undefined) ?? null,
      problem: storedProblemOf(problem),
      durationMs: Math.round(performance.now() - startedAt),
      nextAttemptAt: nextAt,
    }
    return store.transaction(async (tx) => {
      const row = await store.storeAttempt(tx, id, result)
      if (row !== null && nextAt !== null) {
        await queue.enqueue('deliver-hook', { hook_id: hookId, delivery_id: id }, { tx, startAfter: nextAt })
      }
      return row && { ...row, problem }
    })
  }

  return {
    /** Sends a waiting delivery, and enqueues a retry when that fails. */
    async handleJob(deliveryId: string, signal: AbortSignal): Promise<void> {
      await attempt(deliveryId, { mayRetry: true, signal })
    },

    /** Sends a delivery without retries. */
    sendOnce: (deliveryId: string) => attempt(deliveryId, { mayRetry: false }),

    /** Enqueues deliveries whose job was lost, and gives up those of suspended hooks and disabled accounts. */
    async sweep(): Promise<void> {
      await store.giveUpStopped(new Date(Date.now() - longestPauseMs))
      const lost = await store.takeLost(new Date(Date.now() - LOST_MS), LOST_BATCH)
      await tryEach(lost, ({ id, hookId, userId }) =>
        queue.enqueue('deliver-hook', { hook_id: hookId, delivery_id: id }, { userId }),
      )
    },
  }
}
