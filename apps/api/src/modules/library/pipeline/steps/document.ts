import { createHash } from 'node:crypto'
import { cutText } from '@mira/shared/constants/cut-text'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import { isCalendar, linesOfCalendar, withoutFiles } from '../../../../parsers/office/calendar.ts'
import { texts } from '../../../../parsers/text-decoder.ts'
import { withoutAttachments } from '../../../../parsers/video/subtitles.ts'
import type { WebFetcher } from '../../../../platform/net/web-fetcher.ts'
import { say } from '../../../../sentences.ts'
import { type NewMoment, type Step, type StepContext, type StepOutcome, type Steps, stepUnless } from '../step.ts'
import { chunksOf, type EmbedSteps, MAX_CHARACTERS } from './embed.ts'
import { createPdfSteps, type PdfStepsDeps } from './pdf.ts'
import type { SubtitleFiles } from './subtitle-files.ts'
import { createTextDocumentSteps, documentFormatOf } from './text-documents.ts'

export interface DocumentStepsDeps extends PdfStepsDeps {
  pictures: PictureProcesses
  subtitleFiles: Pick<SubtitleFiles, 'wordsOf' | 'enqueueTranscriptions'>
  fetcher: WebFetcher
  embedSteps: EmbedSteps
}

const NO_PAGES = say('text_without_pages', {})
const PDF = 'application/pdf'
const TIFF = 'image/tiff'
/** Large enough to read a page of a TIFF file, since no browser shows the file itself. */
const TIFF_PICTURE_SIDE = 1_400

/** Length of `BEGIN:VCALENDAR`, which may be split between two pieces. */
const CALENDAR_PREFIX_LENGTH = 15

/** Lines to show for a calendar or an address book; null for any other text. */
async function calendarLines(filename: string, encoding: string, signal: AbortSignal): Promise<string | null> {
  let text = ''
  for await (const piece of withoutFiles(texts.decode(filename, encoding, signal))) {
    text = (text + piece).trimStart()
    if (text.length >= CALENDAR_PREFIX_LENGTH && !isCalendar(text)) return null
    if (text.length > MAX_CHARACTERS) break
  }
  return linesOfCalendar(text)
}

/** Steps for a document. */
export function createDocumentSteps(deps: DocumentStepsDeps): Steps['document'] {
  const { results, pictures, subtitleFiles, embedSteps } = deps
  const pdf = createPdfSteps(deps)
  const tiff = createPdfSteps({ ...deps, pdf: pictures.tiffs, pictureSide: TIFF_PICTURE_SIDE })

  const inspectText: Step = async ({ item, filename, signal }) => {
    const encoding = await texts.encodingOf(filename, signal)
    const contentType = 'text/plain; charset=utf-8'
    let characters = 0
    const hash = createHash('sha256')
    for await (const piece of texts.decode(filename, encoding, signal)) {
      characters += piece.length
      hash.update(piece)
    }
    const lines = await calendarLines(filename, encoding, signal)
    async function* utf8Chunks(): AsyncGenerator<Buffer> {
      if (lines !== null) return yield Buffer.from(lines)
      for await (const piece of texts.decode(filename, encoding, signal)) yield Buffer.from(piece)
    }
    const preview =
      lines === null && hash.digest('hex') === item.sha256
        ? results.showOriginal(item, contentType)
        : await results.setCopy(item, 'preview', { content: utf8Chunks(), contentType })
    return { engine: null, model: null, facts: { details: { encoding, characters } }, findings: [preview] }
  }

  const readText = async ({ item, filename, signal }: StepContext): Promise<StepOutcome> => {
    const encoding = await texts.encodingOf(filename, signal)
    let text = ''
    for await (const piece of withoutAttachments(withoutFiles(texts.decode(filename, encoding, signal)))) {
      text += piece
      if (text.length > MAX_CHARACTERS) break
    }
    const isCut = text.length > MAX_CHARACTERS
    const subtitles = subtitleFiles.wordsOf(item, text)
    if (subtitles !== null) await subtitleFiles.enqueueTranscriptions(item)
    const words = subtitles ?? (await linesOfCalendar(text))
    const moments = chunksOf(cutText(words ?? text, MAX_CHARACTERS).toWellFormed()).map(
      (chunk): NewMoment => ({ kind: 'text', ...chunk, engine: 'built-in', model: null, confidence: null }),
    )
    const findings = [await results.replaceMoments(item, 'text', moments)]
    const note = say('long_characters', { count: MAX_CHARACTERS })
    return { engine: 'built-in', model: null, findings, ...(isCut ? { note } : {}) }
  }

  const textDocument = createTextDocumentSteps(deps)
  /** Chooses the step by the document's format. */
  const choose = (step: 'inspect' | 'read', textStep: Step): Step => {
    return (context) => {
      if (context.item.contentType === PDF) return pdf[step](context)
      if (context.item.contentType === TIFF) return tiff[step](context)
      return documentFormatOf(context.item) === null ? textStep(context) : textDocument[step](context)
    }
  }
  const pages: Step = (context) => (context.item.contentType === TIFF ? tiff : pdf).pages(context)
  const pagedTypes = [PDF, TIFF]

  return {
    inspect: choose('inspect', inspectText),
    read: choose('read', readText),
    pages: stepUnless(({ contentType }) => (pagedTypes.includes(contentType) ? null : { skipped: NO_PAGES }), pages),
    embed: embedSteps.embed,
  }
}
