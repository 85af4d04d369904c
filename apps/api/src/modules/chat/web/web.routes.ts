import { updateWebSettingsSchema, webSettingsSchema, webStateSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { WebService } from './web.service.ts'

/** /admin/web: whether and how the assistant looks things up on the web; /web: what of that a conversation may use. */
export async function webRoutes(fastify: FastifyInstance, { web }: { web: WebService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/web',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Tell whether conversations may look things up on the web',
        description: 'A conversation does so once its `parameters` say `use_web`.',
        tags: ['Chat'],
        response: { 200: webStateSchema },
      },
    },
    () => web.state(),
  )

  app.get(
    '/admin/web',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Tell what is decided about the web',
        tags: ['Admin'],
        response: { 200: webSettingsSchema },
      },
    },
    () => web.settings(),
  )

  app.put(
    '/admin/web',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'web.changed' },
      schema: {
        summary: 'Decide whether the web may be looked at, and what searches it',
        description:
          'The search is tried before this answers; what goes wrong then is in `check`. The key is kept encrypted; it is ' +
          'written, and never read.',
        tags: ['Admin'],
        body: updateWebSettingsSchema,
        response: { 200: webSettingsSchema },
      },
    },
    (request) => web.decide(request.body),
  )

  app.post(
    '/admin/web/test',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'web.tested' },
      schema: {
        summary: 'Search the web once',
        description: 'What goes wrong is in `check`.',
        tags: ['Admin'],
        response: { 200: webSettingsSchema },
      },
    },
    () => web.test(),
  )
}
