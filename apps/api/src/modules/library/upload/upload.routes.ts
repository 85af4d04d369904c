import { mediaItemSchema, UPLOAD_MAX_BYTES, uploadFieldsSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { UploadService } from './upload.service.ts'

const statuses = { done: 201, processing: 202, known: 200 } as const

/** POST /media/upload. */
export async function uploadRoutes(
  fastify: FastifyInstance,
  { uploads, maxFileBytes }: { uploads: UploadService; maxFileBytes(): number },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.post(
    '/media/upload',
    {
      config: { access: 'upload', scope: 'upload', isPatient: true },
      bodyLimit: UPLOAD_MAX_BYTES,
      schema: {
        summary: 'Upload a file',
        description:
          'Fields may stand before or after the file. 201 when everything is done within `wait` seconds, 202 when it goes on; the bytes are stored before either. 200 with the item that is there when the same content was uploaded before.',
        tags: ['Media'],
        form: uploadFieldsSchema.extend({ file: z.file() }),
        response: { 200: mediaItemSchema, 201: mediaItemSchema, 202: mediaItemSchema },
        errors: [413, 415, 422, 429, 503, 507],
      },
    },
    async (request, reply) => {
      const userId = principalOf(request).user.id
      const inAnalytics = !isAnalyticsOff(request)
      const announcedBytes = Number(request.headers['content-length'] ?? 0)
      const startedAt = performance.now()
      const { accepted, wait } = await uploads.admit(userId, announcedBytes, async () => {
        const { fields, name, file } = await readUpload(request, {
          maxFileBytes: maxFileBytes(),
          receive: uploads.receive,
        })
        const wishes = uploadFieldsSchema.safeParse(fields)
        if (!wishes.success) {
          await file.discard()
          throw wishes.error
        }
        const durationMs = Math.round(performance.now() - startedAt)
        const given = { userId, name, file, inAnalytics, durationMs }
        return { accepted: await uploads.accept(given, wishes.data), wait: wishes.data.wait }
      })
      const { item, outcome } = await uploads.result(userId, accepted, { wait, signal: abortWhenCallerLeaves(reply) })
      return reply.code(statuses[outcome]).send(item)
    },
  )
}
