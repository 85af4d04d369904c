import { type EffectName, type EffectResult, effectNames, fileFormats, type RecipeSteps } from '@mira/shared'
import { MEBIBYTE } from '@mira/shared/constants/limits'
import type { Ai } from '../../../engines/ai.ts'
import {
  AppError,
  StorageFullError,
  sentenceOf,
  UnavailableError,
  UnsupportedTypeError,
  ValidationError,
} from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { PixelPicture } from '../../../parsers/image/pixel-picture.ts'
import type { Pixels } from '../../../parsers/image/pixels.ts'
import { sniffFile } from '../../../parsers/sniff/sniff.ts'
import type { UnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { PathSigner } from '../../../platform/lib/path-signer.ts'
import type { Semaphore } from '../../../platform/lib/semaphore.ts'
import { forCaller } from '../../../platform/messages/audience.ts'
import type { Admit } from '../../../platform/storage/admission.ts'
import type { Files, ReceivedFile } from '../../../platform/storage/files.ts'
import { say } from '../../../sentences.ts'
import { cleanFileName, type createItemPictures } from '../../library/index.ts'
import {
  displayNameOf,
  effectsAvailable,
  isPixelEffect,
  type PixelEffectName,
  picturePath,
  titleOf,
} from './catalogue.ts'
import { EFFECT_LIMITS, PREVIEW_LONGEST_SIDE } from './effect-kind.ts'
import type { EffectPool } from './effect-pool.ts'
import type { EffectImageRow, EffectsStore } from './effects.store.ts'
import { restyle } from './restyle.ts'

type ItemPictures = ReturnType<typeof createItemPictures>

/** A local picture file to apply effects to. */
export interface EffectSource {
  filename: string
  /** Name given by the user. */
  name: string
  mediaId: string | null
  /** Number of the item's frame or page; null for a picture. */
  number: number | null
}

/** The caller and the options of a request. */
export interface EffectRequest {
  userId: string
  /** False when the user opted out of analytics. */
  countsInAnalytics: boolean
  /** Id that progress events carry. */
  requestId: string | undefined
  /** Instruction for the model. */
  prompt: string | undefined
  signal: AbortSignal
}

export interface EffectsDeps {
  store: EffectsStore
  itemPictures: ItemPictures
  /** Admits a request if there's disk space and the user doesn't have too many in progress. */
  admit: Admit
  files: Pick<Files, 'receive' | 'pathOf' | 'open' | 'freeBytes'>
  unreferencedFiles: Pick<UnreferencedFiles, 'reserve'>
  pixels: Pixels
  pool: EffectPool
  /** Limits decoded pictures, which take hundreds of megabytes. */
  semaphore: Semaphore
  /** Limits effects that wait for a model; they have their own semaphore, so that other effects don't wait for them. */
  modelSemaphore: Semaphore
  ai: Pick<Ai, 'imageEditing' | 'currentReasonOff'>
  signedPaths: PathSigner
  events: Pick<Events, 'publish'>
  log: Log
}

interface FinishedPicture {
  width: number
  height: number
  png: Buffer
}

export type EffectsService = ReturnType<typeof createEffectsService>

const PROGRESS_INTERVAL_MS = 250

/** Applies effects and stores the results. */
export function createEffectsService(deps: EffectsDeps) {
  const { store, files, unreferencedFiles, pixels, pool, semaphore, ai, signedPaths, events } = deps
  /** Reason why no model can edit pictures at the moment, shown to the user. */
  const editorOffReason = () => ai.currentReasonOff('image_edit') ?? say('editor_away', {})
  const semaphoreFor = (names: EffectName[]) => (names.every(isPixelEffect) ? semaphore : deps.modelSemaphore)

  const applyOne = async (
    picture: PixelPicture,
    { effect_name: name, intensity }: RecipeSteps[number],
    { prompt, signal }: EffectRequest,
    onProgress: (progress: number) => void,
  ): Promise<PixelPicture> => {
    if (isPixelEffect(name)) {
      const raster = await pool.apply(picture, name, { intensity, signal, onProgress })
      return { ...picture, ...raster }
    }
    const editor = ai.imageEditing()
    if (editor === null) throw new UnavailableError(editorOffReason(), { code: 'no_image_edit_engine' })
    if (prompt === undefined) {
      throw new ValidationError('Describe how the picture should be redrawn.', { code: 'no_prompt' })
    }
    return restyle({ pixels, editor, receive: files.receive }, picture, { prompt, intensity, signal })
  }

  /** Applies the last effect, and encodes the result as PNG. */
  const finish = async (
    picture: PixelPicture,
    step: RecipeSteps[number],
    request: EffectRequest,
    onProgress: (progress: number) => void,
  ): Promise<FinishedPicture> => {
    const { effect_name: name, intensity } = step
    if (isPixelEffect(name)) {
      const { width, height } = picture
      const pngRows = await pool.applyAndCompress(picture, name, { intensity, signal: request.signal, onProgress })
      return { width, height, png: await pixels.joinPng(picture, pngRows) }
    }
    const result = await applyOne(picture, step, request, onProgress)
    return { width: result.width, height: result.height, png: await pixels.encodePng(result) }
  }

  /** Progress reporter that publishes events to the user. */
  const createProgressReporter = ({ userId, requestId }: EffectRequest, total: number) => {
    let reportedAt = 0
    return (effectName: string, doneCount: number, progress: number) => {
      const now = performance.now()
      if (requestId === undefined || (now - reportedAt < PROGRESS_INTERVAL_MS && doneCount < total)) return
      reportedAt = now
      events.publish(userId, {
        type: 'effect.progress',
        request_id: requestId,
        effect_name: effectName,
        done: doneCount,
        total,
        progress,
      })
    }
  }

  const storePicture = async (
    request: EffectRequest,
    source: EffectSource,
    steps: RecipeSteps,
    { width, height, png }: FinishedPicture,
    startedAt: number,
  ): Promise<EffectImageRow> => {
    const { userId, countsInAnalytics, prompt } = request
    request.signal.throwIfAborted()
    // A batch with a large picture produces many times the size of the upload.
    if ((await files.freeBytes()) < png.length + EFFECT_LIMITS.keptFreeBytes) {
      throw new StorageFullError()
    }
    const received = await files.receive(png)
    try {
      const path = files.pathOf(userId, received.sha256)
      const reservationId = await unreferencedFiles.reserve(path)
      const { sha256, sizeBytes } = await received.store(userId)
      const image = {
        effectName: (steps.at(-1) as RecipeSteps[number]).effect_name,
        recipe: steps,
        prompt: steps.some(({ effect_name: name }) => !isPixelEffect(name)) ? (prompt ?? null) : null,
        sourceFilename: source.name,
        sourceMediaId: source.mediaId,
        sourceNumber: source.number,
        path,
        sha256,
        sizeBytes,
        reservationId,
        width,
        height,
      }
      return await store.add(userId, image, {
        durationMs: Math.round(performance.now() - startedAt),
        countsInAnalytics,
      })
    } catch (error) {
      await received.discard()
      throw error
    }
  }

  const presentResult = (row: EffectImageRow): EffectResult => ({
    effect_name: row.effectName,
    effect_display_name: titleOf(row.recipe),
    thumbnail: signedPaths.sign(row.userId, picturePath(row, 'thumbnail')),
    file_size_mb: row.sizeBytes / MEBIBYTE,
    processed_size: [row.width, row.height],
    download_id: row.id,
    url: signedPaths.sign(row.userId, picturePath(row)),
  })

  const recordFailure = (request: EffectRequest, source: EffectSource, name: string, startedAt: number) =>
    store.recordActivity({
      userId: request.userId,
      kind: 'effect',
      outcome: request.signal.aborted ? 'interrupted' : 'failed',
      durationMs: Math.round(performance.now() - startedAt),
      detail: { action: 'effect_applied', title: source.name, effect: name },
      countsInAnalytics: request.countsInAnalytics,
    })

  /** Applies all steps of a recipe and stores the result. */
  const applyRecipe = async (
    request: EffectRequest,
    source: EffectSource,
    picture: PixelPicture,
    steps: RecipeSteps,
    report: (effectName: string, stepsDone: number, progress: number) => void,
  ): Promise<EffectImageRow> => {
    const startedAt = performance.now()
    const last = steps.at(-1) as RecipeSteps[number]
    let result = picture
    try {
      for (const [index, step] of steps.slice(0, -1).entries()) {
        result = await applyOne(result, step, request, (progress) => report(step.effect_name, index, progress))
      }
      const finished = await finish(result, last, request, (progress) =>
        report(last.effect_name, steps.length - 1, progress),
      )
      return await storePicture(request, source, steps, finished, startedAt)
    } catch (error) {
      await recordFailure(request, source, last.effect_name, startedAt)
      throw error
    }
  }

  const listEffects = () => {
    const hasEditor = ai.imageEditing() !== null
    return effectsAvailable(hasEditor ? null : editorOffReason())
  }

  return {
    admit: deps.admit,

    /** Receives an uploaded file, to be discarded after use. */
    receive: files.receive,

    /** Uploaded file as a source. @throws ValidationError when it's empty; UnsupportedTypeError when it isn't a picture. */
    async sourceOf({ name, file }: { name: string; file: ReceivedFile }): Promise<EffectSource> {
      if (file.sizeBytes === 0) throw new ValidationError('This file is empty.', { code: 'empty_file' })
      const sniffed = await sniffFile(file.filename)
      // Pictures of items may have more formats than uploads.
      if (sniffed.mediaType !== 'image' || !('isEffectSource' in fileFormats[sniffed.format])) {
        throw new UnsupportedTypeError('This file isn’t a supported picture. Use JPEG, PNG, WebP or BMP.')
      }
      return {
        filename: file.filename,
        name: cleanFileName(name, `picture.${sniffed.format}`),
        mediaId: null,
        number: null,
      }
    },

    /** Calls `use` with the picture of an item. @throws what `ItemPictures.use` throws. */
    useItem: <Result>(
      request: Parameters<ItemPictures['use']>[0],
      use: (source: EffectSource) => Promise<Result>,
    ): Promise<Result> =>
      deps.itemPictures.use(request, (picture) =>
        use({ ...picture, mediaId: request.mediaId, number: request.number ?? null }),
      ),

    /** All effects, with the reasons why some can't be applied. */
    listEffects,

    /**
     * Applies effects one after the other; the result is stored before this returns.
     * @throws AppError when the picture can't be read or an effect fails; the signal's reason when it's aborted.
     */
    async apply(request: EffectRequest, source: EffectSource, steps: RecipeSteps): Promise<EffectResult> {
      return semaphoreFor(steps.map((step) => step.effect_name)).run(async () => {
        request.signal.throwIfAborted()
        const picture = await pixels.decode(source.filename)
        const report = createProgressReporter(request, steps.length)
        const row = await applyRecipe(request, source, picture, steps, report)
        report(row.effectName, steps.length, 1)
        return presentResult(row)
      })
    },

    /** Applies each effect to the same picture; an effect that fails has a result with its reason. */
    async batch(
      request: EffectRequest,
      source: EffectSource,
      names: EffectName[],
      intensity: number,
    ): Promise<EffectResult[]> {
      return semaphoreFor(names).run(async () => {
        request.signal.throwIfAborted()
        const picture = await pixels.decode(source.filename)
        const report = createProgressReporter(request, names.length)
        const results: EffectResult[] = []
        for (const [index, name] of names.entries()) {
          request.signal.throwIfAborted()
          try {
            const steps = [{ effect_name: name, intensity }]
            const row = await applyRecipe(request, source, picture, steps, (effect, _, progress) =>
              report(effect, index, progress),
            )
            results.push(presentResult(row))
          } catch (error) {
            if (request.signal.aborted) throw error
            if (!(error instanceof AppError)) deps.log.error({ err: error, effect: name }, 'an effect failed')
            results.push(failedResult(name, displayNameOf(name), error))
          }
          report(name, index + 1, index + 1 === names.length ? 1 : 0)
        }
        return results
      })
    },

    /** Applies every effect that needs no model to a small copy of the picture. @returns data URLs. */
    async previews(
      source: Pick<EffectSource, 'filename'>,
      intensity: number,
      signal: AbortSignal,
    ): Promise<Partial<Record<EffectName, string>>> {
      const picture = await semaphore.run(() => pixels.decode(source.filename, { longestSide: PREVIEW_LONGEST_SIDE }))
      const draw = async (name: PixelEffectName) => {
        const raster = await pool.apply(picture, name, { intensity, signal })
        const data = await pixels.encodePreview({ ...picture, ...raster })
        return [name, `data:image/webp;base64,${data.toString('base64')}`] as const
      }
      const names = effectNames.filter(isPixelEffect)
      return Object.fromEntries(await Promise.all(names.map(draw)))
    },

    close: () => pool.close(),
  }
}

function failedResult(name: string, displayName: string, error: unknown): EffectResult {
  return {
    effect_name: name,
    effect_display_name: displayName,
    thumbnail: null,
    file_size_mb: null,
    processed_size: null,
    download_id: null,
    url: null,
    error: error instanceof AppError ? forCaller(sentenceOf(error)).text : 'This effect couldn’t be applied.',
  }
}
