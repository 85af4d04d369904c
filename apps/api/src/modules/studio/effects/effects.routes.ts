import {
  type ApplyFields,
  applyFieldsSchema,
  applyResponseSchema,
  type BatchFields,
  batchFieldsSchema,
  batchResponseSchema,
  EFFECT_UPLOAD_MAX_BYTES,
  effectsAvailableSchema,
  previewsFieldsSchema,
  previewsResponseSchema,
  type RecipeSteps,
} from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ValidationError } from '../../../errors.ts'
import { isAnalyticsOff, principalOf, requireReadScope } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import { readOptionalUpload } from '../../../platform/http/multipart.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { SourcesService } from './effect-sources.service.ts'
import type { EffectRequest, EffectSource, EffectsService } from './effects.service.ts'

const fileField = { file: z.file().optional() }
const uploadErrors = [413, 415, 422, 429, 503, 507]
const about =
  'The picture is a file of the form, or an item of the memory (media_id, and frame_number for a film or page). JPEG, PNG, WebP and BMP up to 50 MB and 50 megapixels. A request that is given up stops the work.'

interface Deps {
  effects: EffectsService
  sources: SourcesService
}

/** /image-effects/effects/…: what the Image Effects Studio makes of a picture. */
export async function effectsRoutes(fastify: FastifyInstance, { effects, sources }: Deps): Promise<void> {
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
      requireReadScope(request)
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
        response: { 200: applyResponseSchema },
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
        response: { 200: batchResponseSchema },
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
        response: { 200: previewsResponseSchema },
        errors: uploadErrors,
      },
    },
    async (request, reply) =>
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
