import { VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import { createPagesService, type PageLimits } from './pages.service.ts'
import { createPagesStore } from './pages.store.ts'

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
