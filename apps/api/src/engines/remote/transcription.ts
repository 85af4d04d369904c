import { toFile } from 'openai/core/uploads'
import { EngineError } from '../../errors.ts'
import { encodeWav, openWav } from '../../parsers/audio/wav.ts'
import type { Segment, Transcriber } from '../engine-types.ts'
import { isSilent, MIN_REST_SECONDS, nextPiece, REMOTE_PIECE_SECONDS } from '../speech/sound-pieces.ts'
import { mainLanguage, type PieceTranscript, placeSegments, readTranscript } from '../speech/transcript.ts'
import { callRemote } from './call.ts'
import { type Connection, MAX_CALL_MS } from './connection.ts'
import { readInputLimit } from './embedding.ts'
import { rejectsParameter } from './errors.ts'
import type { ModelRole } from './role.ts'

const MIN_PIECE_SECONDS = 30

/** Response formats from most to least detailed; when a server refuses one, the next is requested. */
const formats = ['verbose_json', 'json', 'text'] as const

/** Transcribes speech with the transcription model, piece by piece. */
export function createRemoteTranscriber(connection: Connection, role: ModelRole): Transcriber {
  const { client, log } = connection
  /** Index of the format that each model supports. */
  const formatOf = new Map<string, number>()
  let pieceSeconds = REMOTE_PIECE_SECONDS

  const askOnce = async (
    model: string,
    sound: Buffer<ArrayBuffer>,
    language: string | undefined,
    signal: AbortSignal,
  ) => {
    for (let format = formatOf.get(model) ?? 0; ; format++) {
      try {
        const file = await toFile(sound, 'sound.wav', { type: 'audio/wav' })
        const response: unknown = await (await client()).audio.transcriptions.create(
          { model, file, response_format: formats[format] ?? 'text', ...(language ? { language } : {}) },
          { signal },
        )
        formatOf.set(model, format)
        return readTranscript(response)
      } catch (error) {
        const isLast = format === formats.length - 1
        if (isLast || !rejectsParameter(error, /response.?format|verbose|json/i)) throw error
        log.info({ model, format: formats[format] }, 'the transcription model needs another response format')
      }
    }
  }

  return {
    engine: 'remote',
    model: role.model,
    async transcribe(filename, { language, signal, onProgress }) {
      await using wav = await openWav(filename)
      let usedModel = await role.requireModel()
      const segments: Segment[] = []
      const pieces: PieceTranscript[] = []
      for (let start = 0; start < wav.durationSeconds - MIN_REST_SECONDS; ) {
        signal.throwIfAborted()
        const { samples, seconds } = await nextPiece(wav, start, pieceSeconds)
        if (!isSilent(samples)) {
          const sound = encodeWav(samples, wav.sampleRate)
          const options = { connection, role, signal, timeoutMs: MAX_CALL_MS, capability: 'transcription' as const }
          const piece = await callRemote(options, (model, callSignal) => {
            usedModel = model
            return askOnce(model, sound, language, callSignal)
          }).catch((error: unknown) => {
            const isTooMuch =
              error instanceof EngineError && (error.code === 'model_timeout' || readInputLimit(error.cause) !== null)
            if (!isTooMuch || seconds <= MIN_PIECE_SECONDS) throw error
            return null
          })
          if (piece === null) {
            pieceSeconds = Math.max(MIN_PIECE_SECONDS, seconds / 2)
            log.info({ model: usedModel, seconds: pieceSeconds }, 'sending shorter pieces to the transcription model')
            continue
          }
          pieces.push(piece)
          const isSilentFrom = (from: number, to: number) =>
            isSilent(samples.subarray(Math.max(0, Math.floor(from * wav.sampleRate)), Math.ceil(to * wav.sampleRate)))
          segments.push(...placeSegments(piece, { start, seconds }, isSilentFrom))
        }
        start += seconds
        onProgress?.(Math.min(start / wav.durationSeconds, 1))
      }
      return { segments, language: mainLanguage(pieces), model: usedModel }
    },
  }
}
