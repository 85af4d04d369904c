import { MESSAGE_BODY_MAX_BYTES, VOICE_MAX_BYTES } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { BadRequestError, NotFoundError } from '../../../errors.ts'
import { principalOf } from '../../../platform/http/access.ts'
import { abortOnDisconnect, callerOf } from '../../../platform/http/caller-of.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import type { ZodTypeProvider } from '../../../platform/http/serve.ts'
import { sendSse } from '../../../platform/http/sse.ts'
import type { VoiceService } from '../../chat/index.ts'
import type { CompletionResult, CompletionsService } from './completions.service.ts'
import { completionSchema, embeddingsSchema, errorBody, retryHeadersOf, statusOf } from './protocol.ts'
import type { ResponsesService } from './responses.service.ts'
import { responseRequestSchema } from './responses-protocol.ts'
import { streamedTranscription, transcriptionFieldsSchema, transcriptionIn } from './transcriptions.ts'

interface OpenAiRoutesOptions {
  completions: CompletionsService
  responses: ResponsesService
  voice: VoiceService
}

/** /v1: the OpenAI protocol, its errors included, for programs that speak it. */
export async function openAiRoutes(
  fastify: FastifyInstance,
  { completions, responses, voice }: OpenAiRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const startedAtSeconds = Math.floor(Date.now() / 1000)

  app.setErrorHandler((error, _request, reply) => {
    reply.headers(retryHeadersOf(error))
    const status = statusOf(error)
    if (status === 401) reply.header('www-authenticate', 'Bearer realm="Mira"')
    return reply.code(status).send(errorBody(error))
  })
  // Read as a form or a text, JSON would be refused for lacking fields, which doesn't say that its type is missing.
  app.removeContentTypeParser(['application/x-www-form-urlencoded', 'text/plain'])
  const notFound = () => new NotFoundError('There is nothing at this address.')
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(errorBody(notFound())))
  // Otherwise the web app would be served.
  app.get('/*', { config: { access: 'public' } }, async () => {
    throw notFound()
  })

  const modelOf = (id: string) => ({ id, object: 'model', created: startedAtSeconds, owned_by: 'mira' })

  app.get('/models', { config: { access: 'chat' } }, async () => ({
    object: 'list',
    data: (await completions.models()).map(modelOf),
  }))

  // Model ids may contain slashes.
  app.get('/models/*', { config: { access: 'chat' } }, async (request) => {
    const id = (request.params as Record<string, string>)['*'] ?? ''
    if ((await completions.models()).includes(id)) return modelOf(id)
    throw new NotFoundError(`There is no model "${cutText(id, 100)}".`, { code: 'model_not_found' })
  })

  app.post(
    '/chat/completions',
    {
      config: { access: 'chat', userLimit: 'stream' },
      bodyLimit: MESSAGE_BODY_MAX_BYTES,
      schema: { body: completionSchema },
    },
    async (request, reply) => {
      const signal = abortOnDisconnect(reply)
      return sendCompleted(reply, await completions.complete(callerOf(request), request.body, signal))
    },
  )

  app.post(
    '/responses',
    {
      config: { access: 'chat', userLimit: 'stream' },
      bodyLimit: MESSAGE_BODY_MAX_BYTES,
      schema: { body: responseRequestSchema },
    },
    async (request, reply) => {
      const signal = abortOnDisconnect(reply)
      return sendCompleted(reply, await responses.respond(callerOf(request), request.body, signal))
    },
  )

  app.post(
    '/embeddings',
    { config: { access: 'chat' }, bodyLimit: MESSAGE_BODY_MAX_BYTES, schema: { body: embeddingsSchema } },
    async (request, reply) => {
      const embedded = await completions.embed(request.body, abortOnDisconnect(reply))
      return embedded.kind === 'relayed' ? sendRelayed(reply, embedded.answer) : embedded.body
    },
  )

  app.post(
    '/audio/transcriptions',
    { config: { access: 'voice', hasNoBodyTimeout: true }, bodyLimit: VOICE_MAX_BYTES },
    async (request, reply) => {
      if (!request.isMultipart()) throw new BadRequestError('Send the recording as multipart/form-data, as `file`.')
      const userId = principalOf(request).user.id
      const signal = abortOnDisconnect(reply)
      const { transcript, fields } = await voice.admit(
        userId,
        Number(request.headers['content-length'] ?? 0),
        async () => {
          const { fields: rawFields, file } = await readUpload(request, {
            maxFileBytes: VOICE_MAX_BYTES,
            receive: voice.receive,
          })
          try {
            const fields = transcriptionFieldsSchema.parse(rawFields)
            return { transcript: await voice.transcribe(file, { language: fields.language, signal }), fields }
          } finally {
            await file.discard()
          }
        },
      )
      if (fields.stream) return sendSse(reply, () => streamedTranscription(transcript))
      const { contentType, body } = transcriptionIn(fields.response_format, transcript)
      return reply.type(contentType).send(body)
    },
  )
}

function sendCompleted(reply: FastifyReply, completed: CompletionResult): unknown {
  if (completed.kind === 'relayed') return sendRelayed(reply, completed.answer)
  if (completed.kind === 'whole') return completed.body
  return sendSse(reply, () => completed.events)
}

function sendRelayed(
  reply: FastifyReply,
  { contentType, body }: Extract<CompletionResult, { kind: 'relayed' }>['answer'],
): FastifyReply {
  if (body === null) return reply.type(contentType).send('')
  const isStream = contentType.includes('text/event-stream')
  // Pings are SSE comments, and one could split a relayed event in two.
  return sendSse(reply, () => (isStream ? withErrorEvent(body) : body), { contentType, pingIntervalMs: null })
}

/** A relayed stream; when it breaks off, it ends with the protocol's error event. */
async function* withErrorEvent(body: AsyncIterable<Uint8Array>): AsyncGenerator<string | Uint8Array> {
  try {
    yield* body
  } catch (error) {
    yield `\n\ndata: ${JSON.stringify(errorBody(error))}\n\n`
  }
}
