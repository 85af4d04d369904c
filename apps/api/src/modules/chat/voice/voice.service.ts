import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { type Transcript, toSpeakableText, VOICE_MAX_SECONDS } from '@mira/shared'
import type { Common } from '../../../common.ts'
import { PayloadTooLargeError, UnavailableError, UnsupportedTypeError, ValidationError } from '../../../errors.ts'
import { peaksOf } from '../../../parsers/audio/wav.ts'
import { sniffFile } from '../../../parsers/sniff/sniff.ts'
import { type AdmissionLimits, createAdmission } from '../../../platform/storage/admission.ts'
import type { ReceivedFile } from '../../../platform/storage/files.ts'
import type { FileReaders } from '../../library/index.ts'

interface VoiceDeps extends Pick<Common, 'files' | 'ai'> {
  readers: Pick<FileReaders, 'av' | 'withTempFolder'>
}

/** Streamed speech. */
interface SpokenText {
  sound: Readable
  contentType: string
}

/** A recording of 25 MB takes at most 20 MB more during transcription. */
const LIMITS: AdmissionLimits = { perUser: 3, total: 16, keptFreeBytes: 200 * 1024 * 1024 }
/** Minimum peak of a recording that isn't silent. From silence, engines would make up words. */
const MIN_PEAK = 0.004
const PEAK_COUNT = 100
/** Enough for ten minutes of speech on a slow machine. */
const TRANSCRIBE_TIMEOUT_MS = 15 * 60_000
/** A header may claim slightly more than the actual duration. */
const TOLERANCE_SECONDS = 1

/** A transcript with segments; times in seconds. */
export interface TimedTranscript extends Transcript {
  segments: { start: number; end: number; text: string }[]
}

export type VoiceService = ReturnType<typeof createVoiceService>

/** Transcribes speech and reads texts aloud; neither is stored. */
export function createVoiceService({ files, ai, readers: { av, withTempFolder } }: VoiceDeps) {
  const admit = createAdmission({
    freeBytes: files.freeBytes,
    limits: LIMITS,
    texts: {
      perUser: { sentence: `Process at most ${LIMITS.perUser} texts or recordings at a time.`, code: 'busy' },
      total: 'Too many people are speaking right now. Try again in a moment.',
    },
  })
  const tooLong = () =>
    new PayloadTooLargeError(`This recording is longer than ${VOICE_MAX_SECONDS / 60} minutes.`, {
      code: 'recording_too_long',
    })

  return {
    admit,

    /** Receives a recording, to be discarded after use. */
    receive: files.receive,

    /**
     * Transcribes a recording.
     * @throws UnavailableError when there's no engine, UnsupportedTypeError when the file isn't a recording,
     *   PayloadTooLargeError when it's too long, ValidationError when it's empty or damaged, EngineError
     */
    async transcribe(
      file: Pick<ReceivedFile, 'filename' | 'sizeBytes'>,
      { language, signal: callerSignal }: { language: string | undefined; signal: AbortSignal },
    ): Promise<TimedTranscript> {
      const engine = ai.transcription()
      if (engine === null) {
        const reason = ai.currentReasonOff('transcription') ?? 'No model here can transcribe speech.'
        throw new UnavailableError(reason, { code: 'no_transcription' })
      }
      if (file.sizeBytes === 0) throw new ValidationError('This recording is empty.', { code: 'empty_file' })
      const sniffed = await sniffFile(file.filename)
      if (sniffed.mediaType !== 'audio') throw new UnsupportedTypeError('This file isn’t a sound recording.')
      const recording = { filename: file.filename, format: sniffed.format }
      const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(TRANSCRIBE_TIMEOUT_MS)])
      return withTempFolder(async (folder) => {
        const { durationSeconds: statedSeconds } = await av.probe(recording, signal)
        if (statedSeconds !== null && statedSeconds > VOICE_MAX_SECONDS + TOLERANCE_SECONDS) throw tooLong()
        const filename = join(folder, 'speech.wav')
        const maxSeconds = VOICE_MAX_SECONDS + 2 * TOLERANCE_SECONDS
        const durationSeconds = await av.sound(recording, { filename, maxSeconds, signal })
        if (durationSeconds > VOICE_MAX_SECONDS + TOLERANCE_SECONDS) throw tooLong()
        const commonFields = { duration: Math.round(durationSeconds * 1000) / 1000, engine: engine.engine }
        const peak = Math.max(0, ...(durationSeconds > 0 ? await peaksOf(filename, PEAK_COUNT, signal) : []))
        if (peak < MIN_PEAK) return { ...commonFields, text: '', language: null, model: null, segments: [] }
        const transcript = await engine.transcribe(filename, { durationSeconds, language, signal })
        const segments = transcript.segments.map(({ start, end, text }) => ({ start, end, text: text.trim() }))
        const text = segments.map((segment) => segment.text).join(' ')
        return { ...commonFields, text: text.trim(), language: transcript.language, model: transcript.model, segments }
      })
    },

    /**
     * Reads a text aloud; callers must read the sound to its end or destroy it.
     * @throws UnavailableError when there's no engine, ValidationError for a text without words, EngineError
     */
    async speak(
      userId: string,
      options: { text: string; voice: string | undefined; signal: AbortSignal },
    ): Promise<SpokenText> {
      const engine = ai.speech()
      if (engine === null) {
        const reason = ai.currentReasonOff('speech') ?? 'No model here can read texts aloud.'
        throw new UnavailableError(reason, { code: 'no_speech' })
      }
      const text = toSpeakableText(options.text)
      if (text === '') throw new ValidationError('There are no words in this text.', { code: 'nothing_to_say' })
      const { promise, resolve, reject } = Promise.withResolvers<SpokenText>()
      const work = async () => {
        const { sound: pieces, contentType } = await engine.speak(text, {
          voice: options.voice,
          signal: options.signal,
        })
        const sound = Readable.from(pieces, { objectMode: false })
        resolve({ sound, contentType })
        // The client notices an abrupt end itself. Here, the end of the stream only completes the admitted work.
        await finished(sound).catch(() => {})
      }
      admit(userId, 0, work).catch(reject)
      return promise
    },
  }
}
