import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { encodeWav } from '../src/parsers/audio/wav.ts'
import { type RecordedRequest, sendError, type WireError } from './openai-wire.ts'

/** Behaviour of speech. */
export interface SpeechBehaviour {
  /** Response body instead of audio. */
  body?: Buffer
  /** Endless audio. */
  isEndless?: boolean
  /** Delays the response until this resolves. */
  until?: Promise<void>
  failure?: WireError | 'hang'
}

const SAMPLE_RATE = 16_000
const SECONDS_PER_CHARACTER = 0.02

/** Sends a tone as long as the text needs, as a WAV, which self-hosted servers send whatever the requested format. */
export async function answerSpeech(
  request: RecordedRequest,
  response: ServerResponse,
  { body, isEndless, until, failure }: SpeechBehaviour,
): Promise<void> {
  if (failure === 'hang') return
  if (failure) return sendError(response, failure)
  const { input } = request.body
  if (typeof input !== 'string' || input === '') {
    return sendError(response, { status: 400, message: 'input is required' })
  }
  const samples = Int16Array.from(
    { length: Math.ceil(input.length * SECONDS_PER_CHARACTER * SAMPLE_RATE) },
    (_, index) => 4000 * Math.sin(index / 6),
  )
  await until
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  const sound = body ?? encodeWav(samples, SAMPLE_RATE)
  if (!isEndless) return void response.end(sound)
  const endless = function* () {
    for (;;) yield sound
  }
  // Ends when the client disconnects.
  await pipeline(Readable.from(endless()), response).catch(() => {})
}
