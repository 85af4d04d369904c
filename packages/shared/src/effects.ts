import { z } from 'zod'
import { effectCategories, effectNames, RECIPE_MAX_STEPS, RECIPE_NAME_MAX_CHARACTERS } from './constants/effects.ts'
import { downloadFormats } from './constants/formats.ts'
import { INTENSITY_DEFAULT, INTENSITY_MAX, INTENSITY_MIN, RESTYLE_PROMPT_MAX_CHARACTERS } from './constants/limits.ts'
import { idSchema } from './ids-and-pages.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

export const effectCategorySchema = z.enum(effectCategories)

export const effectNameSchema = z.enum(effectNames, { error: 'There is no effect of this name.' })

const intensityError = { error: 'Choose an intensity from 0.1 to 2.0.' }
const intensityNumber = z.number(intensityError).min(INTENSITY_MIN, intensityError).max(INTENSITY_MAX, intensityError)
/** Intensity from a form, where numbers are text. */
export const intensitySchema = z.coerce.number(intensityError).pipe(intensityNumber).default(INTENSITY_DEFAULT)

/** Effects to apply one after another. */
export const recipeStepsSchema = z
  .array(
    z.strictObject({
      effect_name: effectNameSchema,
      intensity: intensityNumber.default(INTENSITY_DEFAULT),
    }),
  )
  .min(1, { error: 'A recipe has at least one effect.' })
  .max(RECIPE_MAX_STEPS, { error: `A recipe has at most ${RECIPE_MAX_STEPS} effects.` })
export type RecipeSteps = z.output<typeof recipeStepsSchema>

export const effectDefinitionSchema = z.object({
  name: z.string(),
  description: z.string(),
  category: effectCategorySchema,
  /** True for effects by a model: they need a remote engine and a prompt. */
  requires_ai: z.boolean(),
  available: z.boolean(),
  unavailable_reason: z.string().optional(),
  /** Reason why the effect isn't available, as codes with parameters, for translation. */
  unavailable_told: z.array(codedSentenceSchema).optional(),
})
export type EffectDefinition = z.output<typeof effectDefinitionSchema>
/** GET /image-effects/effects/available: keyed by effect name. */
export const effectsAvailableSchema = z.object({
  effects: z.record(effectNameSchema, effectDefinitionSchema),
  categories: z.record(effectCategorySchema, z.array(effectNameSchema)),
})
export type EffectsAvailable = z.output<typeof effectsAvailableSchema>

const mebibytesSchema = z.number().describe('Mebibytes, not rounded')
export const effectResultSchema = z.object({
  effect_name: z.string(),
  effect_display_name: z.string(),
  /** A signed path; null when this effect failed. */
  thumbnail: z.string().nullable(),
  file_size_mb: mebibytesSchema.nullable(),
  /** [width, height] in pixels. */
  processed_size: z.tuple([z.number().int(), z.number().int()]).nullable(),
  download_id: z.uuid().nullable(),
  /** A signed path of the picture itself. */
  url: z.string().nullable(),
  /** Reason for this effect's failure, shown to the user. */
  error: z.string().optional(),
})
export type EffectResult = z.output<typeof effectResultSchema>
export const applyResponseSchema = z.object({ success: z.boolean(), result: effectResultSchema })
export const batchResponseSchema = z.object({ success: z.boolean(), results: z.array(effectResultSchema) })
/** POST /image-effects/effects/previews: small pictures as data URLs, without effects that failed. */
export const previewsResponseSchema = z.object({ previews: z.partialRecord(effectNameSchema, z.string()) })

/** GET /image-effects/effects/gallery. */
export const effectsGalleryItemSchema = z.object({
  effect_name: z.string(),
  effect_display_name: z.string(),
  file_size_mb: mebibytesSchema,
  created_at: timestampSchema,
  download_id: z.uuid(),
  thumbnail: z.string(),
  url: z.string(),
  processed_size: z.tuple([z.number().int(), z.number().int()]),
  intensity: z.number(),
  /** Effects that were applied, in the form of a recipe. */
  recipe: recipeStepsSchema,
  source_filename: z.string(),
  /** Item of the library that the effects were applied to; null for an uploaded picture and for a deleted item. */
  source_media_id: z.uuid().nullable(),
  /** Number of the item's frame or page; null for a picture. */
  source_frame_number: z.number().int().nullable(),
})
export type EffectsGalleryItem = z.output<typeof effectsGalleryItemSchema>
export type EffectsGalleryItemJson = z.input<typeof effectsGalleryItemSchema>
export const effectsGallerySchema = z.object({
  images: z.array(effectsGalleryItemSchema),
  next_cursor: z.string().nullable(),
})

/** Source picture: a file in the form, or an item of the library. */
const sourceFieldsSchema = z.object({
  media_id: idSchema.optional(),
  /** Frame of a video or page of a document, when the item is one. */
  frame_number: z.coerce.number().int().min(1).max(100_000).optional(),
  intensity: intensitySchema,
  /** Id chosen by the client for progress events. */
  request_id: idSchema.optional(),
})
const parseRecipe = (text: unknown, context: z.RefinementCtx) => {
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    context.addIssue({ code: 'custom', message: 'The recipe must be JSON: a list of effects and intensities.' })
    return z.NEVER
  }
}
const promptSchema = z
  .string()
  .trim()
  .min(1, { error: 'Describe how the picture should be redrawn.' })
  .max(RESTYLE_PROMPT_MAX_CHARACTERS, {
    error: `This is longer than ${RESTYLE_PROMPT_MAX_CHARACTERS} characters. Shorten it.`,
  })
/** POST /image-effects/effects/apply: one effect, or a recipe. */
export const applyFieldsSchema = sourceFieldsSchema.extend({
  effect_name: effectNameSchema.optional(),
  recipe: z.string().max(10_000).transform(parseRecipe).pipe(recipeStepsSchema).optional(),
  /** Instruction for the model, required by effects that use one. */
  prompt: promptSchema.optional(),
})
export type ApplyFields = z.output<typeof applyFieldsSchema>
/** POST /image-effects/effects/batch; a form repeats effect_names. */
export const batchFieldsSchema = sourceFieldsSchema.extend({
  effect_names: z.preprocess(
    (input) => (input === undefined || Array.isArray(input) ? input : [input]),
    z
      .array(effectNameSchema, { error: 'Choose at least one effect.' })
      .min(1, { error: 'Choose at least one effect.' })
      .max(effectNames.length)
      .transform((names) => [...new Set(names)]),
  ),
  prompt: promptSchema.optional(),
})
export type BatchFields = z.output<typeof batchFieldsSchema>
export const previewsFieldsSchema = sourceFieldsSchema

export const downloadQuerySchema = z.object({
  format: z.enum(downloadFormats).default('png'),
  signature: z.string().max(200).optional(),
})
export const downloadParamsSchema = z.object({ download_id: idSchema })

/** GET, POST and DELETE /image-effects/recipes. */
export const newRecipeSchema = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, { error: 'Give the recipe a name.' })
    .max(RECIPE_NAME_MAX_CHARACTERS, {
      error: `The name has more than ${RECIPE_NAME_MAX_CHARACTERS} characters. Shorten it.`,
    }),
  steps: recipeStepsSchema,
})
export const recipeSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  steps: recipeStepsSchema,
  created_at: timestampSchema,
})
export type Recipe = z.output<typeof recipeSchema>
export type RecipeJson = z.input<typeof recipeSchema>
export const recipesSchema = z.object({ recipes: z.array(recipeSchema) })
