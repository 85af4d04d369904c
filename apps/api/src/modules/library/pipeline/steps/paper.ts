import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFormats, type PaperBlock, type PaperFormat, type PaperPage, paperFormats, partsOf } from '@mira/shared'
import { AppError, isLasting } from '../../../../errors.ts'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import type { PaperAttachment, PaperPicture, Papers, ReadPage } from '../../../../parsers/office/papers.ts'
import type { Pdf } from '../../../../parsers/pdf/pdf.ts'
import { titleFileName } from '../../../../platform/lib/title-file-name.ts'
import type { WebFetcher } from '../../../../platform/net/web-fetcher.ts'
import { type Sentence, say, sayAll } from '../../../../sentences.ts'
import type { Results } from '../results.ts'
import type { NewMoment, ProcessedItem, Step, StepContext, StepOutcome } from '../step.ts'
import { partsOfAttached } from './attached.ts'
import { chunksOf } from './embed.ts'
import type { Reader } from './read.ts'

interface PaperStepsDeps {
  results: Results
  papers: Papers
  pdf: Pick<Pdf, 'texts'>
  reader: Reader
  pictures: Pick<PictureProcesses, 'images' | 'thumbhashOf'>
  fetcher: WebFetcher
}

/** Characters shown of a document, as many as a phone can show; searches cover all of it. */
const SHOWN_CHARACTERS = 1_000_000
/** Pictures read in a document, each of which takes half a second. */
const MAX_PICTURES = 100
/** Pictures read per turn, between which other items are processed. */
const PICTURES_IN_TURN = 25
/** Up to this number, text and pictures are stored together, which takes some seconds. */
const FEW_PICTURES = 3
/** Limits of the picture that a web page declares for itself. */
const PAGE_PICTURE = {
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
  maxBytes: 10 * 1024 * 1024,
  timeoutMs: 10_000,
}
const MAX_TITLES = 2_000
/** Documents read among those attached to mails. */
const MAX_ATTACHMENTS = 50

/** Format of an item that is read in parts; null for others. */
export function paperFormatOf({ contentType }: { contentType: string }): PaperFormat | null {
  return paperFormats.find((format) => fileFormats[format].contentType === contentType) ?? null
}

/** Steps for an office document, a book, a web page or mails. */
export function createPaperSteps({ results, papers, pdf, reader, pictures, fetcher }: PaperStepsDeps): {
  inspect: Step
  read: Step
} {
  /** True for formats with parts such as slides or sheets, which count as pages; other documents are one piece. */
  const isInParts = (contentType: string) => partsOf(contentType) !== 'page'

  /** Thumbnail of a web page: the picture that it declares; null for none. */
  const pictureOf = async ({ item, scratch, signal }: StepContext, pictureUrl: string | null) => {
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
      // The declared picture may be anything.
      if (isLasting(error)) return null
      throw error
    }
  }

  const inspect: Step = async (context) => {
    const { item, filename, scratch, signal } = context
    const format = paperFormatOf(item)
    if (format === null) throw new TypeError(`${item.contentType} isn't a document with parts`)
    const paper = await papers.read({ filename, format, fetched: fetchedOf(item) }, { folder: scratch, signal })
    const { title, author, siteName, createdAt, titles } = paper
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
    const content = previewJson(paper.pages(signal), SHOWN_CHARACTERS, paper.isCut)
    const preview = await results.setCopy(item, 'preview', { content, contentType: 'application/json' })
    const pages = isInParts(item.contentType) ? { pageCount: titles.length } : {}
    // A web page is named by its title.
    const newName =
      item.sourceKind === 'page' && title ? { originalFilename: titleFileName(title, 'html', 'Page') } : {}
    const picture = await pictureOf(context, paper.pictureUrl)
    const facts = { ...pages, ...newName, details, ...(picture ? { thumbhash: picture.thumbhash } : {}) }
    return { engine: null, model: null, facts, findings: [preview, ...(picture ? [picture.copy] : [])] }
  }

  /** Text in a document's pictures; unreadable pictures are skipped. */
  const readPictures = async (
    { item, language: expected, signal, progress }: StepContext,
    pictures: PaperPicture[],
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
   * @param ends length of each mail part's own text, after which attachments follow.
   */
  const readAttachments = async (
    context: StepContext,
    attachments: PaperAttachment[],
    ends: Map<number, number>,
  ): Promise<NewMoment[]> => {
    const moments: NewMoment[] = []
    for (const attachment of attachments) {
      const { page, filename } = attachment
      for await (const partText of partsOfAttached(attachment, context, { papers, pdf })) {
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
    const format = paperFormatOf(item)
    if (format === null) throw new TypeError(`${item.contentType} isn't a document with parts`)
    const before = readProgressOf(await results.checkpoint(item))
    const { done, hasAttached } = before ?? { done: 0, hasAttached: false }
    const end = Math.min(MAX_PICTURES, done + PICTURES_IN_TURN)
    const reasonOff = reader.reasonOff()
    const maxPictures = reasonOff === null ? end : 0
    const maxAttachments = hasAttached ? 0 : MAX_ATTACHMENTS
    const paper = await papers.read(
      { filename, format, fetched: fetchedOf(item), maxPictures, maxAttachments },
      { folder: scratch, signal },
    )
    const turnPictures = paper.pictures.slice(done)
    const moments: NewMoment[] = []
    const ends = new Map<number, number>()
    for await (const page of paper.pages(signal)) {
      ends.set(page.number, page.text.length)
      if (before === null) moments.push(...momentsOf(page, isInParts(item.contentType)))
    }
    let hasStoredMoments = before !== null
    if (before === null && turnPictures.length + paper.attachments.length > FEW_PICTURES) {
      // The document's own text is searchable while its pictures and attachments are read.
      const text = moments.splice(0)
      const places = new Set(text.map(({ page }) => page ?? null))
      const beginning = { done, hasAttached } satisfies ReadProgress
      await results.keepMoments(item, beginning, { kind: 'text', moments: text, places })
      hasStoredMoments = true
    }
    moments.push(...(await readAttachments(context, paper.attachments, ends)))
    const readable = Math.min(MAX_PICTURES, paper.picturesFound)
    const overallProgress = (fraction: number) => progress((done + turnPictures.length * fraction) / readable)
    moments.push(...(await readPictures({ ...context, progress: overallProgress }, turnPictures)))
    if (paper.pictures.length === end && end < readable) {
      const soFar = { done: end, hasAttached: true } satisfies ReadProgress
      await results.keepMoments(item, soFar, { kind: 'text', moments, places: [] })
      return { engine: 'built-in', model: reader.model, isUnfinished: true }
    }
    const all = hasStoredMoments ? [...((await results.earlierFindings(item)) as NewMoment[]), ...moments] : moments
    // Text of pictures follows the text of their part.
    all.sort((a, b) => (a.page ?? 0) - (b.page ?? 0))
    const findings = [await results.replaceMoments(item, 'text', all)]
    const notes: Sentence[] = []
    if (paper.isCut) notes.push(say('long_beginning', {}))
    if (paper.isDamaged) notes.push(say('partly_damaged', {}))
    const { picturesFound: count } = paper
    if (reasonOff !== null && count > 0) notes.push(reasonOff)
    else if (count > MAX_PICTURES) {
      notes.push(say('pictures_read', { count, read: MAX_PICTURES }))
    }
    const model = paper.pictures.length > 0 ? reader.model : null
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

/** A PaperPreview as JSON, in chunks, up to a limit of characters. */
async function* previewJson(
  pages: AsyncIterable<ReadPage>,
  maxCharacters: number,
  isPaperCut: boolean,
): AsyncGenerator<Buffer> {
  let remainingCharacters = maxCharacters
  let isCut = isPaperCut
  let separator = '{"pages":['
  for await (const { number, title, blocks } of pages) {
    const visibleBlocks: PaperBlock[] = []
    for (const block of blocks) {
      const piece = cutBlock(block, remainingCharacters)
      remainingCharacters -= lengthOf(piece)
      visibleBlocks.push(piece)
      if (piece !== block || remainingCharacters <= 0) {
        isCut = true
        break
      }
    }
    const page: PaperPage = { number, title, blocks: visibleBlocks }
    yield Buffer.from(separator + JSON.stringify(page))
    separator = ','
    if (remainingCharacters <= 0) break
  }
  yield Buffer.from(`${separator === ',' ? '' : separator}],"is_cut":${isCut}}`)
}

function lengthOf(block: PaperBlock): number {
  if (block.kind === 'rows') return block.rows.flat().reduce((sum, cell) => sum + cell.length + 4, 0)
  if (block.kind === 'fields') return block.fields.reduce((sum, [, value]) => sum + value.length, 0)
  return block.text.length
}

/** A block, cut to a number of characters. */
function cutBlock(block: PaperBlock, maxCharacters: number): PaperBlock {
  if (lengthOf(block) <= maxCharacters || block.kind === 'fields') return block
  if (block.kind !== 'rows') return { ...block, text: block.text.slice(0, maxCharacters).toWellFormed() }
  let remainingCharacters = maxCharacters
  const end = block.rows.findIndex((row) => {
    remainingCharacters -= row.reduce((sum, cell) => sum + cell.length + 4, 0)
    return remainingCharacters < 0
  })
  return { kind: 'rows', rows: block.rows.slice(0, Math.max(1, end)) }
}
