import { createPageSchema, mediaItemSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { PagesService } from './pages.service.ts'

const statuses = { done: 201, processing: 202, known: 200 } as const

/** POST /pages: what is at an address of the web. */
export async function pagesRoutes(fastify: FastifyInstance, { pages }: { pages: PagesService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.post(
    '/pages',
    {
      config: { access: 'upload', scope: 'upload', isPatient: true },
      schema: {
        summary: 'Keep a web page by its address',
        description:
          'Its readable text, its title, date and address; the original is the page as it came, which is only ever saved, ' +
          'never run. PDFs and pictures at an address become such items. 200 with the item that is there when the address was ' +
          'kept before, unless `again` is true; 201 when everything is done within `wait` seconds, 202 when it goes on.',
        tags: ['Media'],
        body: createPageSchema,
        response: { 200: mediaItemSchema, 201: mediaItemSchema, 202: mediaItemSchema },
        errors: [413, 415, 422, 429, 503, 507],
      },
    },
    async (request, reply) => {
      const keeper = { userId: principalOf(request).user.id, inAnalytics: !isAnalyticsOff(request) }
      const { item, outcome } = await pages.keep(keeper, request.body, abortWhenCallerLeaves(reply))
      return reply.code(statuses[outcome]).send(item)
    },
  )
}
