import {
  type ApplyFields,
  applyFieldsSchema,
  type BatchFields,
  batchFieldsSchema,
  EFFECT_UPLOAD_MAX_BYTES,
  previewsFieldsSchema,
  type RecipeSteps,
} from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { ValidationError } from '../../../errors.ts'
import { isAnalyticsOff, principalOf, requireTokenScope } from '../../../platform/http/access.ts'
import { abortOnDisconnect } from '../../../platform/http/caller-of.ts'
import { sendFile } from '../../../platform/http/file-response.ts'
import { readOptionalUpload } from '../../../platform/http/multipart.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { EffectRequest, EffectSource, EffectsService } from './effects.service.ts'
import type { MadePicturesService } from './made-pictures.service.ts'

interface Deps {
  madePictures: MadePicturesService
}

/** /image-effects/effects/gallery, …/download and /image-effects/recipes: the user's made pictures and recipes. */
export async function madePicturesRoutes(app: FastifyInstance, { madePictures }: Deps): Promise<void> {
  serve(app, 'GET /image-effects/effects/gallery', async (request) =>
    madePictures.gallery(principalOf(request).user.id, request.query),
  )

  serve(app, 'GET /image-effects/effects/download/:download_id', async (request, reply) => {
    const userId = principalOf(request).user.id
    const { download_id: id } = request.params
    const { format, size } = request.query
    const file =
      format === 'png' ? await madePictures.picture(userId, id, size) : await madePictures.converted(userId, id, format)
    return sendFile(request, reply, file)
  })

  serve(app, 'DELETE /image-effects/effects/gallery/:download_id', async (request, reply) => {
    await madePictures.remove(principalOf(request).user.id, request.params.download_id)
    return reply.code(204).send()
  })

  serve(app, 'POST /image-effects/effects/gallery/:download_id/keep', async (request, reply) => {
    const { item, isNew } = await madePictures.addToLibrary(principalOf(request).user.id, request.params.download_id)
    return reply.code(isNew ? 201 : 200).send(item)
  })

  serve(app, 'GET /image-effects/recipes', async (request) => ({
    recipes: await madePictures.recipes(principalOf(request).user.id),
  }))

  serve(app, 'POST /image-effects/recipes', async (request, reply) => {
    const recipe = await madePictures.saveRecipe(principalOf(request).user.id, request.body)
    return reply.code(201).send(recipe)
  })

  serve(app, 'DELETE /image-effects/recipes/:id', async (request, reply) => {
    await madePictures.removeRecipe(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}

/** /image-effects/effects/…: applying effects to pictures. */
export async function effectsRoutes(app: FastifyInstance, { effects }: { effects: EffectsService }): Promise<void> {
  /** Passes the picture of a form to `work`; an upload is deleted afterwards. Each user may have a few such requests at once. */
  const withPicture = <Fields extends { media_id?: string | undefined; frame_number?: number | undefined }, Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    schema: z.ZodType<Fields>,
    work: (fields: Fields, source: EffectSource, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const userId = principalOf(request).user.id
    return effects.admit(userId, Number(request.headers['content-length'] ?? 0), async () => {
      const signal = abortOnDisconnect(reply)
      const { fields, upload } = await readOptionalUpload(request, {
        maxFileBytes: EFFECT_UPLOAD_MAX_BYTES,
        receive: effects.receive,
        repeated: ['effect_names'],
      })
      try {
        const parsedFields = schema.parse(fields)
        if (upload) {
          const source = await effects.sourceOf(upload)
          return await work(parsedFields, source, signal)
        }
        const { media_id: mediaId, frame_number: number } = parsedFields
        if (mediaId === undefined) {
          throw new ValidationError(
            'Send a picture in the field “file”, or the id of an item in the field “media_id”.',
            {
              code: 'no_file',
            },
          )
        }
        requireTokenScope(request, 'read')
        return await effects.useItem({ userId, mediaId, number, signal }, (source) =>
          work(parsedFields, source, signal),
        )
      } finally {
        await upload?.file.discard()
      }
    })
  }

  const requestOf = (
    request: FastifyRequest,
    { request_id: requestId, prompt }: Pick<ApplyFields | BatchFields, 'request_id' | 'prompt'>,
    signal: AbortSignal,
  ): EffectRequest => ({
    userId: principalOf(request).user.id,
    countsInAnalytics: !isAnalyticsOff(request),
    requestId,
    prompt,
    signal,
  })

  serve(app, 'GET /image-effects/effects/available', async () => effects.listEffects())

  serve(app, 'POST /image-effects/effects/apply', async (request, reply) =>
    withPicture(request, reply, applyFieldsSchema, async (fields, source, signal) => {
      const result = await effects.apply(requestOf(request, fields, signal), source, stepsOf(fields))
      return { success: true, result }
    }),
  )

  serve(app, 'POST /image-effects/effects/batch', async (request, reply) =>
    withPicture(request, reply, batchFieldsSchema, async (fields, source, signal) => {
      const effectRequest = requestOf(request, fields, signal)
      const results = await effects.batch(effectRequest, source, fields.effect_names, fields.intensity)
      return { success: results.some(({ download_id: id }) => id !== null), results }
    }),
  )

  serve(app, 'POST /image-effects/effects/previews', async (request, reply) =>
    withPicture(request, reply, previewsFieldsSchema, async ({ intensity }, source, signal) => ({
      previews: await effects.previews(source, intensity, signal),
    })),
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
