import { rm } from 'node:fs/promises'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { AppError, isPermanent } from '../../../../errors.ts'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import type { DocumentReader } from '../../../../parsers/office/document-types.ts'
import type { PdfReader } from '../../../../parsers/pdf/pdf.ts'
import { type Sentence, say, sayAll } from '../../../../sentences.ts'
import type { Results } from '../results.ts'
import type { NewMoment, NewPart, Step, StepContext, StepOutcome } from '../step.ts'
import { partsOfAttached } from './attached.ts'
import { chunksOf, MAX_CHARACTERS } from './embed.ts'
import type { Reader } from './read.ts'

export interface PdfStepsDeps {
  results: Results
  pictures: Pick<PictureProcesses, 'images' | 'thumbhashOf'>
  documentReader: DocumentReader
  pdf: Omit<PdfReader, 'close'>
  reader: Reader
  /** Longest side of page pictures in pixels; larger when browsers can't show the file. */
  pictureSide?: number
  limits?: Partial<PdfLimits>
}

interface PdfLimits {
  /** Pages without text that are read as pictures, which takes a second or more each. */
  readPages: number
  /** Pages that have text and whose pictures are read in addition. */
  picturedPages: number
  /** Pages read as pictures per turn. Other items are processed between turns. */
  pagesInTurn: number
  /** Pages that get a thumbnail. */
  drawnPages: number
  /** Pages drawn per turn. */
  drawnInTurn: number
  /** Characters read from the beginning. */
  characters: number
  /** Pages whose text is read. */
  textPages: number
  /** Approximate number of pages whose text is read per turn: detecting pictures takes up to a second per page. */
  textPagesInTurn: number
}

const defaultLimits: PdfLimits = {
  readPages: 5000,
  picturedPages: 100,
  pagesInTurn: 25,
  drawnPages: 2000,
  drawnInTurn: 100,
  characters: MAX_CHARACTERS,
  textPages: 10_000,
  textPagesInTurn: 500,
}
/** A page with fewer letters has only a page number or a stamp as text; what it says is in a picture. */
const MIN_LETTERS = 16
/** Up to this many pages are read as pictures in a few seconds. */
const FEW_PAGES = 3
/** Below this confidence, the script probably isn't supported, so the page's text layer is used instead. */
const MIN_CONFIDENCE = 0.4
const READING_WIDTH = 1600
const THUMBNAIL_WIDTH = 512

/** Steps for a PDF; long ones take several turns. */
export function createPdfSteps(deps: PdfStepsDeps): Record<'inspect' | 'read' | 'pages', Step> {
  const { results, pictures, documentReader, pdf, reader, pictureSide = THUMBNAIL_WIDTH } = deps
  const limits = { ...defaultLimits, ...deps.limits }

  /** Draws pages one by one; pages that can't be drawn are added to `undrawable`. */
  async function* drawEach(filename: string, options: Parameters<PdfReader['draw']>[1], undrawable: number[] = []) {
    for (const page of options.pages) {
      try {
        yield* pdf.draw(filename, { ...options, pages: [page] })
      } catch (error) {
        if (!isPermanent(error)) throw error
        undrawable.push(page)
      }
    }
  }

  const inspect: Step = async ({ item, filename, scratch, signal, progress }) => {
    const { pageCount, title, author, createdAt, pageLabels = [] } = await pdf.inspect(filename, signal)
    progress(0.3)
    const details = {
      ...(title ? { title } : {}),
      ...(author ? { author } : {}),
      ...(createdAt ? { created_at: createdAt.toISOString() } : {}),
      ...(pageLabels.length > 0 ? { page_titles: JSON.stringify(pageLabels) } : {}),
    }
    await results.store(item, [results.updateFacts(item, { pageCount, details })])
    const options = { pages: [1], widthPixels: THUMBNAIL_WIDTH, folder: scratch, signal }
    const [first] = await collectDrawn(drawEach(filename, options))
    if (first === undefined) return { engine: null, model: null, facts: { pageCount, details } }
    const thumbnail = await pictures.images.thumbnail(first.filename)
    const thumbhash = await pictures.thumbhashOf(thumbnail.data)
    const copy = await results.setCopy(item, 'thumbnail', { ...thumbnail, content: thumbnail.data })
    return { engine: null, model: null, facts: { pageCount, details, thumbhash }, findings: [copy] }
  }

  /** Reads the text of a turn's pages; `soFar` collects progress and pages to read as pictures. */
  const readTextLayer = async (
    { item, filename, signal, progress }: StepContext,
    soFar: ReadProgress,
    first: number,
  ) => {
    const moments: NewMoment[] = []
    const picturesWanted = () => (reader.reasonOff() === null ? limits.picturedPages - soFar.added : 0)
    for await (const batch of pdf.texts(filename, signal, { first, picturesWanted })) {
      for (const { page, text: layer, notes = '', hasPicture, isGarbled, isDamaged } of batch) {
        const text = [layer, notes].filter(Boolean).join('\n\n')
        soFar.characters += text.length
        if (soFar.characters > limits.characters || page > limits.textPages) {
          return { moments, soFar: { ...soFar, nextPage: null, cutAt: page } }
        }
        if (isDamaged) soFar.unreadable++
        else if (isGarbled || !hasText(layer)) {
          soFar.left.push({ page, text: layer, ...(notes === '' ? {} : { notes }) })
          soFar.bare++
        } else {
          moments.push(...momentsOfLayer(page, text))
          // Pages with text come first, so that their text isn't kept in checkpoints for long.
          if (hasPicture && soFar.added < limits.picturedPages) {
            soFar.left.splice(soFar.added++, 0, { page, text, isAdded: true })
          }
        }
        progress((0.5 * page) / Math.max(page, item.pageCount ?? page))
      }
      const next = (batch.at(-1)?.page ?? 0) + 1
      const isLast = next > (item.pageCount ?? next)
      if (!isLast && next - first >= limits.textPagesInTurn) return { moments, soFar: { ...soFar, nextPage: next } }
      await yieldToEventLoop()
    }
    return { moments, soFar: { ...soFar, nextPage: null } }
  }

  /** Moments of pages read as pictures, and the numbers of unreadable pages. */
  const readDrawnPages = async (
    { filename, scratch, language: expected, signal, progress }: StepContext,
    pages: number[],
    layers: ReadonlyMap<number, string>,
  ) => {
    const momentsByPage = new Map<number, NewMoment[]>()
    const unreadable: number[] = []
    let donePages = 0
    const options = { pages, widthPixels: READING_WIDTH, folder: scratch, signal }
    for await (const { page, filename: picture } of drawEach(filename, options, unreadable)) {
      try {
        const { text: recognized, confidence, language } = await reader.readPicture(picture, signal, expected)
        const layer = layers.get(page)
        const text = layer === undefined ? recognized : linesMissingIn(layer, recognized)
        if (text !== '' && (confidence ?? 1) >= MIN_CONFIDENCE)
          momentsByPage.set(page, momentsOfPage(page, text, { model: reader.model, confidence, language }))
      } catch (error) {
        if (!(error instanceof AppError && error.status === 422)) throw error
        unreadable.push(page)
      }
      await rm(picture, { force: true })
      progress(++donePages / pages.length)
    }
    return { momentsByPage, unreadable }
  }

  /** Names and texts of embedded files, at the first page. */
  const readAttachments = async (context: StepContext): Promise<NewMoment[]> => {
    const { filename, scratch: folder, signal } = context
    const moments: NewMoment[] = []
    const attachments = await pdf.attachments(filename, { folder, signal }).catch((error: unknown) => {
      if (!isPermanent(error)) throw error
      return []
    })
    for (const attachment of attachments) {
      moments.push(
        ...momentsOfLayer(
          1,
          'text' in attachment ? `${attachment.name}\n\n${attachment.text}`.trim() : attachment.name,
        ),
      )
      if ('text' in attachment) continue
      for await (const part of partsOfAttached(attachment, context, { documentReader, pdf }))
        moments.push(...momentsOfLayer(1, part.trim()))
      await rm(attachment.filename, { force: true })
    }
    return moments
  }

  const read = async (context: StepContext): Promise<StepOutcome> => {
    const { item, progress } = context
    const checkpoint = readCheckpoint(await results.checkpoint(item))
    let soFar = checkpoint ?? initialProgress()
    let hasStoredMoments = checkpoint !== null
    const moments: NewMoment[] = []
    /** Stores the turn's text, replacing the earlier text of its pages; on pages with text, text in pictures is added. */
    const storeTurn = async (pagesWithText: ReadonlyMap<number, string> = new Map()) => {
      const pageMoments = moments.splice(0)
      const places = pageMoments.flatMap(({ page = 0 }) => (pagesWithText.has(page) ? [] : [page]))
      await results.keepMoments(item, soFar, { kind: 'text', moments: pageMoments, replacedPages: places })
      hasStoredMoments = true
    }
    if (soFar.nextPage !== null) {
      const layer = await readTextLayer(context, soFar, soFar.nextPage)
      soFar = layer.soFar
      moments.push(...layer.moments)
      // The text is searchable while pictures are read, and isn't read again after a restart.
      const isWorthStoring = moments.length > 0 ? soFar.left.length > FEW_PAGES : soFar.left.length > limits.pagesInTurn
      if (soFar.nextPage !== null || isWorthStoring) await storeTurn()
      if (soFar.nextPage !== null) return { engine: 'built-in', model: null, isUnfinished: true }
    }
    const { added, bare, cutAt } = soFar
    const reasonOff = reader.reasonOff()
    const readable = reasonOff === null ? Math.min(bare, limits.readPages) + added : 0
    const turnPages = soFar.left.slice(0, Math.max(0, Math.min(readable - soFar.done, limits.pagesInTurn)))
    if (turnPages.length > 0) {
      const { done } = soFar
      const overallProgress = (fraction: number) =>
        progress(0.5 + (0.5 * (done + turnPages.length * fraction)) / readable)
      overallProgress(0)
      const pages = turnPages.map(({ page }) => page)
      const layers = new Map(turnPages.flatMap(({ page, text, isAdded }) => (isAdded ? [[page, text]] : [])))
      const reading = await readDrawnPages({ ...context, progress: overallProgress }, pages, layers)
      for (const { page, text, notes = '', isAdded } of turnPages) {
        moments.push(...(reading.momentsByPage.get(page) ?? (isAdded ? [] : momentsOfLayer(page, text))))
        moments.push(...momentsOfLayer(page, notes))
      }
      soFar = {
        ...soFar,
        left: soFar.left.slice(turnPages.length),
        done: done + turnPages.length,
        unreadable: soFar.unreadable + reading.unreadable.filter((page) => !layers.has(page)).length,
      }
      if (soFar.done < readable) {
        await storeTurn(layers)
        return { engine: 'built-in', model: reader.model, isUnfinished: true }
      }
    }
    const { left, unreadable } = soFar
    for (const { page, text, notes = '', isAdded } of left) {
      if (!isAdded) moments.push(...momentsOfLayer(page, text), ...momentsOfLayer(page, notes))
    }
    moments.push(...(await readAttachments(context)))
    const all = hasStoredMoments ? [...((await results.earlierFindings(item)) as NewMoment[]), ...moments] : moments
    // Text of pictures follows the text of their page.
    all.sort((a, b) => (a.page ?? 0) - (b.page ?? 0))
    const notes: Sentence[] = []
    if (cutAt !== null) {
      notes.push(say('long_until_page', { page: cutAt }))
    }
    if (bare > 0 && reasonOff !== null) {
      notes.push(say('pages_without_text', { count: bare }), reasonOff)
    } else if (readable - added < bare) {
      notes.push(say('pages_read', { count: bare, read: readable - added }))
    }
    if (unreadable > 0) {
      notes.push(say('pages_unread', { count: unreadable }))
    }
    const findings = [await results.replaceMoments(item, 'text', all)]
    const model = readable > 0 ? reader.model : null
    return { engine: 'built-in', model, findings, ...(notes.length > 0 ? { note: sayAll(...notes) } : {}) }
  }

  const pages: Step = async ({ item, filename, scratch, signal, progress }) => {
    const count = item.pageCount ?? 1
    const max = Math.min(count, limits.drawnPages)
    const doneCount = drawnCountOf(await results.checkpoint(item))
    const end = Math.min(max, doneCount + limits.drawnInTurn)
    const numbers = Array.from({ length: end - doneCount }, (_, index) => doneCount + index + 1)
    const options = { pages: numbers, widthPixels: pictureSide, folder: scratch, signal }
    async function* parts(): AsyncGenerator<NewPart> {
      for await (const { page, filename: picture } of drawEach(filename, options)) {
        yield {
          kind: 'page',
          number: page,
          thumbnail: await pictures.images.thumbnail(picture, { longestSide: pictureSide }),
        }
        await rm(picture, { force: true })
        progress(page / max)
      }
    }
    progress(doneCount / max)
    await results.replaceParts(item, 'page', parts(), { after: doneCount, hasMore: end < max })
    if (end < max) {
      await results.storeCheckpoint(item, { done: end } satisfies DrawProgress)
      return { engine: null, model: null, isUnfinished: true }
    }
    const note = say('pages_drawn', { count, drawn: max })
    return { engine: null, model: null, ...(max < count ? { note } : {}) }
  }

  return { inspect, read, pages }
}

/** Progress of reading a PDF. */
interface ReadProgress {
  /** First page whose text hasn't been read yet; null when no page is left. */
  nextPage: number | null
  /** Characters on the pages before `nextPage`. */
  characters: number
  /** First page beyond the limits; null when there is none. */
  cutAt: number | null
  /** Pages still to read as pictures, with their text. */
  left: {
    page: number
    text: string
    /** Lines of the page's fields and notes. */
    notes?: string
    /** True for a page with text, whose pictures are read in addition. */
    isAdded?: boolean
  }[]
  /** Total number of pages with text whose pictures are read. */
  added: number
  /** Total number of pages that are read as pictures since they have hardly any text. */
  bare: number
  /** Pages of both kinds read as pictures so far. */
  done: number
  /** Damaged pages, and pages with hardly any text whose pictures couldn't be read. */
  unreadable: number
}

const initialProgress = (): ReadProgress => ({
  nextPage: 1,
  characters: 0,
  cutAt: null,
  left: [],
  added: 0,
  bare: 0,
  done: 0,
  unreadable: 0,
})

function readCheckpoint(checkpoint: unknown): ReadProgress | null {
  const soFar = checkpoint as ReadProgress | null
  return soFar !== null && typeof soFar.done === 'number' && Array.isArray(soFar.left) ? soFar : null
}

interface DrawProgress {
  /** Pages that have a thumbnail. */
  done: number
}

function drawnCountOf(checkpoint: unknown): number {
  const before = checkpoint as DrawProgress | null
  return before !== null && typeof before.done === 'number' ? before.done : 0
}

function momentsOfLayer(page: number, text: string): NewMoment[] {
  return momentsOfPage(page, text, { model: null, confidence: null })
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []

/** Recognized lines that the text layer doesn't have: those in pictures. */
function linesMissingIn(layer: string, recognized: string): string {
  const layerWords = new Set(wordsOf(layer))
  return recognized
    .split('\n')
    .filter((line) => {
      const words = wordsOf(line)
      return words.filter((word) => !layerWords.has(word)).length * 2 > words.length
    })
    .join('\n')
}

function hasText(text: string): boolean {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length >= MIN_LETTERS
}

function momentsOfPage(
  page: number,
  text: string,
  origin: Pick<NewMoment, 'model' | 'confidence' | 'language'>,
): NewMoment[] {
  return chunksOf(text).map((chunk) => ({ kind: 'text', page, ...chunk, engine: 'built-in', ...origin }))
}

async function collectDrawn<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(page)
  return all
}
