import { createWorker, OEM, type RecognizeOptions, type Worker } from 'tesseract.js'
import { encodeGrey, type GreyPicture } from './ocr-picture.ts'
import { type OcrWord, parseOcrWords } from './ocr-words.ts'

/** Language data of the engine: files `<code>.traineddata.gz` in a folder, the most expected language first. */
export interface OcrData {
  folder: string
  codes: string[]
}

/** The engine doesn't start; nothing is wrong with the picture. */
class EngineStartError extends Error {
  readonly code = 'engine_failed'
}

/** Tesseract, kept between pictures because it's slow to start and to change its language. */
export interface OcrEngine {
  /**
   * Words of a picture; null on a timeout, after which the engine restarts.
   * @param options.expected codes of the expected languages; all when undefined.
   * @throws EngineStartError; Tesseract's errors.
   */
  recognise(
    picture: GreyPicture,
    options: { data: OcrData; limitMs: number; expected?: string[]; isOneLine?: boolean },
  ): Promise<OcrWord[] | null>
}

/** Tesseract's mode that detects columns, paragraphs and lines, including vertical ones. */
const AUTOMATIC_SEGMENTATION = '3'
const ONE_LINE = '7'
const START_TIMEOUT_MS = 20_000

/** Key of the engine for several languages at once. */
const SEVERAL = 'several'

/**
 * Tesseract in worker threads, which can be terminated in the middle of a picture. Each language has its own thread, since lines
 * are read in one language after the other and changing it takes longer than reading a line. One more reads several at once.
 */
export function createOcrEngine(): OcrEngine {
  const engines = new Map<string, { folder: string; codes: string; worker: Worker }>()

  const terminate = async (language: string) => {
    const engine = engines.get(language)
    engines.delete(language)
    await engine?.worker.terminate()
  }

  const workerFor = async (language: string, folder: string, expected: string[]): Promise<Worker> => {
    const codes = expected.join('+')
    if (engines.get(language)?.folder !== folder) await terminate(language)
    const engine = engines.get(language) ?? { folder, codes, worker: await startWorker(folder, expected) }
    engines.set(language, engine)
    if (engine.codes !== codes) {
      await engine.worker.reinitialize(codes)
      engine.codes = codes
    }
    return engine.worker
  }

  return {
    recognise: async (picture, { data, limitMs, expected = data.codes, isOneLine = false }) => {
      const language = expected.length > 1 ? SEVERAL : expected.join()
      const worker = await workerFor(language, data.folder, expected)
      const segmentation = isOneLine ? ONE_LINE : AUTOMATIC_SEGMENTATION
      const options = { tessedit_pageseg_mode: segmentation } as Partial<RecognizeOptions>
      const { promise: timeout, resolve } = Promise.withResolvers<null>()
      const timer = setTimeout(() => resolve(null), limitMs)
      try {
        const result = await Promise.race([
          worker.recognize(encodeGrey(picture), options, { text: false, tsv: true }),
          timeout,
        ])
        if (result !== null) return parseOcrWords(result.data.tsv ?? '')
      } finally {
        clearTimeout(timer)
      }
      await terminate(language)
      return null
    },
  }
}

/**
 * Starts a worker. Without an error handler, tesseract.js throws uncaught errors; with one, its promise may never settle, so the
 * first error or the timeout rejects.
 */
async function startWorker(folder: string, codes: string[]): Promise<Worker> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new EngineStartError('it did not start in time')), START_TIMEOUT_MS)
  const starting = createWorker([...codes], OEM.LSTM_ONLY, {
    langPath: folder,
    cacheMethod: 'none',
    errorHandler: (reason: unknown) => reject(new EngineStartError(String(reason))),
  })
  // Either may still reject after the other has.
  starting.catch(() => {})
  failed.catch(() => {})
  return Promise.race([starting, failed]).finally(() => clearTimeout(timer))
}
