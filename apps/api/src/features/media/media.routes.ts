import { idParamsSchema, mediaStatsSchema, type PictureSize, signedFileQuerySchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../http/auth.ts'
import { sendFile } from '../../http/file-answer.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { MediaService } from './media.service.ts'

const fileRoutes: Record<PictureSize, { path: string; summary: string; type: string }> = {
  original: { path: 'file', summary: 'Load an item as it was given', type: 'application/octet-stream' },
  preview: { path: 'preview', summary: 'Load an item as every browser can show it', type: 'image/jpeg' },
  thumbnail: { path: 'thumbnail', summary: 'Load a small picture of an item', type: 'image/webp' },
}

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

  for (const [size, { path, summary, type }] of Object.entries(fileRoutes) as [
    PictureSize,
    (typeof fileRoutes)[PictureSize],
  ][]) {
    app.get(
      `/media/:id/${path}`,
      {
        config: { access: 'upload', signed: true },
        schema: {
          summary,
          description: 'Opens with a token or with the signed path that an item carries.',
          tags: ['Media'],
          params: idParamsSchema,
          querystring: signedFileQuerySchema,
          file: type,
        },
      },
      async (request, reply) => {
        const file = await media.file(principalOf(request).user.id, request.params.id, size)
        return sendFile(request, reply, file)
      },
    )
  }
}
