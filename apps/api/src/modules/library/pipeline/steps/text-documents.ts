import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type DocumentBlock,
  type DocumentFormat,
  type DocumentPage,
  documentFormats,
  fileFormats,
  partKindOf,
} from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { AppError, isPermanent } from '../../../../errors.ts'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import type {
  DocumentAttachment,
  DocumentPicture,
  DocumentReader,
  ReadPage,
} from '../../../../parsers/office/document-types.ts'
import type { PdfReader } from '../../../../parsers/pdf/pdf.ts'
import { titleFileName } from '../../../../platform/lib/title-file-name.ts'
import type { WebFetcher } from '../../../../platform/net/web-fetcher.ts'
import { type Sentence, say, sayAll } from '../../../../sentences.ts'
import type { Results } from '../results.ts'
import type { NewMoment, ProcessedItem, Step, StepContext, StepOutcome } from '../step.ts'
import { partsOfAttached } from './attached.ts'
import { chunksOf } from './embed.ts'
import type { Reader } from './read.ts'

interface TextDocumentStepsDeps {
  results: Results
  documentReader: DocumentReader
  pdf: Pick<PdfReader, 'texts'>
  reader: Reader
  pictures: Pick<PictureProcesses, 'images' | 'thumbhashOf'>
  fetcher: WebFetcher
}

/** Maximum number of characters in a document's preview: as many as a phone can show. Searches cover the whole text. */
const MAX_PREVIEW_CHARACTERS = 1_000_000
/** Maximum number of pictures read per document; each takes half a second. */
const MAX_PICTURES = 100
/** Pictures read per turn. Other items are processed between turns. */
const PICTURES_IN_TURN = 25
/** Up to this many pictures and attachments are read before anything is stored, since that takes only a few seconds. */
const FEW_PICTURES = 3
/** Limits for fetching the preview picture that a web page declares (`og:image`). */
const PAGE_PICTURE = {
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
  maxBytes: 10 * 1024 * 1024,
  timeoutMs: 10_000,
}
const MAX_TITLES = 2_000
/** Maximum number of documents read that are attached to mails. */
const MAX_ATTACHMENTS = 50

/** Document format of an item that is read in parts; null for any other item. */
export function documentFormatOf({ contentType }: { contentType: string }): DocumentFormat | null {
  return documentFormats.find((format) => fileFormats[format].contentType === contentType) ?? null
}

/** Steps for an office document, a book, a web page or mails. */
export function createTextDocumentSteps({
  results,
  documentReader,
  pdf,
  reader,
  pictures,
  fetcher,
}: TextDocumentStepsDeps): {
  inspect: Step
  read: Step
} {
  /** True for formats with parts such as slides or sheets, which count as pages; other documents are one piece. */
  const isInParts = (contentType: string) => partKindOf(contentType) !== 'page'

  /** Makes a thumbnail from the preview picture that a web page declares; null without a usable one. */
  const thumbnailOfPage = async ({ item, scratch, signal }: StepContext, pictureUrl: string | null) => {
    const { sourceKind, sourceUrl, userId } = item
    if (sourceKind !== 'page' || sourceUrl === null || pictureUrl === null) return null
    const filename = join(scratch, 'picture-of-the-page')
    const fetched = await fetcher.get(pictureUrl, { ...PAGE_PICTURE, signal, caller: userId, from: sourceUrl })
    if (!fetched.isOk) return null
    await writeFile(filename, fetched.body)
    try {
      const thumbnail = await pictures.images.thumbnail(filename)
      const thumbhash = await pictures.thumbhashOf(thumbnail.data)
      return { thumbhash, copy: await results.setCopy(item, 'thumbnail', { ...thumbnail, content: thumbnail.data }) }
    } catch (error) {
      // The declared URL may lead to anything, not just a picture.
      if (isPermanent(error)) return null
      throw error
    }
  }

  const inspect: Step = async (context) => {
    const { item, filename, scratch, signal } = context
    const format = documentFormatOf(item)
    if (format === null) throw new TypeError(`${item.contentType} isn't a document with parts`)
    const document = await documentReader.read(
      { filename, format, fetched: fetchedOf(item) },
      { folder: scratch, signal },
    )
    const { title, author, siteName, createdAt, titles } = document
    const pageTitles = titles.slice(0, MAX_TITLES)
    const details = {
      ...(title ? { title } : {}),
      ...(author ? { author } : {}),
      ...(siteName ? { site: siteName } : {}),
      ...(createdAt ? { created_at: createdAt.toISOString() } : {}),
      ...(isInParts(item.contentType) && pageTitles.some((title) => title !== '')
        ? { page_titles: JSON.stringify(pageTitles) }
        : {}),
    }
    const content = previewJson(document.pages(signal), MAX_PREVIEW_CHARACTERS, document.isCut)
    const preview = await results.setCopy(item, 'preview', { content, contentType: 'application/json' })
    const pages = isInParts(item.contentType) ? { pageCount: titles.length } : {}
    // A web page is named by its title.
    const newName =
      item.sourceKind === 'page' && title ? { originalFilename: titleFileName(title, 'html', 'Page') } : {}
    const picture = await thumbnailOfPage(context, document.pictureUrl)
    const facts = { ...pages, ...newName, details, ...(picture ? { thumbhash: picture.thumbhash } : {}) }
    return { engine: null, model: null, facts, findings: [preview, ...(picture ? [picture.copy] : [])] }
  }

  /** Text in a document's pictures; unreadable pictures are skipped. */
  const readPictures = async (
    { item, language: expected, signal, progress }: StepContext,
    pictures: DocumentPicture[],
  ): Promise<NewMoment[]> => {
    const moments: NewMoment[] = []
    for (const [index, { page, filename }] of pictures.entries()) {
      try {
        const { text, confidence, language } = await reader.readPicture(filename, signal, expected)
        const origin = { engine: reader.engine, model: reader.model, confidence, language }
        const location = isInParts(item.contentType) ? { page } : {}
        moments.push(...chunksOf(text).map((chunk): NewMoment => ({ kind: 'text', ...location, ...chunk, ...origin })))
      } catch (error) {
        if (!(error instanceof AppError && error.status === 422)) throw error
      }
      await rm(filename, { force: true })
      progress((index + 1) / pictures.length)
    }
    return moments
  }

  /**
   * Text of attached documents, each part headed by its name; unreadable documents are skipped.
   * @param ends length of each mail's own text by its part number; the text of its attachments follows.
   */
  const readAttachments = async (
    context: StepContext,
    attachments: DocumentAttachment[],
    ends: Map<number, number>,
  ): Promise<NewMoment[]> => {
    const moments: NewMoment[] = []
    for (const attachment of attachments) {
      const { page, filename } = attachment
      for await (const partText of partsOfAttached(attachment, context, { documentReader, pdf })) {
        const end = ends.get(page) ?? 0
        for (const moment of momentsOf({ number: page, text: partText }, isInParts(context.item.contentType))) {
          moments.push({ ...moment, characterOffset: end + (moment.characterOffset ?? 0) })
        }
        ends.set(page, end + partText.length)
      }
      await rm(filename, { force: true })
    }
    return moments
  }

  const read: Step = async (context): Promise<StepOutcome> => {
    const { item, filename, scratch, signal, progress } = context
    const format = documentFormatOf(item)
    if (format === null) throw new TypeError(`${item.contentType} isn't a document with parts`)
    const before = readProgressOf(await results.checkpoint(item))
    const { done, hasAttached } = before ?? { done: 0, hasAttached: false }
    const end = Math.min(MAX_PICTURES, done + PICTURES_IN_TURN)
    const reasonOff = reader.reasonOff()
    const maxPictures = reasonOff === null ? end : 0
    const maxAttachments = hasAttached ? 0 : MAX_ATTACHMENTS
    const document = await documentReader.read(
      { filename, format, fetched: fetchedOf(item), maxPictures, maxAttachments },
      { folder: scratch, signal },
    )
    const turnPictures = document.pictures.slice(done)
    const moments: NewMoment[] = []
    const ends = new Map<number, number>()
    for await (const page of document.pages(signal)) {
      ends.set(page.number, page.text.length)
      if (before === null) moments.push(...momentsOf(page, isInParts(item.contentType)))
    }
    let hasStoredMoments = before !== null
    if (before === null && turnPictures.length + document.attachments.length > FEW_PICTURES) {
      // The document's own text is searchable while its pictures and attachments are read.
      const text = moments.splice(0)
      const places = new Set(text.map(({ page }) => page ?? null))
      const textOnly = { done, hasAttached } satisfies ReadProgress
      await results.keepMoments(item, textOnly, { kind: 'text', moments: text, replacedPages: places })
      hasStoredMoments = true
    }
    moments.push(...(await readAttachments(context, document.attachments, ends)))
    const readable = Math.min(MAX_PICTURES, document.picturesFound)
    const overallProgress = (fraction: number) => progress((done + turnPictures.length * fraction) / readable)
    moments.push(...(await readPictures({ ...context, progress: overallProgress }, turnPictures)))
    if (document.pictures.length === end && end < readable) {
      const soFar = { done: end, hasAttached: true } satisfies ReadProgress
      await results.keepMoments(item, soFar, { kind: 'text', moments, replacedPages: [] })
      return { engine: 'built-in', model: reader.model, isUnfinished: true }
    }
    const all = hasStoredMoments ? [...((await results.earlierFindings(item)) as NewMoment[]), ...moments] : moments
    // Text of pictures follows the text of their part.
    all.sort((a, b) => (a.page ?? 0) - (b.page ?? 0))
    const findings = [await results.replaceMoments(item, 'text', all)]
    const notes: Sentence[] = []
    if (document.isCut) notes.push(say('long_beginning', {}))
    if (document.isDamaged) notes.push(say('partly_damaged', {}))
    const { picturesFound: count } = document
    if (reasonOff !== null && count > 0) notes.push(reasonOff)
    else if (count > MAX_PICTURES) {
      notes.push(say('pictures_read', { count, read: MAX_PICTURES }))
    }
    const model = document.pictures.length > 0 ? reader.model : null
    return { engine: 'built-in', model, findings, ...(notes.length > 0 ? { note: sayAll(...notes) } : {}) }
  }

  return { inspect, read }
}

/** Progress of reading a document's pictures and attachments, after its text. */
interface ReadProgress {
  /** Pictures read so far. */
  done: number
  /** True when the attachments have been read. */
  hasAttached: boolean
}

function readProgressOf(checkpoint: unknown): ReadProgress | null {
  const before = checkpoint as ReadProgress | null
  return before !== null && typeof before.done === 'number' ? before : null
}

/** Encoding of a page fetched from the web; undefined for other documents. */
function fetchedOf({ sourceKind, details }: ProcessedItem): { charset: string | null } | undefined {
  if (sourceKind !== 'page') return undefined
  const { charset } = details as Record<string, unknown>
  return { charset: typeof charset === 'string' ? charset : null }
}

function momentsOf({ number, text }: Pick<ReadPage, 'number' | 'text'>, isInParts: boolean): NewMoment[] {
  const location = isInParts ? { page: number } : {}
  return chunksOf(text).map((chunk) => ({
    kind: 'text',
    ...location,
    ...chunk,
    engine: 'built-in',
    model: null,
    confidence: null,
  }))
}

/** A DocumentPreview as JSON, in chunks, up to a limit of characters. */
async function* previewJson(
  pages: AsyncIterable<ReadPage>,
  maxCharacters: number,
  isDocumentCut: boolean,
): AsyncGenerator<Buffer> {
  let remainingCharacters = maxCharacters
  let isCut = isDocumentCut
  let separator = '{"pages":['
  for await (const { number, title, blocks } of pages) {
    const visibleBlocks: DocumentBlock[] = []
    for (const block of blocks) {
      const piece = cutBlock(block, remainingCharacters)
      remainingCharacters -= lengthOf(piece)
      visibleBlocks.push(piece)
      if (piece !== block || remainingCharacters <= 0) {
        isCut = true
        remainingCharacters = 0
        break
      }
    }
    const page: DocumentPage = { number, title, blocks: visibleBlocks }
    yield Buffer.from(separator + JSON.stringify(page))
    separator = ','
    if (remainingCharacters <= 0) break
  }
  yield Buffer.from(`${separator === ',' ? '' : separator}],"is_cut":${isCut}}`)
}

function lengthOf(block: DocumentBlock): number {
  if (block.kind === 'rows') return block.rows.flat().reduce((sum, cell) => sum + cell.length + 4, 0)
  if (block.kind === 'fields') return block.fields.reduce((sum, [, value]) => sum + value.length, 0)
  return block.text.length
}

/** A block, cut to a number of characters. */
function cutBlock(block: DocumentBlock, maxCharacters: number): DocumentBlock {
  if (lengthOf(block) <= maxCharacters || block.kind === 'fields') return block
  if (block.kind !== 'rows') return { ...block, text: cutText(block.text, maxCharacters) }
  let remainingCharacters = maxCharacters
  const end = block.rows.findIndex((row) => {
    remainingCharacters -= row.reduce((sum, cell) => sum + cell.length + 4, 0)
    return remainingCharacters < 0
  })
  return { kind: 'rows', rows: block.rows.slice(0, Math.max(1, end)) }
}
