import { transcribeFieldsSchema, VOICE_MAX_BYTES } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { abortOnDisconnect } from '../../../platform/http/caller-of.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { VoiceService } from './voice.service.ts'

/** /voice/…: speech to text, and text to speech. */
export async function voiceRoutes(app: FastifyInstance, { voice }: { voice: VoiceService }): Promise<void> {
  serve(app, 'POST /voice/transcribe', async (request, reply) => {
    const userId = principalOf(request).user.id
    const signal = abortOnDisconnect(reply)
    return voice.admit(userId, Number(request.headers['content-length'] ?? 0), async () => {
      const { fields, file } = await readUpload(request, { maxFileBytes: VOICE_MAX_BYTES, receive: voice.receive })
      try {
        const { language } = transcribeFieldsSchema.parse(fields)
        return await voice.transcribe(file, { language, signal })
      } finally {
        await file.discard()
      }
    })
  })

  serve(app, 'POST /voice/speak', async (request, reply) => {
    const { text, voice: voiceName } = request.body
    const signal = abortOnDisconnect(reply)
    const { sound, contentType } = await voice.speak(principalOf(request).user.id, { text, voice: voiceName, signal })
    return reply.header('content-type', contentType).send(sound)
  })
}
