import {
  type ApplyFields,
  applyAnswerSchema,
  applyFieldsSchema,
  type BatchFields,
  batchAnswerSchema,
  batchFieldsSchema,
  downloadParamsSchema,
  downloadQuerySchema,
  EFFECT_UPLOAD_MAX_BYTES,
  effectsAvailableSchema,
  effectsGallerySchema,
  idParamsSchema,
  mediaItemSchema,
  newRecipeSchema,
  pageQuerySchema,
  pictureSizeSchema,
  previewsAnswerSchema,
  previewsFieldsSchema,
  type RecipeSteps,
  recipeSchema,
  recipesSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ValidationError } from '../../errors.ts'
import { isAnalyticsOff, principalOf } from '../../http/auth.ts'
import { abortWhenCallerLeaves } from '../../http/caller-leaves.ts'
import { sendFile } from '../../http/file-answer.ts'
import { readOptionalUpload } from '../../http/multipart.ts'
import { noContentSchema } from '../../http/openapi.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { SourcesService } from './effect-sources.service.ts'
import type { EffectRequest, EffectSource, EffectsService } from './effects.service.ts'
import type { MadePicturesService } from './made-pictures.service.ts'

const fileField = { file: z.file().optional() }
const uploadErrors = [413, 415, 422, 429, 503, 507]
const about =
  'The picture is a file of the form, or an item of the memory (media_id, and frame_number for a film or page). JPEG, PNG, WebP and BMP up to 50 MB and 50 megapixels. A request that is given up stops the work.'

interface Deps {
  effects: EffectsService
  madePictures: MadePicturesService
  sources: SourcesService
}

/** /image-effects/…: the Image Effects Studio. */
export async function effectsRoutes(fastify: FastifyInstance, { effects, madePictures, sources }: Deps): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  /** Reads a form, lends its picture, and removes what was sent when all is done; of each person a few at once. */
  const withPicture: typeof readPicture = (request, reply, schema, work) =>
    sources.admit(principalOf(request).user.id, Number(request.headers['content-length'] ?? 0), () =>
      readPicture(request, reply, schema, work),
    )

  const readPicture = async <
    Fields extends { media_id?: string | undefined; frame_number?: number | undefined },
    Answer,
  >(
    request: FastifyRequest,
    reply: FastifyReply,
    schema: z.ZodType<Fields>,
    work: (fields: Fields, source: EffectSource, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> => {
    const userId = principalOf(request).user.id
    const signal = abortWhenCallerLeaves(reply)
    const { fields, found } = await readOptionalUpload(request, {
      maxFileBytes: EFFECT_UPLOAD_MAX_BYTES,
      receive: sources.receive,
      repeated: ['effect_names'],
    })
    try {
      const read = schema.parse(fields)
      if (found) {
        const source = await sources.ofFile(found)
        return await work(read, source, signal)
      }
      const { media_id: mediaId, frame_number: number } = read
      if (mediaId === undefined) {
        throw new ValidationError('Send a picture in the field “file”, or name an item of your memory.', {
          code: 'no_file',
        })
      }
      return await sources.useItem({ userId, mediaId, number, signal }, (source) => work(read, source, signal))
    } finally {
      await found?.file.discard()
    }
  }

  const requestOf = (
    request: FastifyRequest,
    { request_id: requestId, prompt }: Pick<ApplyFields | BatchFields, 'request_id' | 'prompt'>,
    signal: AbortSignal,
  ): EffectRequest => ({
    userId: principalOf(request).user.id,
    inAnalytics: !isAnalyticsOff(request),
    requestId,
    prompt,
    signal,
  })

  app.get(
    '/image-effects/effects/available',
    {
      config: { access: 'upload' },
      schema: { summary: 'List the effects', tags: ['Image effects'], response: { 200: effectsAvailableSchema } },
    },
    async () => effects.available(),
  )

  app.post(
    '/image-effects/effects/apply',
    {
      config: { access: 'upload', isPatient: true },
      bodyLimit: EFFECT_UPLOAD_MAX_BYTES,
      schema: {
        summary: 'Apply an effect or a recipe',
        description: `${about} The same recipe on the same picture gives the same bytes.`,
        tags: ['Image effects'],
        form: applyFieldsSchema.extend({ ...fileField, recipe: z.string().optional() }),
        response: { 200: applyAnswerSchema },
        errors: uploadErrors,
      },
    },
    async (request, reply) =>
      withPicture(request, reply, applyFieldsSchema, async (fields, source, signal) => {
        const result = await effects.apply(requestOf(request, fields, signal), source, stepsOf(fields))
        return { success: true, result }
      }),
  )

  app.post(
    '/image-effects/effects/batch',
    {
      config: { access: 'upload', isPatient: true },
      bodyLimit: EFFECT_UPLOAD_MAX_BYTES,
      schema: {
        summary: 'Apply several effects, each to the same picture',
        description: `${about} An effect that fails does so alone: its result carries the reason.`,
        tags: ['Image effects'],
        form: batchFieldsSchema.extend(fileField),
        response: { 200: batchAnswerSchema },
        errors: uploadErrors,
      },
    },
    async (request, reply) =>
      withPicture(request, reply, batchFieldsSchema, async (fields, source, signal) => {
        const asked = requestOf(request, fields, signal)
        const results = await effects.batch(asked, source, fields.effect_names, fields.intensity)
        return { success: results.some(({ download_id: id }) => id !== null), results }
      }),
  )

  app.post(
    '/image-effects/effects/previews',
    {
      config: { access: 'upload', isPatient: true },
      bodyLimit: EFFECT_UPLOAD_MAX_BYTES,
      schema: {
        summary: 'See every effect on a small copy of a picture',
        description: about,
        tags: ['Image effects'],
        form: previewsFieldsSchema.extend(fileField),
        response: { 200: previewsAnswerSchema },
        errors: uploadErrors,
      },
    },
    async (request, reply) =>
      withPicture(request, reply, previewsFieldsSchema, async ({ intensity }, source, signal) => ({
        previews: await effects.previews(source, intensity, signal),
      })),
  )

  app.get(
    '/image-effects/effects/gallery',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'List the pictures that effects made',
        tags: ['Image effects'],
        querystring: pageQuerySchema,
        response: { 200: effectsGallerySchema },
      },
    },
    async (request) => madePictures.gallery(principalOf(request).user.id, request.query),
  )

  app.get(
    '/image-effects/effects/download/:download_id',
    {
      config: { access: 'upload', signed: true },
      schema: {
        summary: 'Download a picture that effects made',
        description:
          'Opens with a token or with the signed path that a result carries. PNG unless another format is asked for.',
        tags: ['Image effects'],
        params: downloadParamsSchema,
        querystring: downloadQuerySchema.extend({ size: pictureSizeSchema.default('original') }),
        file: ['image/png', 'image/webp', 'image/jpeg', 'image/avif'],
      },
    },
    async (request, reply) => {
      const userId = principalOf(request).user.id
      const { download_id: id } = request.params
      const { format, size } = request.query
      const file =
        format === 'png'
          ? await madePictures.picture(userId, id, size)
          : await madePictures.converted(userId, id, format)
      return sendFile(request, reply, file)
    },
  )

  app.delete(
    '/image-effects/effects/gallery/:download_id',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Delete a picture that effects made',
        tags: ['Image effects'],
        params: downloadParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await madePictures.remove(principalOf(request).user.id, request.params.download_id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/image-effects/effects/gallery/:download_id/keep',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Keep a picture that effects made in memory',
        description: '200 with the item that is there when the same picture was kept before.',
        tags: ['Image effects'],
        params: downloadParamsSchema,
        response: { 200: mediaItemSchema, 201: mediaItemSchema },
      },
    },
    async (request, reply) => {
      const { item, isNew } = await madePictures.keep(principalOf(request).user.id, request.params.download_id)
      return reply.code(isNew ? 201 : 200).send(item)
    },
  )

  app.get(
    '/image-effects/recipes',
    {
      config: { access: 'upload' },
      schema: { summary: 'List the caller’s recipes', tags: ['Image effects'], response: { 200: recipesSchema } },
    },
    async (request) => ({ recipes: await madePictures.recipes(principalOf(request).user.id) }),
  )

  app.post(
    '/image-effects/recipes',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Save a recipe',
        description: 'One of the same name is replaced.',
        tags: ['Image effects'],
        body: newRecipeSchema,
        response: { 201: recipeSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const recipe = await madePictures.saveRecipe(principalOf(request).user.id, request.body)
      return reply.code(201).send(recipe)
    },
  )

  app.delete(
    '/image-effects/recipes/:id',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Delete a recipe',
        tags: ['Image effects'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await madePictures.removeRecipe(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )
}

/** @throws ValidationError when neither an effect nor a recipe is named, or both are. */
function stepsOf({ effect_name: name, intensity, recipe }: ApplyFields): RecipeSteps {
  if (recipe !== undefined && name === undefined) return recipe
  if (name !== undefined && recipe === undefined) return [{ effect_name: name, intensity }]
  throw new ValidationError('Choose an effect, or send a recipe.', {
    errors: [{ path: 'effect_name', message: 'Choose an effect, or send a recipe.' }],
  })
}
