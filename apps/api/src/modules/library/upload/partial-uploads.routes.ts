import { Readable } from 'node:stream'
import { idParamsSchema, partialUploadStateSchema, partialUploadsSchema, UPLOAD_MAX_BYTES } from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { PartialUploadsService } from './partial-uploads.service.ts'

const CONTENT_TYPE = 'application/offset+octet-stream'

/** /media/uploads: large files that arrive in parts, as tus 1.0 has it. */
export async function partialUploadsRoutes(
  fastify: FastifyInstance,
  { partialUploads }: { partialUploads: PartialUploadsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  // whoever speaks the protocol reads it
  app.addContentTypeParser(CONTENT_TYPE, (_request, payload, done) => done(null, payload))

  const senderOf = (request: FastifyRequest) => ({
    userId: principalOf(request).user.id,
    user: principalOf(request).user,
    inAnalytics: !isAnalyticsOff(request),
  })
  const speak = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('tus-resumable', '1.0.0')
    const sender = senderOf(request)
    const body = request.body instanceof Readable ? request.body : null
    const handle = () =>
      partialUploads.tus.handle(sender, { method: request.method, path: request.url, headers: request.headers, body })
    const announcedBytes = Number(request.headers['content-length'] ?? 0)
    const { status, headers } =
      body === null ? await handle() : await partialUploads.admit(sender.userId, announcedBytes, handle)
    return reply.code(status).headers(headers).send()
  }
  const speakOfOne = async (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
    await partialUploads.mustExist(principalOf(request).user.id, request.params.id)
    return speak(request, reply)
  }
  const params = idParamsSchema
  const tags: ['Media'] = ['Media']

  app.options('/media/uploads', { config: { access: 'upload', scope: 'upload' } }, speak)
  app.post(
    '/media/uploads',
    {
      config: { access: 'upload', scope: 'upload', isPatient: true },
      bodyLimit: UPLOAD_MAX_BYTES,
      schema: {
        summary: 'Begin an upload that arrives in parts (tus 1.0)',
        description:
          'Upload-Length is the size of the file: films and recordings up to `upload_bytes` of GET /config, pictures and documents up to `still_upload_bytes`. Upload-Metadata may hold filename, fingerprint (what the sender knows the file by), generate_caption, extract_text and keep_place; with import_source (and import_preview) the file is one that another program exported and becomes an import. The answer’s Location is where the parts go.',
        tags,
        response: { 201: noContentSchema },
        answerHeaders: { Location: 'Where the parts go, relative to this address.' },
        errors: [400, 412, 413, 422, 429, 503, 507],
      },
    },
    speak,
  )
  app.get(
    '/media/uploads',
    {
      config: { access: 'upload', scope: 'upload' },
      schema: { summary: 'List unfinished uploads', tags, response: { 200: partialUploadsSchema } },
    },
    async (request) => ({ uploads: await partialUploads.list(principalOf(request).user.id) }),
  )
  // before its GET, which would otherwise answer it
  app.head('/media/uploads/:id', { config: { access: 'upload', scope: 'upload' }, schema: { params } }, speakOfOne)
  app.get(
    '/media/uploads/:id',
    {
      config: { access: 'upload', scope: 'upload' },
      exposeHeadRoute: false,
      schema: {
        summary: 'Read how far an upload is and what it became',
        description:
          'Once all bytes are there `media_item`, or `import_id`, is what they became; what is wrong with them is the answer.',
        tags,
        params,
        response: { 200: partialUploadStateSchema },
        errors: [409, 415, 422, 507],
      },
    },
    async (request) => partialUploads.state(senderOf(request), request.params.id),
  )
  app.patch(
    '/media/uploads/:id',
    {
      config: { access: 'upload', scope: 'upload', isPatient: true },
      bodyLimit: UPLOAD_MAX_BYTES,
      schema: {
        summary: 'Send a part (tus 1.0)',
        description:
          'The body is `application/offset+octet-stream` of at most 100 MB, Upload-Offset says where it begins, Upload-Checksum (sha1, sha256 or md5) what it must be. With the last byte the file becomes an item, or the answer is why it cannot.',
        tags,
        params,
        response: { 204: noContentSchema },
        answerHeaders: { 'Upload-Offset': 'How many bytes have arrived.' },
        errors: [400, 409, 412, 413, 415, 422, 429, 460, 503, 507],
      },
    },
    speakOfOne,
  )
  app.delete(
    '/media/uploads/:id',
    {
      config: { access: 'upload', scope: 'upload' },
      schema: {
        summary: 'Discard an upload',
        description: 'What it became stays.',
        tags,
        params,
        response: { 204: noContentSchema },
        errors: [409, 412],
      },
    },
    speakOfOne,
  )
}
