import { join } from 'node:path'
import { UnavailableError, ValidationError } from '../../errors.ts'
import { loadOnce } from '../../platform/lib/load-once.ts'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import type { TaskFolder } from '../../platform/sandbox/task-folder.ts'
import { createTaskPool } from '../../platform/sandbox/task-pool.ts'
import { say } from '../../sentences.ts'
import { READABLE_LONGEST_SIDE } from '../ocr/ocr.ts'
import type { DrawnPage, PdfReader } from '../pdf/pdf.ts'
import type { NewPicture } from './new-picture.ts'
import { pictureParams } from './phone/picture-problem.ts'
import type { PictureTasks } from './picture-process.ts'
import type { Images, ThumbnailOptions } from './picture-reader.ts'
import type { Pixels } from './pixels.ts'
import type { ReadablePixels } from './readable-pixels.ts'
import type { ImageSource } from './upright-picture.ts'

/** Work on untrusted pictures, in separate processes. */
export interface PictureProcesses {
  images: Images
  pixels: Pixels
  /** Inspects a new picture and makes its thumbnail and preview in one task. @throws as Images.thumbnail does. */
  readNewPicture(filename: string, sizeBytes: number): Promise<NewPicture>
  /**
   * Writes the pixels of a picture for OCR, as `readablePixels` decodes them, into a file.
   * @throws TaskError, with the code damaged_image when it can't be decoded.
   */
  readablePixels(
    filename: string,
    options: { into: string; longestSide: number; signal: AbortSignal },
  ): Promise<ReadablePixels>
  /** Pages of TIFF files with the interface of PDFs; none has a text layer. */
  tiffs: Omit<PdfReader, 'close'>
  thumbhashOf(thumbnail: Uint8Array): Promise<string>
  contrastOf(filename: string): Promise<number>
  close(): Promise<void>
}

interface PictureProcessesOptions {
  sandboxing: Sandboxing
  /** Number of pictures read at once. */
  atOnce?: number
  /** Maximum number of one user's pictures that wait. */
  maxWaitingPerUser?: number
  warn?: ProcessLog | undefined
}

/** sharp and the BMP decoder time out earlier. */
const TIMEOUT_MS = 45_000
/** Encoding 50 megapixels as AVIF takes a while. */
const CONVERSION_TIMEOUT_MS = 180_000
/** A picture of 50 megapixels and its derived pixels. */
const MEMORY_LIMIT_MB = 1_500
const KEEP_MB = 400

/** Picture processes, each of which only sees its current picture. */
export function createPictureProcesses({
  sandboxing,
  atOnce = 2,
  maxWaitingPerUser = 100,
  warn,
}: PictureProcessesOptions): PictureProcesses {
  const poolOf = (name: string, size: number) =>
    createTaskPool<PictureTasks>({
      sandboxing,
      name,
      size,
      warn,
      maxWaitingPerUser,
      module: new URL('./picture-process.ts', import.meta.url),
      memoryLimitMb: MEMORY_LIMIT_MB,
      keepMb: KEEP_MB,
      niceness: 0,
    })
  const readerPool = poolOf('The picture reader', atOnce)
  // A separate pool, so that lists of pictures don't wait for effects.
  const effectsPool = poolOf('The picture reader for effects', 1)

  const inputOf = (source: ImageSource, options: ThumbnailOptions | undefined) => async (taskFolder: TaskFolder) => ({
    source: typeof source === 'string' ? await taskFolder.provide(source) : source,
    options,
  })
  const limits = { timeoutMs: TIMEOUT_MS }

  const tiffs: PictureProcesses['tiffs'] = {
    inspect: async (filename, signal) => {
      const input = async (taskFolder: TaskFolder) => ({ filename: await taskFolder.provide(filename) })
      const pageCount = await withPlainErrors(readerPool.run('tiffPageCount', input, { ...limits, signal }))
      return { pageCount, title: null, author: null, createdAt: null }
    },
    attachments: async () => [],
    texts: async function* (filename, signal, { first = 1 } = {}) {
      const { pageCount } = await tiffs.inspect(filename, signal)
      yield Array.from({ length: pageCount - first + 1 }, (_, n) => ({ page: first + n, text: '' }))
    },
    draw: async function* (filename, { pages, widthPixels, folder, signal }) {
      for (const page of pages) {
        const into = join(folder, `page-${page}.png`)
        const input = async (taskFolder: TaskFolder) => ({
          filename: await taskFolder.provide(filename),
          into: join(taskFolder.outputFolder, DRAWN),
          ...{ page, widthPixels },
        })
        const collect = async (page: DrawnPage, taskFolder: TaskFolder) => {
          await taskFolder.take(DRAWN, into)
          return { ...page, filename: into }
        }
        yield await withPlainErrors(readerPool.run('drawTiffPage', input, { ...limits, signal, collect }))
      }
    },
  }

  const pixels: Pixels = {
    // our own pictures are trusted
    encodePng: async (picture) => (await encoding()).encodePng(picture),
    joinPng: async (picture, rows) => (await encoding()).joinPng(picture, rows),

    decode: (filename, options = {}) =>
      withPlainErrors(
        effectsPool.run(
          'decode',
          async (taskFolder) => ({
            filename: await taskFolder.provide(filename),
            into: join(taskFolder.outputFolder, PIXELS),
            ...options,
          }),
          { ...limits, collect: withPixels },
        ),
      ) as Promise<Awaited<ReturnType<Pixels['decode']>>>,

    encodePreview: (picture) => withPlainErrors(effectsPool.run('preview', picture, limits)),

    convert: (filename, format) =>
      withPlainErrors(
        effectsPool.run('convert', async (taskFolder) => ({ filename: await taskFolder.provide(filename), format }), {
          timeoutMs: CONVERSION_TIMEOUT_MS,
        }),
      ),
  }

  return {
    images: {
      readImage: (source, options) =>
        withPlainErrors(readerPool.run('readImage', inputOf(source, options), limits), options?.label),
      shrinkForModel: (source, options) =>
        withPlainErrors(readerPool.run('shrinkForModel', inputOf(source, options), limits), options?.label),
      thumbnail: (source, options) =>
        withPlainErrors(readerPool.run('thumbnail', inputOf(source, options), limits), options?.label),
    },
    pixels,
    tiffs,
    readNewPicture: (filename, sizeBytes) =>
      withPlainErrors(
        readerPool.run(
          'newPicture',
          async (taskFolder) => ({ filename: await taskFolder.provide(filename), sizeBytes }),
          limits,
        ),
      ),
    readablePixels: (filename, { into, longestSide, signal }) => {
      const input = async (taskFolder: TaskFolder) => ({
        filename: await taskFolder.provide(filename),
        into: join(taskFolder.outputFolder, PIXELS),
        longestSide,
      })
      const collect = async (pixels: ReadablePixels, taskFolder: TaskFolder) => {
        await taskFolder.take(PIXELS, into, bytesOf(pixels))
        return pixels
      }
      return readerPool.run('readablePixels', input, { ...limits, signal, collect })
    },
    thumbhashOf: (picture) => withPlainErrors(readerPool.run('thumbhash', { picture }, limits)),
    contrastOf: (filename) =>
      withPlainErrors(
        readerPool.run('contrast', async (taskFolder) => ({ filename: await taskFolder.provide(filename) }), limits),
      ),
    close: async () => {
      await Promise.all([readerPool.close(), effectsPool.close()])
    },
  }
}

const encoding = loadOnce(async () => (await import('./encode-picture.ts')).pictureEncoding)

const PIXELS = 'pixels'
const DRAWN = 'page.png'
/** The largest pictures have 50 megapixels of four bytes. */
const MAX_PIXEL_BYTES = 400_000_000

/**
 * Size in bytes of a picture's pixels. Checks the dimensions, since a compromised process may return any, and OCR reads all
 * users' pictures in one process.
 * @throws Error for impossible dimensions.
 */
function bytesOf({ width, height, isTall }: ReadablePixels): number {
  const isPlausible = [width, height].every((side) => Number.isInteger(side) && side > 0)
  if (
    isPlausible &&
    (isTall ? width * height * 3 <= MAX_PIXEL_BYTES : Math.max(width, height) <= READABLE_LONGEST_SIDE)
  ) {
    return width * height * 3
  }
  throw new Error('A picture process returned an impossible size.')
}

/** Joins pixels with their metadata. */
async function withPixels<Picture>(
  picture: Picture,
  taskFolder: TaskFolder,
): Promise<Picture & { data: Uint8ClampedArray }> {
  const { buffer, byteOffset, length } = await taskFolder.read(PIXELS, MAX_PIXEL_BYTES)
  return { ...picture, data: new Uint8ClampedArray(buffer, byteOffset, length) }
}

/** Converts errors of the process into errors for the user; errors about the picture pass through. */
async function withPlainErrors<Result>(work: Promise<Result>, label?: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    const damaged = (code: 'content_slow' | 'content_memory' | 'content_crashed') =>
      new ValidationError(say(code, pictureParams(label)), { code: 'damaged_image', cause: error })
    if (error.reason === 'timeout') throw damaged('content_slow')
    if (error.reason === 'memory') throw damaged('content_memory')
    if (error.reason === 'crashed') throw damaged('content_crashed')
    if (error.reason === 'failed') throw error
    throw new UnavailableError(say('reading_later', { kind: 'picture' }), {
      ...(error.reason === 'busy' ? { code: 'busy', retryAfterSeconds: 5 } : { retryAfterSeconds: 30 }),
      cause: error,
    })
  }
}
