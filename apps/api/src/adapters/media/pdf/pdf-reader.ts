import { join } from 'node:path'
import { type Sentence, say } from '@mira/shared'
import { UnavailableError, ValidationError } from '../../../errors.ts'
import type { Caging } from '../../process/caging.ts'
import type { Desk } from '../../process/desk.ts'
import type { ProcessLog } from '../../process/messages.ts'
import { TaskError } from '../../process/task-error.ts'
import { createTaskProcess } from '../../process/task-process.ts'
import type { DrawnPage, Pdf } from './pdf.ts'
import type { PdfTasks } from './pdf-process.ts'

export interface PdfReaderOptions {
  caging: Caging
  /** How long opening a file and finding its pages may take. */
  openTimeoutMs?: number
  /** How long one page may take. */
  pageTimeoutMs?: number
  /** How long pictures are looked for in a batch of pages: each is decoded for that. */
  lookMs?: number
  memoryLimitMb?: number
  mostWaiting?: number
  idleMs?: number
  warn?: ProcessLog
}

const PAGES_AT_ONCE = 20
const WIDEST_PIXELS = 1_600
const LOCKED = say(
  'content_locked',
  { kind: 'pdf' },
  'This PDF is locked with a password. Save a copy without one and upload that.',
)

/** PDFs through pdf-parse (pdf.js), with the fonts that come with it. */
export function createPdfReader({
  caging,
  openTimeoutMs = 60_000,
  pageTimeoutMs = 30_000,
  lookMs = 20_000,
  memoryLimitMb = 1_024,
  mostWaiting = 100,
  idleMs,
  warn,
}: PdfReaderOptions): Pdf {
  const child = createTaskProcess<PdfTasks>({
    caging,
    module: new URL('./pdf-process.ts', import.meta.url),
    name: 'pdf',
    memoryLimitMb,
    heapLimitMb: memoryLimitMb * 0.75,
    keepMb: memoryLimitMb / 2,
    mostWaiting,
    idleMs,
    warn,
  })

  /** What a process has piled up in hundreds of pages is no reason to refuse the next one: it gets a second, empty one. */
  const trying = async <T>(work: () => Promise<T>): Promise<T> => {
    const isFresh = child.pid() === null
    try {
      return await work()
    } catch (error) {
      if (isFresh || !(error instanceof TaskError) || error.reason !== 'memory') throw refusalOf(error)
    }
    return work().catch((error: unknown) => {
      throw refusalOf(error)
    })
  }

  const inspect: Pdf['inspect'] = (filename, signal) =>
    trying(() => child.run('inspect', lent(filename), { timeoutMs: openTimeoutMs, signal }))

  /** Which pages show pictures; null where they are too much to look at, which is no reason to lose the text. */
  const look = async (filename: string, pages: number[], most: number, signal: AbortSignal) => {
    const input = lent(filename, { pages, most, withinMs: lookMs })
    try {
      return await trying(() => child.run('pictured', input, { timeoutMs: lookMs + pageTimeoutMs, signal }))
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      warn?.({ err: error }, 'pictures of a PDF are not looked for: only its text is read')
      return null
    }
  }

  return {
    inspect,
    texts: async function* (filename, signal, { first: begin = 1, picturesWanted = () => 0 } = {}) {
      const { pageCount } = await inspect(filename, signal)
      let canLook = true
      for (let first = begin; first <= pageCount; first += PAGES_AT_ONCE) {
        const pages = Array.from(
          { length: Math.min(PAGES_AT_ONCE, pageCount - first + 1) },
          (_, index) => first + index,
        )
        const timeoutMs = openTimeoutMs + pageTimeoutMs
        const read = await trying(() => child.run('texts', lent(filename, { pages }), { timeoutMs, signal }))
        const withText = read.flatMap(({ page, text }) => (text === '' ? [] : [page]))
        const most: number = canLook ? picturesWanted() : 0
        const isWorth = most > 0 && withText.length > 0
        const pictured: number[] | null = isWorth ? await look(filename, withText, most, signal) : []
        canLook &&= pictured !== null
        yield read.map((one) => (pictured?.includes(one.page) ? { ...one, hasPicture: true as const } : one))
      }
    },
    draw: async function* (filename, { pages, widthPixels, folder, signal }) {
      for (const page of pages) {
        const width = Math.min(widthPixels, WIDEST_PIXELS)
        const input = async (desk: Desk) => ({
          filename: await desk.lend(filename),
          folder: desk.made,
          page,
          widthPixels: width,
        })
        const collect = async (drawn: DrawnPage, desk: Desk) => {
          const taken = join(folder, `page-${page}.png`)
          await desk.take(drawn.filename, taken)
          return { ...drawn, filename: taken }
        }
        const timeoutMs = openTimeoutMs + pageTimeoutMs
        yield await trying(() => child.run('draw', input, { timeoutMs, signal, collect }))
      }
    },
    close: () => child.close(),
  }
}

function lent<More extends object>(filename: string, more?: More) {
  return async (desk: Desk) => ({ filename: await desk.lend(filename), ...(more as More) })
}

/** What went wrong, for a person. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof TaskError)) return error
  const kind = 'pdf'
  const damaged = (sentence: Sentence) => new ValidationError(sentence, { code: 'damaged_document', cause: error })
  switch (error.reason) {
    case 'failed':
      if (error.code === 'encrypted_document') {
        return new ValidationError(LOCKED, { code: error.code, cause: error })
      }
      return error.code === 'damaged_document'
        ? damaged(say('content_damaged', { kind }, 'This PDF is damaged: it cannot be read.'))
        : error
    case 'timeout':
      return damaged(say('content_slow', { kind }, 'This PDF takes too long to read.'))
    case 'memory':
      return damaged(say('content_memory', { kind }, 'This PDF takes too much memory to read.'))
    case 'crashed':
      return damaged(say('content_crashed', { kind }, 'This PDF is damaged: what reads it stopped.'))
    default:
      return new UnavailableError(
        say('reading_later', { kind }, 'PDFs cannot be read right now. Try again in a moment.'),
        {
          retryAfterSeconds: 30,
          cause: error,
        },
      )
  }
}
