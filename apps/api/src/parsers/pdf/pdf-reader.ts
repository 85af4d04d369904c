import { join } from 'node:path'
import { ValidationError } from '../../errors.ts'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import { refusedDocument } from '../../platform/sandbox/refused-files.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import type { TaskFolder } from '../../platform/sandbox/task-folder.ts'
import { createTaskPool } from '../../platform/sandbox/task-pool.ts'
import type { DrawnPage, PdfAttachment, PdfReader } from './pdf.ts'
import type { PdfTasks } from './pdf-process.ts'

export interface PdfReaderOptions {
  sandboxing: Sandboxing
  /** Time limit for opening a file and finding its pages. */
  openTimeoutMs?: number
  /** Time limit for one page. */
  pageTimeoutMs?: number
  /** Time limit for finding pictures in a batch of pages, which decodes each page. */
  pictureSearchMs?: number
  memoryLimitMb?: number
  idleMs?: number
  warn?: ProcessLog
}

const PAGES_AT_ONCE = 20
const MAX_WIDTH_PIXELS = 1_600

/** Reader of PDFs, by pdf-parse (pdf.js) with the fonts that come with it; pdf-process.ts reads and draws the pages. */
export function createPdfReader({
  sandboxing,
  openTimeoutMs = 60_000,
  pageTimeoutMs = 30_000,
  pictureSearchMs = 20_000,
  memoryLimitMb = 1_024,
  idleMs,
  warn,
}: PdfReaderOptions): PdfReader {
  const pool = createTaskPool<PdfTasks>({
    size: 1,
    sandboxing,
    module: new URL('./pdf-process.ts', import.meta.url),
    name: 'pdf',
    memoryLimitMb,
    heapLimitMb: memoryLimitMb * 0.75,
    keepMb: memoryLimitMb / 2,
    maxWaitingPerUser: 100,
    idleMs,
    warn,
  })

  const run: typeof pool.run = (...task) =>
    pool.run(...task).catch((error: unknown) => {
      throw error instanceof TaskError ? refusedDocument(error, 'pdf') : error
    })

  const inspect: PdfReader['inspect'] = (filename, signal) =>
    run('inspect', inputFor(filename), { timeoutMs: openTimeoutMs, signal })

  /** Pages that show pictures; null when the file makes the search fail or take too long, so that its text isn't lost. */
  const findPictured = async (filename: string, pages: number[], max: number, signal: AbortSignal) => {
    const input = inputFor(filename, { pages, max, withinMs: pictureSearchMs })
    try {
      return await run('pictured', input, { timeoutMs: pictureSearchMs + pageTimeoutMs, signal })
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      warn?.({ err: error }, "couldn't search a PDF for pictures: only its text is read")
      return null
    }
  }

  return {
    inspect,
    texts: async function* (filename, signal, { first: firstPage = 1, picturesWanted = () => 0 } = {}) {
      const { pageCount } = await inspect(filename, signal)
      let canSearch = true
      for (let first = firstPage; first <= pageCount; first += PAGES_AT_ONCE) {
        const pages = Array.from(
          { length: Math.min(PAGES_AT_ONCE, pageCount - first + 1) },
          (_, index) => first + index,
        )
        const timeoutMs = openTimeoutMs + pageTimeoutMs
        const readPages = await run('texts', inputFor(filename, { pages }), { timeoutMs, signal })
        const withText = readPages.flatMap(({ page, text, isGarbled }) => (text === '' || isGarbled ? [] : [page]))
        const max: number = canSearch ? picturesWanted() : 0
        const isWorthwhile = max > 0 && withText.length > 0
        const pictured: number[] | null = isWorthwhile ? await findPictured(filename, withText, max, signal) : []
        canSearch &&= pictured !== null
        yield readPages.map((page) => (pictured?.includes(page.page) ? { ...page, hasPicture: true as const } : page))
      }
    },
    draw: async function* (filename, { pages, widthPixels, folder, signal }) {
      for (const page of pages) {
        const width = Math.min(widthPixels, MAX_WIDTH_PIXELS)
        const input = async (taskFolder: TaskFolder) => ({
          filename: await taskFolder.provide(filename),
          folder: taskFolder.outputFolder,
          page,
          widthPixels: width,
        })
        const collect = async (drawnPage: DrawnPage, taskFolder: TaskFolder) => {
          const pageFile = join(folder, `page-${page}.png`)
          await taskFolder.take(drawnPage.filename, pageFile)
          return { ...drawnPage, filename: pageFile }
        }
        const timeoutMs = openTimeoutMs + pageTimeoutMs
        yield await run('draw', input, { timeoutMs, signal, collect })
      }
    },
    attachments: (filename, { folder, signal }) => {
      const input = async (taskFolder: TaskFolder) => ({
        filename: await taskFolder.provide(filename),
        folder: taskFolder.outputFolder,
      })
      const collect = async (attached: PdfAttachment[], taskFolder: TaskFolder) => {
        const attachments: PdfAttachment[] = []
        for (const [index, one] of attached.entries()) {
          if ('text' in one) attachments.push(one)
          else {
            const path = join(folder, `pdf-attachment-${index + 1}`)
            await taskFolder.take(one.filename, path)
            attachments.push({ ...one, filename: path })
          }
        }
        return attachments
      }
      const timeoutMs = openTimeoutMs + pageTimeoutMs
      return run('attachments', input, { timeoutMs, signal, collect })
    },
    close: () => pool.close(),
  }
}

function inputFor<More extends object>(filename: string, more?: More) {
  return async (taskFolder: TaskFolder) => ({ filename: await taskFolder.provide(filename), ...(more as More) })
}
