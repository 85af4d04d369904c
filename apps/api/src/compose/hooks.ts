import { createSeal } from '../adapters/sealing.ts'
import { createSafeFetcher } from '../adapters/web/safe-fetcher.ts'
import { type Config, VERSION } from '../config.ts'
import { createDelivering, type Delivering, type DeliveryLimits } from '../features/hooks/delivering.ts'
import { createHooksService, type HooksService } from '../features/hooks/hooks.service.ts'
import { createHooksStore } from '../features/hooks/hooks.store.ts'
import { createTelling, type Telling } from '../features/hooks/telling.ts'
import type { Context } from './context-type.ts'

/** Builds what tells other programs what happens to a person's things. */
export function buildHooks(
  tools: Pick<Context, 'log' | 'database' | 'queue' | 'jwtSecret'> & {
    config: Pick<Config, 'web'>
    limits: Partial<DeliveryLimits> | undefined
  },
): { hooks: HooksService; telling: Telling; delivering: Delivering; close(): Promise<void> } {
  const { log, database, queue, jwtSecret, config, limits } = tools
  const now = () => new Date()
  const store = createHooksStore(database)
  const seal = createSeal({ secret: jwtSecret, purpose: 'secrets of hooks' })
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const telling = createTelling({ store, enqueue: (job, tx) => queue.enqueue('deliver-hook', job, { tx }), now, log })
  const delivering = createDelivering({
    store,
    seal,
    fetcher,
    enqueue: (job, options) => queue.enqueue('deliver-hook', job, options),
    now,
    limits,
  })
  const hooks = createHooksService({ store, seal, fetcher, once: delivering.once, now })
  return { hooks, telling, delivering, close: () => fetcher.close() }
}
