import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-response.ts'
import { serve } from '../../../platform/http/serve.ts'
import { mayKnowSetup } from '../../../platform/http/wording.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in.routes.ts'
import type { DeletionService } from './deletion.service.ts'
import type { ExportService } from './export.service.ts'
import type { PreferencesService } from './preferences.service.ts'

interface AccountRoutesOptions extends Pick<SignInRoutesOptions, 'addressOf'> {
  exports: ExportService
  deletion: DeletionService
  preferences: PreferencesService
}

/** /me/…: preferences, export and deletion of the caller's data. */
export async function accountRoutes(
  app: FastifyInstance,
  { exports, deletion, preferences, ...options }: AccountRoutesOptions,
): Promise<void> {
  serve(app, 'GET /me/preferences', async (request) => preferences.read(principalOf(request).user.id))

  serve(app, 'PATCH /me/preferences', async (request) => preferences.update(principalOf(request).user.id, request.body))

  serve(app, 'POST /me/export', async (request) => exports.ticket(principalOf(request).user.id))

  serve(app, 'GET /me/export', async (request, reply) => {
    const { user, language, timeZone } = principalOf(request)
    const { export_id: exportId } = request.query
    const reader = {
      ...user,
      name: user.full_name ?? user.username,
      language,
      timeZone,
      mayKnowSetup: mayKnowSetup(request),
    }
    const name = `mira-export-${user.username}-${new Date().toISOString().slice(0, 10)}.zip`
    return reply
      .headers({
        'content-type': 'application/zip',
        'content-disposition': dispositionOf('attachment', name),
        'cache-control': 'no-store',
      })
      .send(exports.open(reader, exportId))
  })

  serve(app, 'DELETE /me/data', async (request) => ({
    deleted: await deletion.deleteData(actorOf(request, options), request.body.password),
  }))
}
