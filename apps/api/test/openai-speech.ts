import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { encodeWav } from '../src/parsers/audio/wav.ts'
import { type RecordedRequest, sendError, type WireError } from './openai-wire.ts'

/** Behaviour of speech. */
export interface SpeechBehaviour {
  /** Response body instead of sound. */
  body?: Buffer
  /** Sound without an end. */
  isEndless?: boolean
  /** It comes only then. */
  until?: Promise<void>
  trouble?: WireError | 'hang'
}

const SAMPLE_RATE = 16_000
const SECONDS_PER_CHARACTER = 0.02

/** A tone, the longer the more there is to say; a WAV, as servers at home send it whatever was asked for. */
export async function answerSpeech(
  request: RecordedRequest,
  response: ServerResponse,
  { body, isEndless, until, trouble }: SpeechBehaviour,
): Promise<void> {
  if (trouble === 'hang') return
  if (trouble) return sendError(response, trouble)
  const { input } = request.body
  if (typeof input !== 'string' || input === '') {
    return sendError(response, { status: 400, message: 'input is required' })
  }
  const samples = Int16Array.from(
    { length: Math.ceil(input.length * SECONDS_PER_CHARACTER * SAMPLE_RATE) },
    (_, at) => 4000 * Math.sin(at / 6),
  )
  await until
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  const sound = body ?? encodeWav(samples, SAMPLE_RATE)
  if (!isEndless) return void response.end(sound)
  const endless = function* () {
    for (;;) yield sound
  }
  // until whoever listens goes away
  await pipeline(Readable.from(endless()), response).catch(() => {})
}
