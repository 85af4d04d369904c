import { can } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf, requireTokenScope } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { PicturesService } from './pictures.service.ts'

/** /chat/messages/{id}/images: pictures of messages. */
export async function picturesRoutes(app: FastifyInstance, { pictures }: { pictures: PicturesService }): Promise<void> {
  serve(app, 'GET /chat/messages/:id/images/:n', async (request, reply) => {
    const { id, n } = request.params
    const file = await pictures.file(principalOf(request).user.id, id, n, request.query.size)
    return sendFile(request, reply, file)
  })

  serve(app, 'POST /chat/messages/:id/images/:n/keep', async (request, reply) => {
    requireTokenScope(request, 'upload')
    const { user } = principalOf(request)
    const { id, n } = request.params
    const keeper = { userId: user.id, mayUpload: can(user, 'upload'), inAnalytics: !isAnalyticsOff(request) }
    const { item, isNew } = await pictures.keep(keeper, id, n)
    return reply.code(isNew ? 201 : 200).send(item)
  })
}
