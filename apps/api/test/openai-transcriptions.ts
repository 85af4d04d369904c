import type { ServerResponse } from 'node:http'
import { type RecordedRequest, sendError, sendJson, type WireError } from './openai-wire.ts'

/** A stretch of speech as Whisper's servers send it, in seconds from the start of what they were sent. */
export interface SentSegment {
  start: number
  end: number
  text: string
  avg_logprob?: number
  no_speech_prob?: number
}

/** Behaviour of transcription. */
export interface TranscriptionBehaviour {
  /** Transcript of a file; by default one sentence for every five seconds. */
  segments?: SentSegment[] | ((sound: { seconds: number; request: RecordedRequest }) => SentSegment[])
  /** "english" without it. */
  language?: string | ((sound: { seconds: number }) => string)
  /** Forms of an answer that are refused, as newer models of OpenAI do it. */
  refuses?: string[]
  /** Longer sound is refused. */
  maxSeconds?: number
  trouble?: WireError | 'hang'
}

const SENTENCE_SECONDS = 5

/** Writes down what a WAV holds, in the form that was asked for. */
export async function answerTranscription(
  request: RecordedRequest,
  response: ServerResponse,
  { segments, language = 'english', refuses = [], maxSeconds, trouble }: TranscriptionBehaviour,
): Promise<void> {
  if (trouble === 'hang') return
  if (trouble) return sendError(response, trouble)
  const { file, response_format: form = 'json', model } = request.body
  const seconds = file instanceof Blob ? secondsOf(Buffer.from(await file.arrayBuffer())) : null
  // what was sent would fill the memory of whoever sends a lot
  request.body.file = { seconds }
  if (seconds === null) return sendError(response, { status: 400, message: 'Invalid file format.' })
  if (refuses.includes(String(form))) {
    const message = `response_format '${form}' is not compatible with model '${model}'.`
    return sendError(response, { status: 400, message, code: 'unsupported_value' })
  }
  if (maxSeconds !== undefined && seconds > maxSeconds) {
    return sendError(response, { status: 413, message: 'Maximum content size limit exceeded' })
  }
  const said = (typeof segments === 'function' ? segments({ seconds, request }) : segments) ?? sentences(seconds)
  const text = said.map((segment) => segment.text.trim()).join(' ')
  if (form === 'text') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(`${text}\n`)
  if (form === 'json') return sendJson(response, { text })
  const told = said.map((segment, id) => ({ id, avg_logprob: -0.2, no_speech_prob: 0.01, ...segment }))
  const spoken = typeof language === 'function' ? language({ seconds }) : language
  sendJson(response, { task: 'transcribe', language: spoken, duration: seconds, text, segments: told })
}

/** "This is said from 0 to 5 seconds." and so on. */
function sentences(seconds: number): SentSegment[] {
  return Array.from({ length: Math.ceil(seconds / SENTENCE_SECONDS) }, (_, at) => {
    const start = at * SENTENCE_SECONDS
    const end = Math.min(start + SENTENCE_SECONDS, seconds)
    return { start, end, text: ` This is said from ${start} to ${Math.round(end)} seconds.` }
  })
}

/** Duration of a WAV in seconds; null for other files. */
function secondsOf(wav: Buffer): number | null {
  if (wav.toString('latin1', 0, 4) !== 'RIFF' || wav.toString('latin1', 8, 12) !== 'WAVE') return null
  return (wav.length - 44) / wav.readUInt32LE(28)
}
