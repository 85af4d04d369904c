import { resultOpenedSchema, searchQuerySchema, searchResponseSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../platform/http/access.ts'
import { noContentSchema } from '../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../platform/http/zod.ts'
import type { MemoryService } from './memory.service.ts'

/** /media/search and /memory: finding again what the caller has shown to the assistant. */
export async function memoryRoutes(fastify: FastifyInstance, { memory }: { memory: MemoryService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/media/search',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Search everything that was uploaded',
        description:
          'Finds pictures, frames, pages and sentences by words and, where an engine is connected, by meaning. The ' +
          'query may hold filters: `type:video before:2026-05 after:2026-01-31 tag:home "exact words" -without`.',
        tags: ['Media'],
        querystring: searchQuerySchema,
        response: { 200: searchResponseSchema },
        errors: [429, 503],
      },
    },
    async (request) => {
      const { user, timeZone, language } = principalOf(request)
      const caller = { userId: user.id, timeZone, language, inAnalytics: !isAnalyticsOff(request) }
      return memory.search(caller, request.query)
    },
  )

  app.post(
    '/memory/opened',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Tell that a result of a search was opened',
        tags: ['Media'],
        body: resultOpenedSchema,
        response: { 204: noContentSchema },
        errors: [404],
      },
    },
    async (request, reply) => {
      const { search_id: searchId, result_id: resultId } = request.body
      const inAnalytics = !isAnalyticsOff(request)
      await memory.opened({ userId: principalOf(request).user.id, searchId, resultId, inAnalytics })
      return reply.code(204).send()
    },
  )
}
