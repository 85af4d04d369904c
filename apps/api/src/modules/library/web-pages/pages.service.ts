import { type CreatePage, fileFormats, PAGE_URL_MAX_CHARACTERS } from '@mira/shared'
import { type AppError, PayloadTooLargeError, UnsupportedTypeError, ValidationError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import { titleFileName } from '../../../platform/lib/title-file-name.ts'
import { type FetchFailure, unspecificTypes, type WebFetcher } from '../../../platform/net/web-fetcher.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { UploadService } from '../upload/upload.service.ts'
import type { WebFile, WebFiles } from '../upload/web-files.ts'

/** Newest item that a user saved from a URL; null when there is none. */
async function findSavedPage({ prisma }: Database, userId: string, sourceUrl: string) {
  const item = await prisma.mediaItem.findFirst({
    where: { userId, sourceKind: 'page', sourceUrl, processingStatus: { not: 'failed' } },
    orderBy: { createdAt: 'desc' },
    select: { id: true },
  })
  return item?.id ?? null
}

interface PagesDeps {
  database: Database
  uploads: UploadService
  webFiles: WebFiles
  fetcher: Pick<WebFetcher, 'check'>
  settings: SettingsReader
  limits?: Partial<PageLimits> | undefined
}

export interface PageLimits {
  maxBytes: number
  /** Timeout of a whole fetch: DNS lookups, redirects and body. */
  timeoutMs: number
}

/** User who saves a page. */
interface PageSaver {
  userId: string
  countsInAnalytics: boolean
}

export type PagesService = ReturnType<typeof createPagesService>

const defaultLimits: PageLimits = { maxBytes: 25 * 1024 * 1024, timeoutMs: 20_000 }
const MEGABYTE = 1024 * 1024
const HTML_TYPES = ['text/html', 'application/xhtml+xml']
const formats = Object.values(fileFormats)
/** Accepted content types: pages, and other files that links lead to. */
const TYPES = [
  ...HTML_TYPES,
  ...['application/pdf', 'text/plain', 'text/markdown'],
  ...formats.flatMap(({ mediaType, contentType }) => (mediaType === 'image' ? [contentType] : [])),
  ...unspecificTypes,
]

/** Saved web pages: the content at an address becomes an item. */
export function createPagesService({ database, uploads, webFiles, fetcher, settings, ...deps }: PagesDeps) {
  const limits = { ...defaultLimits, ...deps.limits }
  return {
    /**
     * Saves the content at an address; a saved address returns its item, unless `again` is set.
     * @throws ValidationError when it can't be fetched; PayloadTooLargeError; UnsupportedTypeError; and what an upload throws.
     */
    async save({ userId, countsInAnalytics }: PageSaver, page: CreatePage, signal: AbortSignal) {
      const { again, wait } = page
      const url = normalizeUrl(page.url)
      const problem = fetcher.check(url)
      if (problem !== null) throw refusalOf({ isOk: false, problem }, 0)
      const existingId = again ? null : await findSavedPage(database, userId, url)
      if (existingId !== null) return uploads.result(userId, { id: existingId, isNew: false }, { wait, signal })

      const maxBytes = Math.min(limits.maxBytes, settings.current().limits.upload_bytes)
      const onFailure = (failure: FetchFailure) => refusalOf(failure, maxBytes)
      const fetching = { types: TYPES, maxBytes, timeoutMs: limits.timeoutMs, signal, onFailure }
      const accepted = await webFiles.download({ userId, url, ...fetching }, async (fetched) => {
        const finalUrl = withoutFragment(fetched.url)
        const { body: file, charset } = fetched
        // A redirect may lead to a saved address.
        const savedId = again ? null : await findSavedPage(database, userId, finalUrl)
        if (savedId !== null) {
          await file.discard()
          return { id: savedId, isNew: false }
        }
        const options = { generate_caption: true, extract_text: true, keep_place: false, wait: 0 }
        const source = { kind: 'page', url: finalUrl, charset } as const
        return uploads.accept({ userId, name: nameOf(fetched), file, countsInAnalytics, source }, options)
      })
      return uploads.result(userId, accepted, { wait, signal })
    },
  }
}

/** Normalised URL without a fragment; `https:` is assumed when the protocol is missing. @throws ValidationError */
function normalizeUrl(text: string): string {
  const withProtocol = /^[a-z][a-z\d+.-]*:/i.test(text) && !/^[\w.-]+:\d+(\/|$)/.test(text) ? text : `https://${text}`
  const url = URL.parse(withProtocol)
  if (url === null) throw refusalOf({ isOk: false, problem: 'address' }, 0)
  return withoutFragment(url.href)
}

function withoutFragment(address: string): string {
  const url = new URL(address)
  url.hash = ''
  if (url.href.length > PAGE_URL_MAX_CHARACTERS) throw refusalOf({ isOk: false, problem: 'address' }, 0)
  return url.href
}

/** Preliminary name until the page's title is known: its host and the end of its path. */
function nameOf({ url, contentType }: WebFile): string {
  const { hostname, pathname } = new URL(url)
  const name = decoded(pathname.split('/').findLast((part) => part !== '') ?? '')
  const last = name.replace(/\.\w{1,5}$/, '')
  const [format = 'html'] = Object.entries(fileFormats).find(([, facts]) => facts.contentType === contentType) ?? []
  // Files without a specific type are mostly PDFs.
  const extension = unspecificTypes.includes(contentType)
    ? (/\.(\w{1,5})$/.exec(name)?.[1]?.toLowerCase() ?? 'pdf')
    : null
  const ending =
    extension ?? (HTML_TYPES.includes(contentType) ? 'html' : contentType === 'text/markdown' ? 'md' : format)
  return titleFileName([hostname, last].filter(Boolean).join(' '), ending, 'Page')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Error for an address that can't be saved, with advice. */
function refusalOf({ problem, status }: FetchFailure, maxBytes: number): AppError {
  const code = `page_${problem}`
  switch (problem) {
    case 'address':
      return new ValidationError(
        'This isn’t the address of a web page. Enter one that begins with https:// or http://.',
        {
          code,
        },
      )
    case 'private':
      return new ValidationError('This address isn’t on the public internet, so it can’t be fetched.', { code })
    case 'certificate':
      return new ValidationError(
        'This server doesn’t trust the certificate of this address, so the page can’t be fetched.',
        { code },
      )
    case 'timeout':
      return new ValidationError('The page didn’t load in time. Try again later, or save it and upload the file.', {
        code,
      })
    case 'status':
      return status === 404 || status === 410
        ? new ValidationError(`There is no such page: the server returned ${status}. Check the address.`, {
            code: 'page_not_found',
          })
        : new ValidationError(
            `The page couldn’t be fetched: the server returned ${status ?? 'an error'}. Save it in your browser and upload the file.`,
            { code },
          )
    case 'redirects':
      return new ValidationError('This address redirects too many times. Open it, and enter the final address.', {
        code,
      })
    case 'too_large':
      return new PayloadTooLargeError(
        `The content at this address is larger than ${Math.floor(maxBytes / MEGABYTE)} MB. Save it and upload the file.`,
        { code },
      )
    case 'type':
      return new UnsupportedTypeError('The content at this address isn’t a web page, PDF, picture or text.', { code })
    case 'broken':
      return new ValidationError('The page arrived damaged. Try again.', { code })
    default:
      return new ValidationError('There’s no response at this address. Check it, or try again later.', { code })
  }
}
