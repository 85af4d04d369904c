import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setImmediate as giveWay } from 'node:timers/promises'
import { type Sentence, say, sayAll } from '@mira/shared'
import type { Papers } from '../../../adapters/media/papers/papers.ts'
import type { Pdf } from '../../../adapters/media/pdf/pdf.ts'
import type { Images } from '../../../adapters/media/pictures/image.ts'
import type { Texts } from '../../../adapters/media/text.ts'
import { AppError } from '../../../errors.ts'
import {
  type NewMoment,
  type NewPart,
  type Results,
  type Step,
  type StepContext,
  type StepOutcome,
  type Steps,
  stepUnless,
} from '../processing.ts'
import { createPaperSteps, type PaperStepsDeps, paperFormatOf } from './paper.ts'
import type { Reader } from './read.ts'
import { chunksOf } from './text-chunks.ts'

export interface DocumentStepsDeps {
  results: Results
  images: Pick<Images, 'thumbnail'>
  thumbhashOf(thumbnail: Uint8Array): Promise<string>
  pdf: Pdf
  papers: Papers
  texts: Texts
  reader: Reader
  fetchPicture: PaperStepsDeps['fetchPicture']
  /** Makes the texts of an item findable by meaning. */
  embed: Step
  limits?: Partial<DocumentLimits>
}

export interface DocumentLimits {
  /** Pages without text that are read as pictures; each takes about a second. */
  readPages: number
  /** Pages with text whose pictures are read, beside these. */
  picturedPages: number
  /** How many of these are read in one turn; then others have theirs. */
  pagesInTurn: number
  /** Pages that get a small picture. */
  drawnPages: number
  /** How many characters are read from the beginning: a small file may unpack to more than any memory holds. */
  characters: number
  /** Pages whose text is looked at. */
  textPages: number
}

const usualLimits: DocumentLimits = {
  readPages: 5000,
  picturedPages: 100,
  pagesInTurn: 25,
  drawnPages: 2000,
  characters: 5_000_000,
  textPages: 10_000,
}
/** A page with less than this has a number or a stamp, and its text is in a picture. */
const LEAST_LETTERS = 16
const READING_WIDTH = 1600
const THUMBNAIL_WIDTH = 512
const NO_PAGES = say('text_without_pages', {}, 'A text has no pages.')
const PDF = 'application/pdf'

/** What is done with a document. */
export function createDocumentSteps(deps: DocumentStepsDeps): Steps['document'] {
  const { results, images, thumbhashOf, pdf, papers, texts, reader, embed } = deps
  const limits = { ...usualLimits, ...deps.limits }
  const isPdf = ({ format }: StepContext) => format === 'pdf'

  const inspectPdf: Step = async ({ item, filename, scratch, signal, progress }) => {
    const { pageCount, title, author, createdAt } = await pdf.inspect(filename, signal)
    progress(0.3)
    const details = {
      ...(title ? { title } : {}),
      ...(author ? { author } : {}),
      ...(createdAt ? { created_at: createdAt.toISOString() } : {}),
    }
    await results.store(item, [results.describe(item, { pageCount, details })])
    const [first] = await drawn(
      pdf.draw(filename, { pages: [1], widthPixels: THUMBNAIL_WIDTH, folder: scratch, signal }),
    )
    if (first === undefined) return { engine: null, model: null, facts: { pageCount, details } }
    const thumbnail = await images.thumbnail(first.filename)
    const thumbhash = await thumbhashOf(thumbnail.data)
    const copy = await results.setCopy(item, 'thumbnail', { ...thumbnail, content: thumbnail.data })
    return { engine: null, model: null, facts: { pageCount, details, thumbhash }, findings: [copy] }
  }

  const inspectText: Step = async ({ item, filename, signal }) => {
    const encoding = await texts.encodingOf(filename, signal)
    const contentType = 'text/plain; charset=utf-8'
    let characters = 0
    const hash = createHash('sha256')
    for await (const piece of texts.decode(filename, encoding, signal)) {
      characters += piece.length
      hash.update(piece)
    }
    async function* inUtf8() {
      for await (const piece of texts.decode(filename, encoding, signal)) yield Buffer.from(piece)
    }
    const preview =
      hash.digest('hex') === item.sha256
        ? results.showAsItIs(item, contentType)
        : await results.setCopy(item, 'preview', { content: inUtf8(), contentType })
    return { engine: null, model: null, facts: { details: { encoding, characters } }, findings: [preview] }
  }

  /** The text of pages, and which have hardly any, with what little they have; `cutAt` is the first page too many. */
  const readTextLayer = async ({ item, filename, signal, progress }: StepContext) => {
    const moments: NewMoment[] = []
    const without = new Map<number, string>()
    const pictured = new Map<number, string>()
    let characters = 0
    const picturesWanted = () => (reader.reasonOff() === null ? limits.picturedPages - pictured.size : 0)
    for await (const batch of pdf.texts(filename, signal, picturesWanted)) {
      for (const { page, text, hasPicture } of batch) {
        characters += text.length
        if (characters > limits.characters || page > limits.textPages)
          return { moments, without, pictured, cutAt: page }
        if (hasText(text)) moments.push(...momentsOfPage(page, text, { model: null, confidence: null }))
        else without.set(page, text)
        if (hasPicture && hasText(text) && pictured.size < limits.picturedPages) pictured.set(page, text)
        progress((0.5 * page) / Math.max(page, item.pageCount ?? page))
      }
      await giveWay()
    }
    return { moments, without, pictured, cutAt: null }
  }

  /** Reads pages as pictures; a page that cannot be read is told of. */
  const readDrawnPages = async (
    { filename, scratch, language: expected, signal, progress }: StepContext,
    pages: number[],
    layers: ReadonlyMap<number, string>,
  ) => {
    const found = new Map<number, NewMoment[]>()
    const unreadable: number[] = []
    let done = 0
    const options = { pages, widthPixels: READING_WIDTH, folder: scratch, signal }
    for await (const { page, filename: picture } of pdf.draw(filename, options)) {
      try {
        const { text: read, confidence, language } = await reader.readPicture(picture, signal, expected)
        const layer = layers.get(page)
        const text = layer === undefined ? read : linesBeyond(read, layer)
        if (text !== '') found.set(page, momentsOfPage(page, text, { model: reader.model, confidence, language }))
      } catch (error) {
        if (!(error instanceof AppError && error.status === 422)) throw error
        unreadable.push(page)
      }
      await rm(picture, { force: true })
      progress(++done / pages.length)
    }
    return { found, unreadable }
  }

  /** Texts as layers of the file hold them, and which pages are to be read as pictures. */
  const beginPdf = async (context: StepContext): Promise<ReadSoFar> => {
    const { moments, without, pictured, cutAt } = await readTextLayer(context)
    const little: ReadSoFar['little'] = [...without].map(([page, text]) => ({ page, text }))
    little.splice(limits.readPages, 0, ...[...pictured].map(([page, text]) => ({ page, text, isAdded: true })))
    return { moments, little, cutAt, done: 0, unreadable: 0 }
  }

  const readPdf = async (context: StepContext): Promise<StepOutcome> => {
    const { item, progress } = context
    const soFar = readCheckpoint(await results.checkpoint(item)) ?? (await beginPdf(context))
    const { moments, little, cutAt } = soFar
    let { done, unreadable } = soFar
    const reasonOff = reader.reasonOff()
    const added = little.filter(({ isAdded }) => isAdded).length
    const bare = little.length - added
    const readable = reasonOff === null ? Math.min(little.length, limits.readPages + added) : 0
    if (done < readable) {
      const turn = little.slice(done, Math.min(readable, done + limits.pagesInTurn))
      const ofAll = (fraction: number) => progress(0.5 + (0.5 * (done + turn.length * fraction)) / readable)
      ofAll(0)
      const pages = turn.map(({ page }) => page)
      const layers = new Map(turn.flatMap(({ page, text, isAdded }) => (isAdded ? [[page, text]] : [])))
      const read = await readDrawnPages({ ...context, progress: ofAll }, pages, layers)
      unreadable += read.unreadable.filter((page) => !layers.has(page)).length
      for (const { page, text, isAdded } of turn) {
        moments.push(...(read.found.get(page) ?? (isAdded ? [] : momentsOfLittle(page, text))))
      }
      done += turn.length
      if (done < readable) {
        await results.keepCheckpoint(item, { moments, little, cutAt, done, unreadable } satisfies ReadSoFar)
        return { engine: 'built-in', model: reader.model, isUnfinished: true }
      }
    }
    for (const { page, text, isAdded } of little.slice(done)) {
      if (!isAdded) moments.push(...momentsOfLittle(page, text))
    }
    // what was read of a picture stands behind the text of its page
    moments.sort((a, b) => (a.page ?? 0) - (b.page ?? 0))
    const notes: Sentence[] = []
    if (cutAt !== null) {
      const cut = `It is very long: only the text before page ${cutAt} can be found.`
      notes.push(say('long_until_page', { page: cutAt }, cut))
    }
    if (bare > 0 && reasonOff !== null) {
      const unread = `${pagesInWords(bare)} without text could not be read.`
      notes.push(say('pages_without_text', { count: bare }, unread), reasonOff)
    } else if (readable - added < bare) {
      const first = `Of ${bare} pages without text, the first ${readable - added} were read.`
      notes.push(say('pages_read', { count: bare, read: readable - added }, first))
    }
    if (unreadable > 0) {
      notes.push(say('pages_unread', { count: unreadable }, `${pagesInWords(unreadable)} could not be read.`))
    }
    const findings = [await results.replaceMoments(item, 'text', moments)]
    const model = readable > 0 ? reader.model : null
    return { engine: 'built-in', model, findings, ...(notes.length > 0 ? { note: sayAll(...notes) } : {}) }
  }

  const readText = async ({ item, filename, signal }: StepContext): Promise<StepOutcome> => {
    const encoding = await texts.encodingOf(filename, signal)
    let text = ''
    for await (const piece of texts.decode(filename, encoding, signal)) {
      text += piece
      if (text.length > limits.characters) break
    }
    const isCut = text.length > limits.characters
    const moments = chunksOf(text.slice(0, limits.characters).toWellFormed()).map(
      (chunk): NewMoment => ({ kind: 'text', ...chunk, engine: 'built-in', model: null, confidence: null }),
    )
    const findings = [await results.replaceMoments(item, 'text', moments)]
    const first = `Only its first ${limits.characters.toLocaleString('en')} characters can be found.`
    const note = say('long_characters', { count: limits.characters }, first)
    return { engine: 'built-in', model: null, findings, ...(isCut ? { note } : {}) }
  }

  const pages: Step = async ({ item, filename, scratch, signal, progress }) => {
    const count = item.pageCount ?? 1
    const numbers = Array.from({ length: Math.min(count, limits.drawnPages) }, (_, index) => index + 1)
    const options = { pages: numbers, widthPixels: THUMBNAIL_WIDTH, folder: scratch, signal }
    async function* parts(): AsyncGenerator<NewPart> {
      for await (const { page, filename: picture } of pdf.draw(filename, options)) {
        yield { kind: 'page', number: page, thumbnail: await images.thumbnail(picture) }
        await rm(picture, { force: true })
        progress(page / numbers.length)
      }
    }
    await results.replaceParts(item, 'page', parts())
    const first = `The first ${numbers.length} of ${count} pages have a small picture.`
    const note = say('pages_drawn', { count, drawn: numbers.length }, first)
    return { engine: null, model: null, ...(numbers.length < count ? { note } : {}) }
  }

  const paper = createPaperSteps({ results, papers, reader, images, thumbhashOf, fetchPicture: deps.fetchPicture })
  /** What is done with a document depends on as what it was taken in. */
  const choose = (ofPdf: Step, ofText: Step, ofPaper: Step): Step => {
    return (context) => (isPdf(context) ? ofPdf : paperFormatOf(context.item) === null ? ofText : ofPaper)(context)
  }

  return {
    inspect: choose(inspectPdf, inspectText, paper.inspect),
    read: choose(readPdf, readText, paper.read),
    pages: stepUnless(({ contentType }) => (contentType === PDF ? null : { skipped: NO_PAGES }), pages),
    embed,
  }
}

/** How far the reading of a PDF is. */
interface ReadSoFar {
  moments: NewMoment[]
  /** Pages that are to be read as pictures, with what text they have. */
  little: {
    page: number
    text: string
    /** It has its text, and is read for what stands in its pictures alone. */
    isAdded?: boolean
  }[]
  /** The first page too many. */
  cutAt: number | null
  /** How many of these pages were read as pictures, and how many of them could not be. */
  done: number
  unreadable: number
}

function readCheckpoint(kept: unknown): ReadSoFar | null {
  const soFar = kept as ReadSoFar | null
  return soFar !== null && typeof soFar.done === 'number' && Array.isArray(soFar.moments) ? soFar : null
}

function momentsOfLittle(page: number, text: string): NewMoment[] {
  return momentsOfPage(page, text, { model: null, confidence: null })
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []

/** Lines of a page that its text layer does not say: those of its pictures. */
function linesBeyond(read: string, layer: string): string {
  const known = new Set(wordsOf(layer))
  return read
    .split('\n')
    .filter((line) => {
      const words = wordsOf(line)
      return words.filter((word) => !known.has(word)).length * 2 > words.length
    })
    .join('\n')
}

function hasText(text: string): boolean {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length >= LEAST_LETTERS
}

function momentsOfPage(
  page: number,
  text: string,
  made: Pick<NewMoment, 'model' | 'confidence' | 'language'>,
): NewMoment[] {
  return chunksOf(text).map((chunk) => ({ kind: 'text', page, ...chunk, engine: 'built-in', ...made }))
}

function pagesInWords(count: number): string {
  return count === 1 ? 'One page' : `${count} pages`
}

async function drawn<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(page)
  return all
}
