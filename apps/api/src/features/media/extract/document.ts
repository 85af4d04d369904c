import { rm } from 'node:fs/promises'
import { setImmediate as giveWay } from 'node:timers/promises'
import type { Images } from '../../../adapters/media/image.ts'
import type { Pdf } from '../../../adapters/media/pdf.ts'
import type { Texts } from '../../../adapters/media/text.ts'
import { AppError } from '../../../errors.ts'
import type { NewMoment, NewPart, Results, Step, StepContext, StepOutcome, Steps } from '../processing.ts'
import { passagesOf } from './passages.ts'
import type { Reader } from './read.ts'

export interface DocumentStepsDeps {
  results: Results
  images: Pick<Images, 'thumbnail'>
  thumbhashOf(thumbnail: Uint8Array): Promise<string>
  pdf: Pdf
  texts: Texts
  reader: Reader
  /** Makes the texts of an item findable by meaning. */
  embed: Step
  limits?: Partial<DocumentLimits>
}

export interface DocumentLimits {
  /** Pages without text that are read as pictures; each takes about a second. */
  readPages: number
  /** Pages that get a small picture. */
  drawnPages: number
  /** Of a document, from its beginning: a small file may unpack to more than any memory holds. */
  characters: number
  /** Pages whose text is looked at. */
  textPages: number
}

const usualLimits: DocumentLimits = {
  readPages: 200,
  drawnPages: 200,
  characters: 5_000_000,
  textPages: 10_000,
}
/** A page with less than this has a number or a stamp, and its text is in a picture. */
const LEAST_LETTERS = 16
const READING_WIDTH = 1600
const THUMBNAIL_WIDTH = 512
const NO_PAGES = 'A text has no pages.'

/** What is done with a document. */
export function createDocumentSteps(deps: DocumentStepsDeps): Steps['document'] {
  const { results, images, thumbhashOf, pdf, texts, reader, embed } = deps
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
    await results.describe(item, { pageCount, details })
    const [first] = await drawn(
      pdf.draw(filename, { pages: [1], widthPixels: THUMBNAIL_WIDTH, folder: scratch, signal }),
    )
    if (first) {
      const thumbnail = await images.thumbnail(first.filename)
      await results.setCopy(item, 'thumbnail', { ...thumbnail, content: thumbnail.data })
      await results.describe(item, { thumbhash: await thumbhashOf(thumbnail.data) })
    }
    return { engine: null, model: null }
  }

  const inspectText: Step = async ({ item, filename, signal }) => {
    const encoding = await texts.encodingOf(filename, signal)
    let characters = 0
    async function* inUtf8() {
      for await (const piece of texts.decode(filename, encoding, signal)) {
        characters += piece.length
        yield Buffer.from(piece)
      }
    }
    await results.setCopy(item, 'preview', { content: inUtf8(), contentType: 'text/plain; charset=utf-8' })
    await results.describe(item, { details: { encoding, characters } })
    return { engine: null, model: null }
  }

  /** The text of pages, and which have hardly any, with what little they have; `cutAt` is the first page too many. */
  const readTextLayer = async ({ item, filename, signal, progress }: StepContext) => {
    const moments: NewMoment[] = []
    const without = new Map<number, string>()
    let characters = 0
    for await (const batch of pdf.texts(filename, signal)) {
      for (const { page, text } of batch) {
        characters += text.length
        if (characters > limits.characters || page > limits.textPages) return { moments, without, cutAt: page }
        if (hasText(text)) moments.push(...momentsOfPage(page, text, { model: null, confidence: null }))
        else without.set(page, text)
        progress((0.5 * page) / Math.max(page, item.pageCount ?? page))
      }
      await giveWay()
    }
    return { moments, without, cutAt: null }
  }

  /** Reads pages as pictures; a page that cannot be read is told of. */
  const readDrawnPages = async (
    { filename, scratch, language: expected, signal, progress }: StepContext,
    pages: number[],
  ) => {
    const found = new Map<number, NewMoment[]>()
    const unreadable: number[] = []
    let done = 0
    const options = { pages, widthPixels: READING_WIDTH, folder: scratch, signal }
    for await (const { page, filename: picture } of pdf.draw(filename, options)) {
      try {
        const { text, confidence, language } = await reader.readPicture(picture, signal, expected)
        if (text !== '') found.set(page, momentsOfPage(page, text, { model: reader.model, confidence, language }))
      } catch (error) {
        if (!(error instanceof AppError && error.status === 422)) throw error
        unreadable.push(page)
      }
      await rm(picture, { force: true })
      progress(0.5 + (0.5 * ++done) / pages.length)
    }
    return { found, unreadable }
  }

  const readPdf = async (context: StepContext): Promise<StepOutcome> => {
    const { moments, without, cutAt } = await readTextLayer(context)
    const reasonOff = reader.reasonOff()
    const notes: string[] = []
    if (cutAt !== null) notes.push(`It is very long: only the text before page ${cutAt} can be found.`)
    let drawnTexts = new Map<number, NewMoment[]>()
    if (without.size > 0 && reasonOff !== null) {
      notes.push(`${pagesInWords(without.size)} without text could not be read. ${reasonOff}`)
    } else if (without.size > 0) {
      const pages = [...without.keys()].slice(0, limits.readPages)
      const { found, unreadable } = await readDrawnPages(context, pages)
      drawnTexts = found
      if (pages.length < without.size) {
        notes.push(`Of ${without.size} pages without text, the first ${pages.length} were read.`)
      }
      if (unreadable.length > 0) notes.push(`${pagesInWords(unreadable.length)} could not be read.`)
    }
    for (const [page, text] of without) {
      moments.push(...(drawnTexts.get(page) ?? momentsOfPage(page, text, { model: null, confidence: null })))
    }
    await results.replaceMoments(context.item, 'text', moments)
    const model = without.size > 0 && reasonOff === null ? reader.model : null
    return { engine: 'built-in', model, ...(notes.length > 0 ? { note: notes.join(' ') } : {}) }
  }

  const readText = async ({ item, filename, signal }: StepContext): Promise<StepOutcome> => {
    const encoding = await texts.encodingOf(filename, signal)
    let text = ''
    for await (const piece of texts.decode(filename, encoding, signal)) {
      text += piece
      if (text.length > limits.characters) break
    }
    const isCut = text.length > limits.characters
    const moments = passagesOf(text.slice(0, limits.characters).toWellFormed()).map(
      (passage): NewMoment => ({ kind: 'text', ...passage, engine: 'built-in', model: null, confidence: null }),
    )
    await results.replaceMoments(item, 'text', moments)
    const note = `Only its first ${limits.characters.toLocaleString('en')} characters can be found.`
    return { engine: 'built-in', model: null, ...(isCut ? { note } : {}) }
  }

  const pages: Step = async (context) => {
    if (!isPdf(context)) return { engine: null, model: null, skipped: NO_PAGES }
    const { item, filename, scratch, signal, progress } = context
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
    const note = `The first ${numbers.length} of ${count} pages have a small picture.`
    return { engine: null, model: null, ...(numbers.length < count ? { note } : {}) }
  }

  return {
    inspect: (context) => (isPdf(context) ? inspectPdf(context) : inspectText(context)),
    read: (context) => (isPdf(context) ? readPdf(context) : readText(context)),
    pages,
    embed,
  }
}

function hasText(text: string): boolean {
  return text.replace(/[^\p{L}\p{N}]/gu, '').length >= LEAST_LETTERS
}

function momentsOfPage(
  page: number,
  text: string,
  made: Pick<NewMoment, 'model' | 'confidence' | 'language'>,
): NewMoment[] {
  return passagesOf(text).map((passage) => ({ kind: 'text', page, ...passage, engine: 'built-in', ...made }))
}

function pagesInWords(count: number): string {
  return count === 1 ? 'One page' : `${count} pages`
}

async function drawn<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(page)
  return all
}
