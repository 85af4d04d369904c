import { mediaStatsSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../http/auth.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { MediaService } from './media.service.ts'

/** /media/…: what the caller has shown to the assistant. */
export async function mediaRoutes(fastify: FastifyInstance, { media }: { media: MediaService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/media/stats',
    {
      config: { access: 'user' },
      schema: { summary: 'Read the caller’s own totals', tags: ['Media'], response: { 200: mediaStatsSchema } },
    },
    async (request) => media.stats(principalOf(request).user.id),
  )
}
