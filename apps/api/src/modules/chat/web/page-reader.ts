import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cutText } from '@mira/shared/constants/cut-text'
import { type AppError, BadRequestError } from '../../../errors.ts'
import type { DocumentReader } from '../../../parsers/office/document-types.ts'
import type { PdfReader } from '../../../parsers/pdf/pdf.ts'
import { texts } from '../../../parsers/text-decoder.ts'
import type { Semaphore } from '../../../platform/lib/semaphore.ts'
import { type Fetched, type FetchFailure, unspecificTypes, type WebFetcher } from '../../../platform/net/web-fetcher.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'

/** Content of a web page. */
export interface WebPage {
  /** Final URL, after redirects. */
  url: string
  title: string
  text: string
  /** True when the page is longer than the text read. */
  isCut: boolean
  /** Publication time according to the page. */
  writtenAt: Date | null
}

interface PageReaderDeps {
  fetcher: WebFetcher
  documentReader: DocumentReader
  pdf: PdfReader
  withTempFolder: WithTempFolder
  semaphore: Semaphore
  limits?: Partial<PageReaderLimits> | undefined
}

export interface PageReaderLimits {
  maxBytes: number
  /** Limit for the whole fetch: DNS lookups, redirects and body. */
  timeoutMs: number
  maxCharacters: number
}

const defaultLimits: PageReaderLimits = { maxBytes: 10 * 1024 * 1024, timeoutMs: 20_000, maxCharacters: 200_000 }
const MEGABYTE = 1024 * 1024
const HTML_TYPES = ['text/html', 'application/xhtml+xml']
const TEXT_TYPES = ['text/plain', 'text/markdown']
const PDF_TYPE = 'application/pdf'
const TYPES = [...HTML_TYPES, PDF_TYPE, ...TEXT_TYPES, ...unspecificTypes]
const PDF_SIGNATURE = '%PDF-'

export type PageReader = ReturnType<typeof createPageReader>

/** Reads pages, PDFs and texts of the public web in the sandbox; nothing is stored. */
export function createPageReader({ fetcher, documentReader, pdf, withTempFolder, semaphore, ...deps }: PageReaderDeps) {
  const { maxBytes, timeoutMs, maxCharacters } = { ...defaultLimits, ...deps.limits }

  const readHtml = async (filename: string, charset: string | null, folder: string, signal: AbortSignal) => {
    const document = await documentReader.read({ filename, format: 'html', fetched: { charset } }, { folder, signal })
    const text = await joinPieces(
      (async function* () {
        for await (const page of document.pages(signal)) yield page.text
      })(),
    )
    return { ...text, title: document.title, writtenAt: document.createdAt, isCut: text.isCut || document.isCut }
  }

  const readPdf = async (filename: string, signal: AbortSignal) => {
    const { title, createdAt } = await pdf.inspect(filename, signal)
    const text = await joinPieces(
      (async function* () {
        for await (const pages of pdf.texts(filename, signal)) for (const page of pages) yield page.text
      })(),
    )
    return { ...text, title, writtenAt: createdAt }
  }

  const readText = async (filename: string, charset: string | null, signal: AbortSignal) => {
    const encoding = knownEncoding(charset) ?? (await texts.encodingOf(filename, signal))
    return { ...(await joinPieces(texts.decode(filename, encoding, signal), '')), title: null, writtenAt: null }
  }

  /** Joins pieces of text, up to the limit. */
  const joinPieces = async (pieces: AsyncIterable<string>, separator = '\n\n') => {
    let text = ''
    for await (const piece of pieces) {
      if (separator !== '' && piece.trim() === '') continue
      text += text === '' ? piece : separator + piece
      if (text.length > maxCharacters) return { text: cutText(text, maxCharacters).toWellFormed(), isCut: true }
    }
    return { text, isCut: false }
  }

  const readFetched = ({ body, contentType, charset }: Extract<Fetched, { isOk: true }>, signal: AbortSignal) => {
    const isUnspecific = unspecificTypes.includes(contentType)
    const isPdf =
      contentType === PDF_TYPE || (isUnspecific && body.toString('latin1', 0, PDF_SIGNATURE.length) === PDF_SIGNATURE)
    if (isUnspecific && !isPdf) throw pageErrorOf({ isOk: false, problem: 'type' }, maxBytes)
    return withTempFolder(async (folder) => {
      const filename = join(folder, isPdf ? 'page.pdf' : 'page.html')
      await writeFile(filename, body)
      if (isPdf) return readPdf(filename, signal)
      return TEXT_TYPES.includes(contentType)
        ? readText(filename, charset, signal)
        : readHtml(filename, charset, folder, signal)
    })
  }

  return {
    /** @throws AppError with the reason as its message */
    read: (url: string, signal: AbortSignal): Promise<WebPage> =>
      semaphore.run(async () => {
        const fetched = await fetcher.get(url, { types: TYPES, maxBytes, timeoutMs, signal })
        if (!fetched.isOk) throw pageErrorOf(fetched, maxBytes)
        const { title, text, ...page } = await readFetched(fetched, signal)
        if (text.trim() === '') throw new BadRequestError('This page has no readable text.')
        return { ...page, text, title: title?.trim() || new URL(fetched.url).hostname, url: fetched.url }
      }),
  }
}

/** Encoding that a charset label means; null when unknown. */
function knownEncoding(label: string | null): string | null {
  try {
    return label === null ? null : new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** Error for an unreadable page, for the model and its user. */
function pageErrorOf({ problem, status }: FetchFailure, maxBytes: number): AppError {
  const sentences: Partial<Record<FetchFailure['problem'], string>> = {
    address: 'This isn’t the address of a web page.',
    private: 'This address isn’t on the public internet, so it can’t be read.',
    certificate: 'The certificate of this address isn’t trusted, so it can’t be read.',
    timeout: 'The page took too long to load.',
    status: `The page couldn’t be read: its server returned ${status ?? 'an error'}.`,
    redirects: 'This address redirects too many times.',
    too_large: `The page at this address is larger than ${Math.floor(maxBytes / MEGABYTE)} MB.`,
    type: 'The file at this address isn’t a web page, a PDF or text.',
    broken: 'The page arrived damaged.',
  }
  return new BadRequestError(sentences[problem] ?? 'No server responds at this address.', { code: `page_${problem}` })
}
