import { type Config, VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import { createWebhookDeliveries, type DeliveryLimits, type WebhookDeliveries } from './webhook-deliveries.ts'
import { createWebhookNotices, type WebhookNotices } from './webhook-notices.ts'
import { createWebhooksService, type WebhooksService } from './webhooks.service.ts'
import { createWebhooksStore } from './webhooks.store.ts'

/** Builds what tells other programs what happens to a person's things. */
export function buildWebhooks(
  tools: Pick<Context, 'log' | 'database' | 'queue' | 'jwtSecret'> & {
    config: Pick<Config, 'web'>
    limits: Partial<DeliveryLimits> | undefined
  },
): {
  hooks: WebhooksService
  webhookNotices: WebhookNotices
  webhookDeliveries: WebhookDeliveries
  close(): Promise<void>
} {
  const { log, database, queue, jwtSecret, config, limits } = tools
  const now = () => new Date()
  const store = createWebhooksStore(database)
  const seal = createSeal({ secret: jwtSecret, purpose: 'secrets of hooks' })
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const webhookNotices = createWebhookNotices({
    store,
    enqueue: (job, options) => queue.enqueue('deliver-hook', job, options),
    now,
    log,
  })
  const webhookDeliveries = createWebhookDeliveries({
    store,
    seal,
    fetcher,
    enqueue: (job, options) => queue.enqueue('deliver-hook', job, options),
    now,
    limits,
  })
  const hooks = createWebhooksService({ store, seal, fetcher, once: webhookDeliveries.once, now })
  return { hooks, webhookNotices, webhookDeliveries, close: () => fetcher.close() }
}
