import { can, fileFormats, mediaItemSchema, messagePictureParamsSchema, messagePictureQuerySchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { PicturesService } from './pictures.service.ts'

const pictureTypes = Object.values(fileFormats)
  .filter(({ mediaType }) => mediaType === 'image')
  .map(({ contentType }) => contentType)

/** /chat/messages/{id}/images: pictures of messages. */
export async function picturesRoutes(
  fastify: FastifyInstance,
  { pictures }: { pictures: PicturesService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/chat/messages/:id/images/:n',
    {
      config: { access: 'chat', signed: true },
      schema: {
        summary: 'Load a picture of a message',
        description: 'n counts from 0. Opens with a token or with the signed path that the message carries.',
        tags: ['Chat'],
        params: messagePictureParamsSchema,
        querystring: messagePictureQuerySchema,
        file: pictureTypes,
      },
    },
    async (request, reply) => {
      const { id, n } = request.params
      const file = await pictures.file(principalOf(request).user.id, id, n, request.query.size)
      return sendFile(request, reply, file)
    },
  )

  app.post(
    '/chat/messages/:id/images/:n/keep',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Keep a picture of a message in memory',
        description:
          'Needs the permission to upload as well. 200 with the item that is there when the same picture was kept before.',
        tags: ['Chat'],
        params: messagePictureParamsSchema,
        response: { 200: mediaItemSchema, 201: mediaItemSchema },
      },
    },
    async (request, reply) => {
      const { user } = principalOf(request)
      const { id, n } = request.params
      const keeper = { userId: user.id, mayUpload: can(user, 'upload'), inAnalytics: !isAnalyticsOff(request) }
      const { item, isNew } = await pictures.keep(keeper, id, n)
      return reply.code(isNew ? 201 : 200).send(item)
    },
  )
}
