import { copyFile, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Check } from '@mira/shared'
import { UnavailableError, ValidationError } from '../../errors.ts'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import type { TaskFolder } from '../../platform/sandbox/task-folder.ts'
import { createTaskProcess } from '../../platform/sandbox/task-process.ts'
import type { WithTempFolder } from '../../platform/storage/scratch.ts'
import { asStorageError } from '../../platform/storage/whole-file.ts'
import { asReason, say } from '../../sentences.ts'
import type { PictureProcesses } from '../image/picture-processes.ts'
import { codeByLanguage, DETECTION_SIDE, type Ocr, READABLE_LONGEST_SIDE, type ReadText } from './ocr.ts'
import type { OcrTasks, PixelFile } from './ocr-process.ts'
import { canRunTextModels } from './text-models.ts'

interface TesseractOptions {
  sandboxing: Sandboxing
  pictures: Pick<PictureProcesses, 'readablePixels'>
  withTempFolder: WithTempFolder
  /** Folder for the language data only, which the engine needs in one place. */
  folder: string
  /** Time limit for one picture. */
  timeoutMs?: number
  memoryLimitMb?: number
  idleMs?: number
  warn?: ProcessLog
}

const TESSERACT = 'tesseract 5 (best_int)'
const WITH_PADDLE = `PP-OCRv4 and ${TESSERACT}`
const codeByName: Record<string, string> = codeByLanguage
const allCodes = Object.values(codeByName)
const findPackage = createRequire(import.meta.url)

/**
 * Reads text in pictures with PaddleOCR's networks and tesseract.js. Their data for four languages come from npm: nothing
 * is downloaded at run time. When the networks can't run, Tesseract reads alone, and `model` says so.
 */
export function createTesseractOcr({
  sandboxing,
  pictures,
  withTempFolder,
  folder,
  timeoutMs = 120_000,
  memoryLimitMb = 1_280,
  idleMs,
  warn,
}: TesseractOptions): Ocr {
  const child = createTaskProcess<OcrTasks>({
    isForEverybody: true,
    sandboxing,
    reads: [folder],
    module: new URL('./ocr-process.ts', import.meta.url),
    name: 'ocr',
    memoryLimitMb,
    keepMb: 850,
    maxWaitingPerUser: 100,
    idleMs,
    warn,
  })
  // What's installed decides until the first picture has been read.
  let model = canRunTextModels() ? WITH_PADDLE : TESSERACT
  let check: Check = { state: 'ok', engine: 'built-in', model }
  let gathering: Promise<void> | undefined

  /** Gathers the data in the folder, once; after a failure, the next call tries again. */
  const gatherData = async () => {
    gathering ??= gatherOcrData(folder)
    try {
      await gathering
    } catch (error) {
      gathering = undefined
      throw unavailable(error)
    }
  }

  const unavailable = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    const sentence = say('ocr_failed', { said: message })
    check = { state: 'error', engine: 'built-in', model, ...asReason(sentence) }
    return new UnavailableError(sentence, { cause: error })
  }

  const withUserErrors = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof TaskError && (error.reason === 'unstartable' || error.code === 'engine_failed')) {
        throw unavailable(error)
      }
      throw refusalOf(error)
    }
  }

  /** Remembers which model did the reading. */
  const recordModel = async (work: Promise<ReadText & { hasTextModels: boolean }>): Promise<ReadText> => {
    const { hasTextModels, ...result } = await withUserErrors(work)
    model = hasTextModels ? WITH_PADDLE : TESSERACT
    check = { state: 'ok', engine: 'built-in', model }
    return result
  }

  return {
    engine: 'built-in',
    get model() {
      return model
    },
    read: async (filename, { languages = [], signal }) => {
      await gatherData()
      const data = { folder, codes: inOrder(languages) }
      const options = { timeoutMs, signal }
      return withTempFolder(async (scratch) => {
        const pixelsOf = async (longestSide: number) => {
          const into = join(scratch, String(longestSide))
          const decoding = pictures.readablePixels(filename, { into, longestSide, signal })
          const { width, height, ...properties } = await decoding.catch((error: unknown) => {
            const isCrash = error instanceof TaskError && error.reason === 'crashed'
            throw isCrash ? refuse('damaged', error) : refusalOf(error)
          })
          return { ...properties, file: { filename: into, width, height } }
        }
        const { isTall, isWhole, file: overview } = await pixelsOf(DETECTION_SIDE)
        if (isTall) {
          return recordModel(
            child.run(
              'readTall',
              async (taskFolder) => ({ picture: await providePixels(overview, taskFolder), data }),
              options,
            ),
          )
        }
        const boxes = await withUserErrors(
          child.run('find', async (taskFolder) => ({ overview: await providePixels(overview, taskFolder) }), options),
        )
        if (boxes?.length === 0) return recordModel(Promise.resolve({ ...NO_TEXT, hasTextModels: true }))
        const { file: full } = isWhole ? { file: overview } : await pixelsOf(READABLE_LONGEST_SIDE)
        const input = async (taskFolder: TaskFolder) => {
          return {
            overview: await providePixels(overview, taskFolder),
            boxes,
            full: await providePixels(full, taskFolder),
            data,
          }
        }
        return recordModel(child.run('read', input, options))
      })
    },
    check: () => check,
    close: () => child.close(),
  }
}

const NO_TEXT: ReadText = { text: '', words: [], confidence: null, language: null }

const providePixels = async ({ filename, ...size }: PixelFile, taskFolder: TaskFolder): Promise<PixelFile> => ({
  filename: await taskFolder.provide(filename),
  ...size,
})

/** All languages, the expected ones first. Reading in all takes a third longer; without the right one, the text is lost. */
function inOrder(languages: string[]): string[] {
  const expected = languages.flatMap((language) => codeByName[language] ?? [])
  return [...new Set([...expected, ...allCodes])]
}

/** Links the data of all languages into one folder, or copies it where links are impossible. */
export async function gatherOcrData(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const code of allCodes) {
    const name = `${code}.traineddata.gz`
    const source = join(dirname(findPackage.resolve(`@tesseract.js-data/${code}/package.json`)), '4.0.0_best_int', name)
    // Replaced atomically, because another process may still read the file of an earlier start.
    const temporaryFile = join(folder, `${name}.${process.pid}`)
    await rm(temporaryFile, { force: true })
    await symlink(source, temporaryFile).catch(() => copyFile(source, temporaryFile))
    await rename(temporaryFile, join(folder, name))
  }
}

function refuse(how: 'slow' | 'memory' | 'damaged', cause: TaskError): ValidationError {
  return new ValidationError(say('text_unreadable', { how }), { code: 'damaged_image', cause })
}

/** Converts an error of the process into one for the user. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof TaskError)) return asStorageError(error)
  if (error.reason === 'timeout' || error.code === 'too_slow') return refuse('slow', error)
  if (error.reason === 'memory') return refuse('memory', error)
  // A failure without a code is a bug or an error of the disk.
  if (error.reason === 'failed')
    return error.code === 'damaged_image' ? refuse('damaged', error) : asStorageError(error)
  return new UnavailableError(say('reading_later', { kind: 'text' }), {
    retryAfterSeconds: 30,
    cause: error,
  })
}
