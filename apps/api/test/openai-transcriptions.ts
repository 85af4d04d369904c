import type { ServerResponse } from 'node:http'
import { type RecordedRequest, sendError, sendJson, type WireError } from './openai-wire.ts'

/** A segment as Whisper servers send it, in seconds from the start of the audio. */
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
  /** By default "english". */
  language?: string | ((sound: { seconds: number }) => string)
  /** Response formats that are rejected, as newer models of OpenAI do. */
  refuses?: string[]
  /** Longer audio is rejected. */
  maxSeconds?: number
  failure?: WireError | 'hang'
}

const SENTENCE_SECONDS = 5

/** Transcribes a WAV in the requested format. */
export async function answerTranscription(
  request: RecordedRequest,
  response: ServerResponse,
  { segments, language = 'english', refuses = [], maxSeconds, failure }: TranscriptionBehaviour,
): Promise<void> {
  if (failure === 'hang') return
  if (failure) return sendError(response, failure)
  const { file, response_format: format = 'json', model } = request.body
  const seconds = file instanceof Blob ? secondsOf(Buffer.from(await file.arrayBuffer())) : null
  // Kept files would fill the memory of tests that send many.
  request.body.file = { seconds }
  if (seconds === null) return sendError(response, { status: 400, message: 'Invalid file format.' })
  if (refuses.includes(String(format))) {
    const message = `response_format '${format}' is not compatible with model '${model}'.`
    return sendError(response, { status: 400, message, code: 'unsupported_value' })
  }
  if (maxSeconds !== undefined && seconds > maxSeconds) {
    return sendError(response, { status: 413, message: 'Maximum content size limit exceeded' })
  }
  const transcript = (typeof segments === 'function' ? segments({ seconds, request }) : segments) ?? sentences(seconds)
  const text = transcript.map((segment) => segment.text.trim()).join(' ')
  if (format === 'text') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(`${text}\n`)
  if (format === 'json') return sendJson(response, { text })
  const sentSegments = transcript.map((segment, id) => ({ id, avg_logprob: -0.2, no_speech_prob: 0.01, ...segment }))
  const spokenLanguage = typeof language === 'function' ? language({ seconds }) : language
  sendJson(response, { task: 'transcribe', language: spokenLanguage, duration: seconds, text, segments: sentSegments })
}

/** "This is said from 0 to 5 seconds." and so on. */
function sentences(seconds: number): SentSegment[] {
  return Array.from({ length: Math.ceil(seconds / SENTENCE_SECONDS) }, (_, index) => {
    const start = index * SENTENCE_SECONDS
    const end = Math.min(start + SENTENCE_SECONDS, seconds)
    return { start, end, text: ` This is said from ${start} to ${Math.round(end)} seconds.` }
  })
}

/** Duration of a WAV in seconds; null for other files. */
function secondsOf(wav: Buffer): number | null {
  if (wav.toString('latin1', 0, 4) !== 'RIFF' || wav.toString('latin1', 8, 12) !== 'WAVE') return null
  return (wav.length - 44) / wav.readUInt32LE(28)
}
