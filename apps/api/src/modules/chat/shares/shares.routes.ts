import {
  continuedShareSchema,
  createShareSchema,
  fileFormats,
  idParamsSchema,
  publicShareQuerySchema,
  publicShareSchema,
  sharePictureParamsSchema,
  sharePictureQuerySchema,
  shareSchema,
  sharesQuerySchema,
  sharesResponseSchema,
  shareTokenParamsSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { createAddressRateLimit } from '../../../platform/http/address-rate-limit.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { SharesService } from './shares.service.ts'

const pictureTypes = Object.values(fileFormats)
  .filter(({ mediaType }) => mediaType === 'image')
  .map(({ contentType }) => contentType)
/** A revoked link ends soon in browsers that have its pictures. */
const PICTURE_CACHE = 'private, max-age=300'

export interface SharesRoutesOptions {
  shares: SharesService
  addressOf(request: FastifyRequest): string
}

/** /shares: the caller's links; /public/shares: what everybody with a link reads. */
export async function sharesRoutes(
  fastify: FastifyInstance,
  { shares, addressOf }: SharesRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const tags: ['Chat'] = ['Chat']
  const bound = createAddressRateLimit({
    maxCalls: 600,
    sentence: 'Too much was read from your address within a minute. Try again in a minute.',
  })
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.config.access === 'public') reply.header('x-robots-tag', 'noindex, nofollow')
  })

  app.get(
    '/shares',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List the links to shared conversations',
        description: 'Newest first; those of one conversation where `subject_id` names it.',
        tags,
        querystring: sharesQuerySchema,
        response: { 200: sharesResponseSchema },
      },
    },
    async (request) => shares.list(principalOf(request).user.id, request.query),
  )

  app.post(
    '/shares',
    {
      // everybody can read it, also after a token is revoked
      config: { access: 'chat', sessionOnly: true },
      schema: {
        summary: 'Share a conversation by a link',
        description:
          'Everybody with the link reads the branch that is shown, as it is now: later messages and other branches are not in it. Of what answers cite, the names alone are shown.',
        tags,
        body: createShareSchema,
        response: { 201: shareSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => reply.code(201).send(await shares.create(principalOf(request).user.id, request.body)),
  )

  app.delete(
    '/shares/:id',
    {
      config: { access: 'chat' },
      schema: { summary: 'Revoke a link', tags, params: idParamsSchema, response: { 204: noContentSchema } },
    },
    async (request, reply) => {
      await shares.revoke(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.get(
    '/public/shares/:token',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Read what a link shares',
        tags,
        params: shareTokenParamsSchema,
        querystring: publicShareQuerySchema,
        response: { 200: publicShareSchema },
        errors: [404, 429],
      },
    },
    async (request, reply) => {
      bound(addressOf(request))
      reply.header('cache-control', 'no-store')
      return shares.read(request.params.token, request.query)
    },
  )

  app.get(
    '/public/shares/:token/images/:id/:n',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Load a picture of what a link shares',
        tags,
        params: sharePictureParamsSchema,
        querystring: sharePictureQuerySchema,
        file: pictureTypes,
        errors: [404, 429],
      },
    },
    async (request, reply) => {
      bound(addressOf(request))
      const { token, id, n } = request.params
      const file = await shares.picture(token, id, n, request.query.size)
      return sendFile(request, reply, { ...file, cacheControl: PICTURE_CACHE })
    },
  )

  app.post(
    '/public/shares/:token/continue',
    {
      config: { access: 'chat', scope: 'chat', bound: 'import' },
      schema: {
        summary: 'Go on with a shared conversation as one’s own',
        tags,
        params: shareTokenParamsSchema,
        response: { 201: continuedShareSchema },
        errors: [404, 429, 507],
      },
    },
    async (request, reply) =>
      reply.code(201).send(await shares.continueAs(principalOf(request).user.id, request.params.token)),
  )
}
