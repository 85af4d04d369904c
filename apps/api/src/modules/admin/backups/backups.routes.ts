import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-response.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { BackupsService } from './backups.service.ts'
import type { OffsiteService } from './offsite.service.ts'
import type { TrialRestoresService } from './trial-restores.service.ts'

interface BackupsRoutesOptions {
  backups: BackupsService
  offsite: OffsiteService
  trialRestores: TrialRestoresService
  /** @throws ForbiddenError unless the sign-in is minutes old or the password is right. */
  requireFresh(request: FastifyRequest, password: string | undefined): Promise<void>
}

/** /admin/backups: archives of the whole instance, for administrators. */
export async function backupsRoutes(
  app: FastifyInstance,
  { backups, offsite, trialRestores, requireFresh }: BackupsRoutesOptions,
): Promise<void> {
  serve(app, 'GET /admin/backups', async () => backups.list())

  serve(app, 'POST /admin/backups', async (_request, reply) => {
    reply.code(202)
    return backups.begin()
  })

  serve(app, 'POST /admin/backups/offsite/test', async (request) => offsite.test(request.body.address))

  serve(app, 'POST /admin/backups/:id/ticket', async (request) => {
    await requireFresh(request, request.body?.current_password)
    return backups.ticket(principalOf(request).user.id, request.params.id)
  })

  serve(app, 'GET /admin/backups/:id/file', async (request, reply) => {
    const { id } = request.params
    if (principalOf(request).via !== 'signed') await requireFresh(request, undefined)
    const { name, sizeBytes, read } = await backups.open(id)
    return sendFile(request, reply, {
      etag: id,
      contentType: name.endsWith('.zip') ? 'application/zip' : 'application/octet-stream',
      name,
      cacheControl: 'no-store',
      open: async () => ({ sizeBytes, read: async (range) => read(range) }),
    })
  })

  serve(app, 'POST /admin/backups/:id/proof', async (request, reply) => {
    await trialRestores.begin(request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'DELETE /admin/backups/:id', async (request, reply) => {
    await backups.remove(request.params.id)
    return reply.code(204).send()
  })
}
