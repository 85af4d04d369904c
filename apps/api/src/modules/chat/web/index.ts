import type { Common } from '../../../common.ts'
import type { DocumentReader } from '../../../parsers/office/document-types.ts'
import type { PdfReader } from '../../../parsers/pdf/pdf.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { createSemaphore } from '../../../platform/lib/semaphore.ts'
import { createGuardedFetch } from '../../../platform/net/guarded-fetch.ts'
import { createWebSearch } from '../../../platform/net/web-search.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'
import { createPageReader, type PageReaderLimits } from './page-reader.ts'
import { createWebService } from './web.service.ts'

interface WebDeps extends Common {
  /** Parsers of the files that pages may turn out to be: office documents and PDFs. */
  readers: { documentReader: DocumentReader; pdf: PdfReader; withTempFolder: WithTempFolder }
  limits: Partial<PageReaderLimits> | undefined
}

/** Builds the assistant's web search and page reader. */
export function buildWeb({ database, fetcher, jwtSecret, log, readers, limits }: WebDeps) {
  return createWebService({
    database,
    searchTheWeb: createWebSearch({ fetch: createGuardedFetch() }),
    pages: createPageReader({
      ...readers,
      fetcher,
      // A page is in memory until it has been read.
      semaphore: createSemaphore({
        permits: 12,
        perUser: 4,
        maxWaiting: 200,
        maxWaitingPerUser: 40,
        busy: 'Too many pages are being read right now. Try again in a moment.',
      }),
      limits,
    }),
    seal: createSeal({ secret: jwtSecret, purpose: 'web search' }),
    log,
  })
}
