import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { mayKnowSetup } from '../../../platform/http/hidden-setup.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { ExportsService } from './exports.service.ts'

/** /chat/sessions/{id}/export: conversations as files. */
export async function exportsRoutes(app: FastifyInstance, { exports }: { exports: ExportsService }): Promise<void> {
  serve(app, 'GET /chat/sessions/:id/export', async (request, reply) => {
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
  })
}
