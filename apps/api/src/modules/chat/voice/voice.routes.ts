import { speakSchema, transcribeFieldsSchema, transcriptSchema, VOICE_MAX_BYTES } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { VoiceService } from './voice.service.ts'

/** /voice/…: speech to text, and text to speech. */
export async function voiceRoutes(fastify: FastifyInstance, { voice }: { voice: VoiceService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.post(
    '/voice/transcribe',
    {
      config: { access: 'voice', isPatient: true },
      bodyLimit: VOICE_MAX_BYTES,
      schema: {
        summary: 'Write down what is said',
        description:
          'A recording of at most 25 MB and 10 minutes, judged by its content. It is not kept. A request that is given up stops the work.',
        tags: ['Voice'],
        form: transcribeFieldsSchema.extend({ file: z.file() }),
        response: { 200: transcriptSchema },
        errors: [413, 415, 422, 429, 503, 507],
      },
    },
    async (request, reply) => {
      const userId = principalOf(request).user.id
      const signal = abortWhenCallerLeaves(reply)
      return voice.admit(userId, Number(request.headers['content-length'] ?? 0), async () => {
        const { fields, file } = await readUpload(request, { maxFileBytes: VOICE_MAX_BYTES, receive: voice.receive })
        try {
          const { language } = transcribeFieldsSchema.parse(fields)
          return await voice.transcribe(file, { language, signal })
        } finally {
          await file.discard()
        }
      })
    },
  )

  app.post(
    '/voice/speak',
    {
      config: { access: 'voice' },
      schema: {
        summary: 'Read a text aloud',
        description: 'Marks of Markdown are left out. The sound comes as it is made.',
        tags: ['Voice'],
        body: speakSchema,
        file: ['audio/mpeg', 'audio/wav', 'audio/ogg', 'audio/flac'],
        errors: [429, 503, 507],
      },
    },
    async (request, reply) => {
      const { text, voice: named } = request.body
      const signal = abortWhenCallerLeaves(reply)
      const { sound, contentType } = await voice.speak(principalOf(request).user.id, { text, voice: named, signal })
      return reply.header('content-type', contentType).send(sound)
    },
  )
}
