import { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { Speaker } from '../engine-types.ts'
import { callRemote } from './call.ts'
import { type Connection, MAX_CALL_MS } from './connection.ts'
import type { ModelRole } from './role.ts'

/** Timeout until the first sound. */
const TIMEOUT_MS = 60_000
/** Four thousand characters are some five minutes of speech: 5 MB as MP3, 30 MB as WAV. */
const MAX_BYTES = 40_000_000
/** A voice that most servers have, or map to one of their own. */
const VOICE = 'alloy'

/** Audio formats by their first bytes. */
const audioFormats: { contentType: string; matches(head: Buffer): boolean }[] = [
  { contentType: 'audio/mpeg', matches: (head) => head.toString('latin1', 0, 3) === 'ID3' || isMpegFrame(head) },
  { contentType: 'audio/wav', matches: (head) => head.toString('latin1', 0, 4) === 'RIFF' },
  { contentType: 'audio/ogg', matches: (head) => head.toString('latin1', 0, 4) === 'OggS' },
  { contentType: 'audio/flac', matches: (head) => head.toString('latin1', 0, 4) === 'fLaC' },
]
const HEAD_BYTES = 4

/** True for the header of an MPEG audio frame: eleven set bits, and a layer other than 0. In an AAC stream the layer is 0. */
function isMpegFrame(head: Buffer): boolean {
  return head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0 && ((head[1] ?? 0) & 0x06) !== 0
}

/** Reads texts aloud with the speech model (POST /audio/speech), streaming the sound. */
export function createRemoteSpeaker(connection: Connection, role: ModelRole): Speaker {
  const { client, address } = connection
  const noSoundError = () => new EngineError(say('speech_empty', { address }), { code: 'empty_answer' })

  return {
    engine: 'remote',
    model: role.model,
    async speak(text, { voice = VOICE, signal }) {
      const options = { connection, role, signal, timeoutMs: TIMEOUT_MS, capability: 'speech' as const }
      return callRemote(options, async (model, callSignal) => {
        // The timeout for the first sound must not abort the rest of the stream.
        const call = new AbortController()
        const abortCall = () => call.abort(callSignal.reason)
        callSignal.addEventListener('abort', abortCall, { once: true })
        const streamSignal = AbortSignal.any([signal, call.signal, AbortSignal.timeout(MAX_CALL_MS)])
        try {
          callSignal.throwIfAborted()
          const response = await (await client()).audio.speech.create(
            { model, input: text, voice, response_format: 'mp3' },
            { signal: streamSignal },
          )
          if (response.body === null) throw noSoundError()
          const pieces = piecesOf(response.body)
          const head = await readHead(pieces)
          const audioFormat = audioFormats.find(({ matches }) => matches(head))
          if (audioFormat === undefined) {
            await pieces.return(undefined)
            throw noSoundError()
          }
          return { sound: limitBytes(head, pieces, streamSignal), contentType: audioFormat.contentType, model }
        } finally {
          callSignal.removeEventListener('abort', abortCall)
        }
      })
    },
  }
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Enough bytes to recognise the format, or all bytes if there are fewer. */
async function readHead(pieces: AsyncGenerator<Uint8Array>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  while (head.length < HEAD_BYTES) {
    const { done, value } = await pieces.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  return head
}

/** Streams at most MAX_BYTES, in case the server never stops. */
async function* limitBytes(
  head: Buffer,
  pieces: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let bytes = head.length
  try {
    yield head
    for await (const piece of pieces) {
      signal.throwIfAborted()
      bytes += piece.length
      if (bytes > MAX_BYTES) throw new EngineError(say('speech_too_long', {}))
      yield piece
    }
  } finally {
    await pieces.return(undefined)
  }
}
