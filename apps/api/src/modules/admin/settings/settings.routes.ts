import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { SettingsService } from '../../../platform/settings/settings.service.ts'
import type { EnginesService } from './engines.service.ts'

interface SettingsRoutesOptions {
  settings: SettingsService
  engines: EnginesService
}

/** /admin/settings and the trial of engines, for administrators. */
export async function settingsRoutes(
  app: FastifyInstance,
  { settings, engines }: SettingsRoutesOptions,
): Promise<void> {
  serve(app, 'GET /admin/settings', async () => settings.response(engines.states()))

  serve(app, 'PUT /admin/settings', async (request) => {
    const choices = Object.fromEntries(
      Object.entries(engines.states()).map(([capability, state]) => [capability, state.choices]),
    )
    await settings.save(request.body, choices)
    return settings.response(engines.states())
  })

  serve(app, 'POST /admin/engines/test', async (request) => engines.test(request.body.capability))
}
