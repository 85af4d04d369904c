import {
  idParamsSchema,
  mediaPartParamsSchema,
  type PictureSize,
  signedFileQuerySchema,
  thumbnailQuerySchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { MediaService } from './media.service.ts'

type StoredSize = Exclude<PictureSize, 'thumbnail'>
const fileRoutes: Record<StoredSize, { path: string; summary: string; type: string | string[] }> = {
  original: { path: 'file', summary: 'Load an item as it was given', type: 'application/octet-stream' },
  preview: {
    path: 'preview',
    summary: 'Load an item as every browser can show or play it',
    type: ['image/jpeg', 'image/webp', 'video/mp4', 'video/webm', 'audio/mpeg', 'application/octet-stream'],
  },
}
const motionRoutes = {
  motion: {
    summary: 'Load the film that was taken with a picture, as every browser can play it',
    type: ['video/mp4', 'video/quicktime'],
  },
  film: {
    summary: 'Load the film that was taken with a picture as it was given',
    type: ['video/quicktime', 'video/mp4', 'application/octet-stream'],
  },
}
const partRoutes = {
  frame: { path: 'frames', summary: 'Load a small picture of a frame' },
  page: { path: 'pages', summary: 'Load a small picture of a page' },
} as const
const description = 'Opens with a token or with the signed path that an item carries.'

/** /media/{id}/file and its like: the bytes of items and of what was made of them. */
export async function mediaFilesRoutes(fastify: FastifyInstance, { media }: { media: MediaService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const config = { access: 'upload', signed: true } as const

  for (const [size, { path, summary, type }] of Object.entries(fileRoutes) as [
    StoredSize,
    (typeof fileRoutes)[StoredSize],
  ][]) {
    app.get(
      `/media/:id/${path}`,
      {
        config,
        schema: {
          summary,
          description,
          file: type,
          tags: ['Media'],
          params: idParamsSchema,
          querystring: signedFileQuerySchema,
        },
      },
      async (request, reply) => {
        const file = await media.file(principalOf(request).user.id, request.params.id, size)
        return sendFile(request, reply, file)
      },
    )
  }

  app.get(
    '/media/:id/thumbnail',
    {
      config,
      schema: {
        summary: 'Load a small picture of an item',
        description: `${description} \`size=small\` stands after the signature, and gives one of 384 pixels in place of 512.`,
        file: 'image/webp',
        tags: ['Media'],
        params: idParamsSchema,
        querystring: thumbnailQuerySchema,
      },
    },
    async (request, reply) => {
      const userId = principalOf(request).user.id
      const { id } = request.params
      const isSmall = request.query.size === 'small'
      return sendFile(
        request,
        reply,
        await (isSmall ? media.smallThumbnail(userId, id) : media.file(userId, id, 'thumbnail')),
      )
    },
  )

  for (const path of ['motion', 'film'] as const) {
    const { summary, type } = motionRoutes[path]
    app.get(
      `/media/:id/${path}`,
      {
        config,
        schema: {
          summary,
          description,
          file: type,
          tags: ['Media'],
          params: idParamsSchema,
          querystring: signedFileQuerySchema,
        },
      },
      async (request, reply) =>
        sendFile(request, reply, await media.motion(principalOf(request).user.id, request.params.id, path)),
    )
  }

  for (const kind of ['frame', 'page'] as const) {
    app.get(
      `/media/:id/${partRoutes[kind].path}/:n`,
      {
        config,
        schema: {
          summary: partRoutes[kind].summary,
          description,
          file: 'image/webp',
          tags: ['Media'],
          params: mediaPartParamsSchema,
          querystring: signedFileQuerySchema,
        },
      },
      async (request, reply) => {
        const { id, n } = request.params
        return sendFile(request, reply, await media.part(principalOf(request).user.id, id, kind, n))
      },
    )
  }
}
