import { importFieldsSchema, importServerSchema, UPLOAD_MAX_BYTES } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { abortOnDisconnect } from '../../../platform/http/caller-of.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { ImportsService } from './imports.service.ts'

/** /imports: imports from other programs. */
export async function importsRoutes(app: FastifyInstance, { imports }: { imports: ImportsService }): Promise<void> {
  serve(app, 'POST /imports', async (request, reply) => {
    const { user } = principalOf(request)
    if (!request.isMultipart()) {
      return reply.code(202).send(await imports.beginFromServer(user, importServerSchema.parse(request.body)))
    }
    const announcedBytes = Number(request.headers['content-length'] ?? 0)
    const response = await imports.admit(user.id, announcedBytes, async () => {
      const { fields, name, file } = await readUpload(request, {
        maxFileBytes: UPLOAD_MAX_BYTES,
        receive: imports.receive,
      })
      const parsedFields = importFieldsSchema.safeParse(fields)
      if (!parsedFields.success) {
        await file.discard()
        throw parsedFields.error
      }
      return imports.begin(user, { ...parsedFields.data, name, file })
    })
    return reply.code(202).send(response)
  })

  serve(app, 'GET /imports', async (request) => imports.list(principalOf(request).user.id, request.query))

  serve(app, 'GET /imports/:id', async (request) => imports.get(principalOf(request).user.id, request.params.id))

  serve(app, 'POST /imports/:id/start', async (request, reply) => {
    const { user } = principalOf(request)
    return reply.code(202).send(await imports.start(user, request.params.id))
  })

  serve(app, 'POST /imports/:id/source', async (request, reply) => {
    const { user } = principalOf(request)
    return reply.code(202).send(await imports.previewAs(user, request.params.id, request.body.source))
  })

  serve(app, 'DELETE /imports/:id', async (request, reply) => {
    const { id: userId } = principalOf(request).user
    const signal = abortOnDisconnect(reply)
    const remainingImport = await imports.remove(userId, request.params.id, { waitSeconds: request.query.wait, signal })
    return remainingImport === null ? reply.code(204).send() : reply.code(202).send(remainingImport)
  })
}
