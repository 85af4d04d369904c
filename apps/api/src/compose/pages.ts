import { VERSION } from '../config.ts'
import { createPagesService, type PageLimits } from '../features/pages/pages.service.ts'
import { createPagesStore } from '../features/pages/pages.store.ts'
import { createSafeFetcher } from '../platform/net/safe-fetcher.ts'
import type { Context } from './context-type.ts'

/** Builds what keeps pages of the web. */
export function buildPages({
  config,
  database,
  uploads,
  settings,
  limits,
}: Pick<Context, 'config' | 'database' | 'uploads' | 'settings'> & {
  limits: Partial<PageLimits> | undefined
}): Pick<Context, 'pages'> & { close(): Promise<void> } {
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const pages = createPagesService({
    store: createPagesStore(database),
    uploads,
    fetcher,
    fileMaxBytes: () => settings.current().limits.upload_bytes,
    limits,
  })
  return { pages, close: () => fetcher.close() }
}
