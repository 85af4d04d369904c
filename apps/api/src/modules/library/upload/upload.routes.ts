import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { idParamsSchema, uploadFieldsSchema } from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf, requireStillAllowed } from '../../../platform/http/access.ts'
import { abortOnDisconnect } from '../../../platform/http/caller-of.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import { serve } from '../../../platform/http/serve.ts'
import { presentExistingItem } from './known-item.ts'
import type { PartialUploadsService } from './partial-uploads.service.ts'
import type { UploadService } from './upload.service.ts'

const CONTENT_TYPE = 'application/offset+octet-stream'
const VERSION_HEADERS = { 'tus-resumable': '1.0.0', 'tus-version': '1.0.0' }

/** Applies a POST's method override header, as tus requires, since some networks block PATCH and DELETE. */
export function overrideMethod(request: IncomingMessage): void {
  const method = String(request.headers['x-http-method-override']).toUpperCase()
  const isUpload = request.method === 'POST' && request.url?.startsWith('/api/media/uploads/') === true
  if (isUpload && (method === 'PATCH' || method === 'DELETE')) request.method = method
}

/** /media/uploads: partial uploads of large files, using the tus 1.0 protocol. */
export async function partialUploadsRoutes(
  app: FastifyInstance,
  { partialUploads }: { partialUploads: PartialUploadsService },
): Promise<void> {
  // Tus sends the parts of a file with this content type.
  app.addContentTypeParser(CONTENT_TYPE, (_request, payload, done) => done(null, payload))

  const senderOf = (request: FastifyRequest) => ({
    userId: principalOf(request).user.id,
    user: principalOf(request).user,
    countsInAnalytics: !isAnalyticsOff(request),
    requireStillAllowed: () => requireStillAllowed(request),
  })
  const handleTus = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(VERSION_HEADERS)
    const sender = senderOf(request)
    const body = request.body instanceof Readable ? request.body : null
    const handle = () =>
      partialUploads.tus.handle(sender, { method: request.method, path: request.url, headers: request.headers, body })
    const announcedBytes = Number(request.headers['content-length'] ?? 0)
    const { status, headers } =
      body === null ? await handle() : await partialUploads.admit(sender.userId, announcedBytes, handle)
    return reply.code(status).headers(headers).send()
  }
  const handleTusOfUpload = async (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
    reply.headers(VERSION_HEADERS)
    await partialUploads.requireExisting(principalOf(request).user.id, request.params.id)
    return handleTus(request, reply)
  }

  app.options('/media/uploads', { config: { access: 'upload', scope: 'upload' } }, handleTus)
  serve(app, 'POST /media/uploads', handleTus)
  serve(app, 'GET /media/uploads', async (request) => ({
    uploads: await partialUploads.list(principalOf(request).user.id),
  }))
  // Before the GET route, which would otherwise handle it.
  app.head(
    '/media/uploads/:id',
    { config: { access: 'upload', scope: 'upload' }, schema: { params: idParamsSchema } },
    handleTusOfUpload,
  )
  const stateOf = async (request: FastifyRequest<{ Params: { id: string } }>) => {
    const state = await partialUploads.state(senderOf(request), request.params.id)
    const { media_item: item, is_duplicate } = state
    return item !== null && is_duplicate ? { ...state, media_item: presentExistingItem(request, item) } : state
  }
  serve(app, 'GET /media/uploads/:id', stateOf, { exposeHeadRoute: false })
  serve(app, 'PATCH /media/uploads/:id', handleTusOfUpload)
  serve(app, 'DELETE /media/uploads/:id', handleTusOfUpload)
}

const statuses = { done: 201, processing: 202, known: 200 } as const

/** POST /media/upload. */
export async function uploadRoutes(
  app: FastifyInstance,
  { uploads, maxFileBytes }: { uploads: UploadService; maxFileBytes(): number },
): Promise<void> {
  serve(app, 'POST /media/upload', async (request, reply) => {
    const userId = principalOf(request).user.id
    const countsInAnalytics = !isAnalyticsOff(request)
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
      const upload = { userId, name, file, countsInAnalytics, durationMs }
      return { accepted: await uploads.accept(upload, options.data), wait: options.data.wait }
    })
    const { item, outcome } = await uploads.result(userId, accepted, { wait, signal: abortOnDisconnect(reply) })
    return reply.code(statuses[outcome]).send(outcome === 'known' ? presentExistingItem(request, item) : item)
  })
}
