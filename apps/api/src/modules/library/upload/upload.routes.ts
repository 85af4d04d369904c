import { uploadFieldsSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import { serve } from '../../../platform/http/serve.ts'
import { knownItemFor } from './known-item.ts'
import type { UploadService } from './upload.service.ts'

const statuses = { done: 201, processing: 202, known: 200 } as const

/** POST /media/upload. */
export async function uploadRoutes(
  app: FastifyInstance,
  { uploads, maxFileBytes }: { uploads: UploadService; maxFileBytes(): number },
): Promise<void> {
  serve(app, 'POST /media/upload', async (request, reply) => {
    const userId = principalOf(request).user.id
    const inAnalytics = !isAnalyticsOff(request)
    const announcedBytes = Number(request.headers['content-length'] ?? 0)
    const startedAt = performance.now()
    const { accepted, wait } = await uploads.admit(userId, announcedBytes, async () => {
      const { fields, name, file } = await readUpload(request, {
        maxFileBytes: maxFileBytes(),
        receive: uploads.receive,
      })
      const options = uploadFieldsSchema.safeParse(fields)
      if (!options.success) {
        await file.discard()
        throw options.error
      }
      const durationMs = Math.round(performance.now() - startedAt)
      const upload = { userId, name, file, inAnalytics, durationMs }
      return { accepted: await uploads.accept(upload, options.data), wait: options.data.wait }
    })
    const { item, outcome } = await uploads.result(userId, accepted, { wait, signal: abortWhenCallerLeaves(reply) })
    return reply.code(statuses[outcome]).send(outcome === 'known' ? knownItemFor(request, item) : item)
  })
}
