import { z } from 'zod'
import { EFFECT_UPLOAD_MAX_BYTES } from '../constants/limits.ts'
import {
  applyFieldsSchema,
  applyResponseSchema,
  batchFieldsSchema,
  batchResponseSchema,
  downloadParamsSchema,
  downloadQuerySchema,
  effectsAvailableSchema,
  effectsGallerySchema,
  newRecipeSchema,
  previewsFieldsSchema,
  previewsResponseSchema,
  recipeSchema,
  recipesSchema,
} from '../effects.ts'
import { idParamsSchema, pageQuerySchema } from '../ids-and-pages.ts'
import { mediaItemSchema, pictureSizeSchema } from '../media.ts'
import { noContentSchema, routes } from './route.ts'

const INPUT =
  'The picture is a file in the form, or an item of the library (media_id, and frame_number for a video frame or a page). JPEG, PNG, WebP and BMP up to 50 MB and 50 megapixels. Aborting the request stops the work.'
const fileField = { file: z.file().optional() }
const uploadErrors = [413, 415, 422, 429, 503, 507]

export const effectsRoutes = routes({
  'GET /image-effects/effects/available': {
    access: 'upload',
    summary: 'List the effects',
    tag: 'Image effects',
    response: { 200: effectsAvailableSchema },
  },
  'POST /image-effects/effects/apply': {
    access: 'upload',
    hasNoBodyTimeout: true,
    bodyLimit: EFFECT_UPLOAD_MAX_BYTES,
    summary: 'Apply an effect or a recipe',
    description: `${INPUT} The same recipe on the same picture gives the same bytes.`,
    tag: 'Image effects',
    form: applyFieldsSchema.extend({ ...fileField, recipe: z.string().optional() }),
    response: { 200: applyResponseSchema },
    errors: uploadErrors,
  },
  'POST /image-effects/effects/batch': {
    access: 'upload',
    hasNoBodyTimeout: true,
    bodyLimit: EFFECT_UPLOAD_MAX_BYTES,
    summary: 'Apply several effects, each to the same picture',
    description: `${INPUT} An effect that fails does not affect the others: its result has the reason.`,
    tag: 'Image effects',
    form: batchFieldsSchema.extend(fileField),
    response: { 200: batchResponseSchema },
    errors: uploadErrors,
  },
  'POST /image-effects/effects/previews': {
    access: 'upload',
    hasNoBodyTimeout: true,
    bodyLimit: EFFECT_UPLOAD_MAX_BYTES,
    summary: 'Preview every effect on a small copy of a picture',
    description: INPUT,
    tag: 'Image effects',
    form: previewsFieldsSchema.extend(fileField),
    response: { 200: previewsResponseSchema },
    errors: uploadErrors,
  },
  'GET /image-effects/effects/gallery': {
    access: 'upload',
    summary: 'List the pictures that effects made',
    tag: 'Image effects',
    query: pageQuerySchema,
    response: { 200: effectsGallerySchema },
  },
  'GET /image-effects/effects/download/:download_id': {
    access: 'upload',
    signed: true,
    summary: 'Download a picture that effects made',
    description: 'Opens with a token or with the signed path of a result. PNG unless another format is requested.',
    tag: 'Image effects',
    params: downloadParamsSchema,
    query: downloadQuerySchema.extend({ size: pictureSizeSchema.default('original') }),
    file: ['image/png', 'image/webp', 'image/jpeg', 'image/avif'],
    supportsRanges: true,
  },
  'DELETE /image-effects/effects/gallery/:download_id': {
    access: 'upload',
    summary: 'Delete a picture that effects made',
    tag: 'Image effects',
    params: downloadParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /image-effects/effects/gallery/:download_id/keep': {
    access: 'upload',
    respondsWithContent: true,
    summary: 'Save a picture that effects made to the library',
    description: '200 with the existing item when the same picture was saved before.',
    tag: 'Image effects',
    params: downloadParamsSchema,
    response: { 200: mediaItemSchema, 201: mediaItemSchema },
  },
  'GET /image-effects/recipes': {
    access: 'upload',
    summary: 'List the caller’s recipes',
    tag: 'Image effects',
    response: { 200: recipesSchema },
  },
  'POST /image-effects/recipes': {
    access: 'upload',
    summary: 'Save a recipe',
    description: 'Replaces a recipe with the same name.',
    tag: 'Image effects',
    body: newRecipeSchema,
    response: { 201: recipeSchema },
    errors: [409],
  },
  'DELETE /image-effects/recipes/:id': {
    access: 'upload',
    summary: 'Delete a recipe',
    tag: 'Image effects',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
})
