import { fileNameOf } from '@mira/client/file-name'

import type {
  DownloadFormat,
  EffectName,
  EffectResult,
  EffectsGalleryItemJson,
  RecipeJson,
  RecipeSteps,
} from '@mira/shared'
import { call, callForResponse } from './client.ts'

/** Input of effects: a file, or an item of the memory (for a video or document, a frame or page of it). */
export type EffectInput = { file: Blob; name: string } | { mediaId: string; frameNumber: number | null }

/** Options for an effect. */
interface EffectOptions {
  /** Instructions for the model; null for effects without one. */
  prompt: string | null
  /** Id of this request in progress events. */
  requestId: string
  /** Aborting it stops the work on the server. */
  signal: AbortSignal
}

/** A picture made by effects, as in responses. */
export type EffectImage = Omit<EffectsGalleryItemJson, 'recipe'> & { recipe: RecipeSteps }

/** A saved recipe, as in responses. */
export type SavedRecipe = Omit<RecipeJson, 'steps'> & { steps: RecipeSteps }

/** Page of the pictures made by effects. */
export interface EffectsGalleryPage {
  images: EffectImage[]
  next_cursor: string | null
}

const DOWNLOAD_TIMEOUT_MS = 120_000

/** Applies effects one after another; null when the server reports no success. */
export async function applyEffects(
  input: EffectInput,
  steps: RecipeSteps,
  options: EffectOptions,
): Promise<EffectResult | null> {
  const [first] = steps
  if (!first) throw new Error('There is no effect to apply')
  const fields: Record<string, string> =
    steps.length === 1
      ? { effect_name: first.effect_name, intensity: String(first.intensity) }
      : { recipe: JSON.stringify(steps) }
  const response = await call('POST /image-effects/effects/apply', {
    form: formOf(input, { ...fields, ...fieldsOf(options) }),
    signal: options.signal,
    timeoutMs: null,
  })
  return response.success ? response.result : null
}

/** Applies each effect to the same picture; the result of a failed effect has the reason. */
export async function applyBatch(
  input: EffectInput,
  names: readonly EffectName[],
  intensity: number,
  options: EffectOptions,
): Promise<EffectResult[]> {
  const form = formOf(input, { intensity: String(intensity), ...fieldsOf(options) })
  for (const name of names) form.append('effect_names', name)
  const response = await call('POST /image-effects/effects/batch', { form, signal: options.signal, timeoutMs: null })
  return response.results
}

/** Previews of all effects that need no model, on a small copy of a picture, as data URLs. */
export async function fetchEffectPreviews(
  input: EffectInput,
  intensity: number,
  signal: AbortSignal,
): Promise<Partial<Record<EffectName, string>>> {
  const { previews } = await call('POST /image-effects/effects/previews', {
    form: formOf(input, { intensity: String(intensity) }),
    signal,
    timeoutMs: 120_000,
  })
  return previews
}

/** A page of the pictures made by effects, newest first. */
export async function fetchEffectsGallery(
  { limit, cursor }: { limit: number; cursor: string | null },
  signal?: AbortSignal,
): Promise<EffectsGalleryPage> {
  return (await call('GET /image-effects/effects/gallery', { query: { limit, cursor }, signal })) as EffectsGalleryPage
}

/** File of a picture made by effects, with the name that the server gives it. */
export async function downloadEffectImage(
  downloadId: string,
  format: DownloadFormat,
): Promise<{ blob: Blob; name: string }> {
  const response = await callForResponse('GET /image-effects/effects/download/:download_id', {
    params: { download_id: downloadId },
    query: { format },
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  })
  const name = fileNameOf(response.headers.get('Content-Disposition'), `effect.${format}`)
  return { blob: await response.blob(), name }
}

/** The user's own recipes. */
export async function fetchRecipes(signal?: AbortSignal): Promise<SavedRecipe[]> {
  const { recipes } = await call('GET /image-effects/recipes', { signal })
  return recipes as SavedRecipe[]
}

/** Saves a recipe, replacing one of the same name. */
export async function saveRecipe(name: string, steps: RecipeSteps): Promise<SavedRecipe> {
  return (await call('POST /image-effects/recipes', { json: { name, steps } })) as SavedRecipe
}

function fieldsOf({ prompt, requestId }: EffectOptions): Record<string, string> {
  return { request_id: requestId, ...(prompt === null ? {} : { prompt }) }
}

/** The file comes last, so that the server has the other fields when it arrives. */
function formOf(input: EffectInput, fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if ('file' in input) form.append('file', input.file, input.name)
  else {
    form.append('media_id', input.mediaId)
    if (input.frameNumber !== null) form.append('frame_number', String(input.frameNumber))
  }
  return form
}
