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

/** Characters shown of it, as many as a phone can show at once; searches cover all of it. */
const SHOWN_CHARACTERS = 1_000_000
/** Pictures inside a document that are read, half a second each. */
const MAX_PICTURES = 100
/** Pictures read per turn, between which other items are processed. */
const PICTURES_IN_TURN = 25
/** With so few, text and pictures are stored together: they take some seconds. */
const FEW_PICTURES = 3
/** Limits of the picture that a web page shows as its own. */
const PAGE_PICTURE = {
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
  maxBytes: 10 * 1024 * 1024,
  timeoutMs: 10_000,
}
const MAX_TITLES = 2_000
/** Documents that are attached to mails and read. */
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
  /** Parts of a kind of their own count as pages; other documents are one piece. */
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
      // the declared picture may be anything
      if (isLasting(error)) return null
      throw error
    }
  }

  const inspect: Step = async (context) => {
    const { item, filename, scratch, signal } = context
    const format = paperFormatOf(item)
    if (format === null) throw new TypeError(`${item.contentType} is no document in parts`)
    const paper = await papers.read({ filename, format, fetched: fetchedOf(item) }, { folder: scratch, signal })
    const { title, author, siteName, createdAt, titles } = paper
    const pageTitles = titles.slice(0, MAX_TITLES)
    const details = {
      ...(title ? { title } : {}),
      ...(author ? { author } : {}),
      ...(siteName ? { site: siteName } : {}),
      ...(createdAt ? { created_at: createdAt.toISOString() } : {}),
      ...(isInParts(item.contentType) && pageTitles.some((one) => one !== '')
        ? { page_titles: JSON.stringify(pageTitles) }
        : {}),
    }
    const content = inJson(paper.pages(signal), SHOWN_CHARACTERS, paper.isCut)
    const preview = await results.setCopy(item, 'preview', { content, contentType: 'application/json' })
    const pages = isInParts(item.contentType) ? { pageCount: titles.length } : {}
    // a page is named by its title
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
    for (const [at, { page, filename }] of pictures.entries()) {
      try {
        const { text, confidence, language } = await reader.readPicture(filename, signal, expected)
        const origin = { engine: reader.engine, model: reader.model, confidence, language }
        const location = isInParts(item.contentType) ? { page } : {}
        moments.push(...chunksOf(text).map((chunk): NewMoment => ({ kind: 'text', ...location, ...chunk, ...origin })))
      } catch (error) {
        if (!(error instanceof AppError && error.status === 422)) throw error
      }
      await rm(filename, { force: true })
      progress((at + 1) / pictures.length)
    }
    return moments
  }

  /**
   * Text of attached documents, each part below its name; unreadable documents are skipped.
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
      for await (const below of partsOfAttached(attachment, context, { papers, pdf })) {
        const end = ends.get(page) ?? 0
        for (const moment of momentsOf({ number: page, text: below }, isInParts(context.item.contentType))) {
          moments.push({ ...moment, characterOffset: end + (moment.characterOffset ?? 0) })
        }
        ends.set(page, end + below.length)
      }
      await rm(filename, { force: true })
    }
    return moments
  }

  const read: Step = async (context): Promise<StepOutcome> => {
    const { item, filename, scratch, signal, progress } = context
    const format = paperFormatOf(item)
    if (format === null) throw new TypeError(`${item.contentType} is no document in parts`)
    const before = readBefore(await results.checkpoint(item))
    const { done, hasAttached } = before ?? { done: 0, hasAttached: false }
    const end = Math.min(MAX_PICTURES, done + PICTURES_IN_TURN)
    const reasonOff = reader.reasonOff()
    const maxPictures = reasonOff === null ? end : 0
    const maxAttachments = hasAttached ? 0 : MAX_ATTACHMENTS
    const paper = await papers.read(
      { filename, format, fetched: fetchedOf(item), maxPictures, maxAttachments },
      { folder: scratch, signal },
    )
    const turn = paper.pictures.slice(done)
    const moments: NewMoment[] = []
    const ends = new Map<number, number>()
    for await (const page of paper.pages(signal)) {
      ends.set(page.number, page.text.length)
      if (before === null) moments.push(...momentsOf(page, isInParts(item.contentType)))
    }
    let hasKept = before !== null
    if (before === null && turn.length + paper.attachments.length > FEW_PICTURES) {
      // its own text is searchable while pictures and attachments are read
      const text = moments.splice(0)
      const places = new Set(text.map(({ page }) => page ?? null))
      const beginning = { done, hasAttached } satisfies ReadBefore
      await results.keepMoments(item, beginning, { kind: 'text', moments: text, places })
      hasKept = true
    }
    moments.push(...(await readAttachments(context, paper.attachments, ends)))
    const readable = Math.min(MAX_PICTURES, paper.picturesFound)
    const ofAll = (fraction: number) => progress((done + turn.length * fraction) / readable)
    moments.push(...(await readPictures({ ...context, progress: ofAll }, turn)))
    if (paper.pictures.length === end && end < readable) {
      const soFar = { done: end, hasAttached: true } satisfies ReadBefore
      await results.keepMoments(item, soFar, { kind: 'text', moments, places: [] })
      return { engine: 'built-in', model: reader.model, isUnfinished: true }
    }
    const all = hasKept ? [...((await results.foundBefore(item)) as NewMoment[]), ...moments] : moments
    // text of pictures follows the text of their part
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
interface ReadBefore {
  /** Pictures read so far. */
  done: number
  /** True when its attachments have been read. */
  hasAttached: boolean
}

function readBefore(checkpoint: unknown): ReadBefore | null {
  const before = checkpoint as ReadBefore | null
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

/** A PaperPreview as JSON, chunk by chunk, up to a bound of characters. */
async function* inJson(
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
      const piece = fitting(block, remainingCharacters)
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

/** A block, cut to the remaining room. */
function fitting(block: PaperBlock, room: number): PaperBlock {
  if (lengthOf(block) <= room || block.kind === 'fields') return block
  if (block.kind !== 'rows') return { ...block, text: block.text.slice(0, room).toWellFormed() }
  let remainingRoom = room
  const end = block.rows.findIndex((row) => {
    remainingRoom -= row.reduce((sum, cell) => sum + cell.length + 4, 0)
    return remainingRoom < 0
  })
  return { kind: 'rows', rows: block.rows.slice(0, Math.max(1, end)) }
}
