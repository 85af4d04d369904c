import { Readable } from 'node:stream'
import { chatExportQuerySchema, idParamsSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { mayKnowSetup } from '../../../platform/http/hidden-setup.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { ExportsService } from './exports.service.ts'

/** /chat/sessions/{id}/export: conversations as files. */
export async function exportsRoutes(fastify: FastifyInstance, { exports }: { exports: ExportsService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/chat/sessions/:id/export',
    {
      config: { access: 'chat', bound: 'export' },
      schema: {
        summary: 'Export a conversation as a file',
        description:
          'Markdown holds the branch that is shown, with times in the zone of the caller; JSON holds every branch.',
        tags: ['Chat'],
        params: idParamsSchema,
        querystring: chatExportQuerySchema,
        file: ['text/markdown', 'application/json'],
      },
    },
    async (request, reply) => {
      const { user, language, timeZone } = principalOf(request)
      const reader = { name: user.full_name ?? user.username, language, timeZone, mayKnowSetup: mayKnowSetup(request) }
      const file = await exports.open(user.id, request.params.id, request.query.format, reader)
      return reply
        .headers({
          'content-type': file.contentType,
          'content-disposition': dispositionOf('attachment', file.name),
          'cache-control': 'no-store',
        })
        .send(Readable.from(file.text))
    },
  )
}
