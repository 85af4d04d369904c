import { createSeal } from '../adapters/sealing.ts'
import { createSafeFetcher } from '../adapters/web/safe-fetcher.ts'
import { type Config, VERSION } from '../config.ts'
import { createHookDeliveries, type DeliveryLimits, type HookDeliveries } from '../features/hooks/hook-deliveries.ts'
import { createHookNotices, type HookNotices } from '../features/hooks/hook-notices.ts'
import { createHooksService, type HooksService } from '../features/hooks/hooks.service.ts'
import { createHooksStore } from '../features/hooks/hooks.store.ts'
import type { Context } from './context-type.ts'

/** Builds what tells other programs what happens to a person's things. */
export function buildHooks(
  tools: Pick<Context, 'log' | 'database' | 'queue' | 'jwtSecret'> & {
    config: Pick<Config, 'web'>
    limits: Partial<DeliveryLimits> | undefined
  },
): { hooks: HooksService; hookNotices: HookNotices; hookDeliveries: HookDeliveries; close(): Promise<void> } {
  const { log, database, queue, jwtSecret, config, limits } = tools
  const now = () => new Date()
  const store = createHooksStore(database)
  const seal = createSeal({ secret: jwtSecret, purpose: 'secrets of hooks' })
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const hookNotices = createHookNotices({
    store,
    enqueue: (job, tx) => queue.enqueue('deliver-hook', job, { tx }),
    now,
    log,
  })
  const hookDeliveries = createHookDeliveries({
    store,
    seal,
    fetcher,
    enqueue: (job, options) => queue.enqueue('deliver-hook', job, options),
    now,
    limits,
  })
  const hooks = createHooksService({ store, seal, fetcher, once: hookDeliveries.once, now })
  return { hooks, hookNotices, hookDeliveries, close: () => fetcher.close() }
}
