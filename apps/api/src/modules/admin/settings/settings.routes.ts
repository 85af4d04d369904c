import {
  adminSettingsResponseSchema,
  adminSettingsSchema,
  engineTestResponseSchema,
  engineTestSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { SettingsService } from '../../../platform/settings/settings.service.ts'
import type { EnginesService } from './engines.service.ts'

interface SettingsRoutesOptions {
  settings: SettingsService
  engines: EnginesService
}

/** /admin/settings and the trial of engines, for administrators. */
export async function settingsRoutes(
  fastify: FastifyInstance,
  { settings, engines }: SettingsRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/settings',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read the settings of the instance',
        description: 'With what would hold if nothing were decided here, and which engine does what now.',
        tags: ['Admin'],
        response: { 200: adminSettingsResponseSchema },
      },
    },
    async () => settings.answer(engines.states()),
  )

  app.put(
    '/admin/settings',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'settings.changed' },
      schema: {
        summary: 'Decide the settings of the instance',
        description:
          'Takes all of them. They win over the environment and hold at once, on every server. What is the same as in ' +
          '`defaults` goes on following the environment.',
        tags: ['Admin'],
        body: adminSettingsSchema,
        response: { 200: adminSettingsResponseSchema },
      },
    },
    async (request) => {
      const choices = Object.fromEntries(
        Object.entries(engines.states()).map(([capability, state]) => [capability, state.choices]),
      )
      await settings.save(request.body, choices)
      return settings.answer(engines.states())
    },
  )

  app.post(
    '/admin/engines/test',
    {
      config: { access: 'admin', audit: 'engine.tested' },
      schema: {
        summary: 'Try the engine that is in use for a capability',
        description: 'Really does it once, with small material made on the spot; answers within two minutes.',
        tags: ['Admin'],
        body: engineTestSchema,
        response: { 200: engineTestResponseSchema },
      },
    },
    async (request) => engines.test(request.body.capability),
  )
}
