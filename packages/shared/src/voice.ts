import { z } from 'zod'
import { SPEAK_MAX_CHARACTERS } from './constants/limits.ts'

/** Fields of POST /voice/transcribe beside the file. */
export const transcribeFieldsSchema = z.object({
  /** Spoken language, when known: an ISO 639-1 code. */
  language: z
    .string()
    .regex(/^[a-z]{2}$/, { error: 'must be a code of two letters, such as en' })
    .optional(),
})

/** POST /voice/transcribe. */
export const transcriptSchema = z.object({
  /** Empty when nothing was said. */
  text: z.string(),
  /** ISO 639-1 code; null when the engine does not tell. */
  language: z.string().nullable(),
  /** Seconds. */
  duration: z.number(),
  engine: z.enum(['remote', 'local']),
  /** Null when nothing had to be asked. */
  model: z.string().nullable(),
})
export type Transcript = z.output<typeof transcriptSchema>

/** POST /voice/speak; Markdown is read as its words. */
export const speakSchema = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1, { error: 'Write what is to be read aloud.' })
    .max(SPEAK_MAX_CHARACTERS, { error: `At most ${SPEAK_MAX_CHARACTERS} characters are read aloud at once.` }),
  /** One of the model’s voices, by its name. */
  voice: z
    .string()
    .regex(/^[\w.-]{1,64}$/, { error: 'must be the name of a voice' })
    .optional(),
})
