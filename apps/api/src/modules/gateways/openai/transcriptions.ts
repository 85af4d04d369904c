import { encodeSse, SSE_DONE } from '@mira/shared'
import { z } from 'zod'
import type { TimedTranscript } from '../../chat/index.ts'

const FORMATS = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const

/** POST /v1/audio/transcriptions: fields besides the file. */
export const transcriptionFieldsSchema = z.looseObject({
  language: z.string().max(40).optional(),
  response_format: z.enum(FORMATS, { error: `must be one of ${FORMATS.join(', ')}` }).default('json'),
  stream: z.stringbool().default(false),
})

/** A transcript in the requested format. */
export function transcriptionIn(
  format: (typeof FORMATS)[number],
  { text, language, duration, segments }: TimedTranscript,
): { contentType: string; body: unknown } {
  switch (format) {
    case 'json':
      return { contentType: 'application/json; charset=utf-8', body: { text } }
    case 'verbose_json': {
      // Clients read all fields that OpenAI's own models return.
      const unknownFields = {
        seek: 0,
        tokens: [],
        temperature: 0,
        avg_logprob: 0,
        compression_ratio: 1,
        no_speech_prob: 0,
      }
      const numbered = segments.map(({ start, end, text }, id) => ({ id, start, end, text, ...unknownFields }))
      return {
        contentType: 'application/json; charset=utf-8',
        body: { task: 'transcribe', text, language, duration, segments: numbered },
      }
    }
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: `${text}\n` }
    case 'srt': {
      const cues = segments.map((segment, index) => `${index + 1}\n${cueOf(segment, ',')}\n`)
      return { contentType: 'text/plain; charset=utf-8', body: cues.join('\n') }
    }
    case 'vtt': {
      const cues = segments.map((segment) => `${cueOf(segment, '.')}\n`)
      return { contentType: 'text/vtt; charset=utf-8', body: ['WEBVTT\n', ...cues].join('\n') }
    }
  }
}

/** A transcript as an event stream, with a single delta, since it's only available as a whole. */
export async function* streamedTranscription({ text }: TimedTranscript): AsyncGenerator<string> {
  const event = (data: object) => encodeSse({ data: JSON.stringify(data) })
  if (text !== '') yield event({ type: 'transcript.text.delta', delta: text })
  yield event({ type: 'transcript.text.done', text })
  yield encodeSse({ data: SSE_DONE })
}

function cueOf({ start, end, text }: TimedTranscript['segments'][number], decimalMark: string): string {
  return `${clockOf(start, decimalMark)} --> ${clockOf(end, decimalMark)}\n${text}`
}

/** Time of a subtitle as hours, minutes, seconds and milliseconds. */
function clockOf(seconds: number, decimalMark: string): string {
  return new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replace('.', decimalMark)
}
