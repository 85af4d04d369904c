import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { type Sentence, say } from '@mira/shared'
import type { Transcriber } from '../../../adapters/ai/understanding.ts'
import type { Av } from '../../../adapters/media/film/av.ts'
import type { NewMoment, Results, Step } from '../processing.ts'
import { isPlayable } from './playable.ts'

export interface SoundStepsDeps {
  results: Pick<Results, 'replaceMoments' | 'setCopy'>
  av: Av
  transcriber(): Transcriber | null
  /** Why nothing writes down what is said, for a person who can change that. */
  reasonOff(): Sentence | null
  /** Loudness of stretches of a WAV, from 0 to 1. */
  peaksOf(filename: string, count: number, signal: AbortSignal): Promise<number[]>
}

const NONE = say('nothing_transcribes', {}, 'Nothing writes down what is said here.')
const PLAYS = say('plays_as_it_is', {}, 'Browsers play this file as it is.')
/** A recording that is never louder than this is empty; engines hear words in it. */
const SILENCE = 0.004
/** Share of the work that taking the sound out is. */
const SOUND_SHARE = 0.1

/** What is done alike with everything that sounds. */
export function createSoundSteps({ results, av, transcriber, reasonOff, peaksOf }: SoundStepsDeps): {
  transcribe: Step
  playback: Step
} {
  const transcribe: Step = async ({ item, filename, format, scratch, signal, progress }) => {
    const file = { filename, format }
    const kind = item.mediaType
    const called = kind === 'video' ? 'film' : 'recording'
    const nothing = async (skipped: Sentence) => {
      return { engine: null, model: null, skipped, findings: [await results.replaceMoments(item, 'speech', [])] }
    }
    if ((await av.probe(file, signal)).audio === null) {
      return nothing(say('without_sound', { kind }, `This ${called} has no sound.`))
    }
    const engine = transcriber()
    // what was written down before by an engine that is gone stays
    if (engine === null) return { engine: null, model: null, skipped: reasonOff() ?? NONE, lacks: 'transcription' }

    const wav = join(scratch, 'sound.wav')
    const durationSeconds = await av.sound(file, { filename: wav, signal })
    const loudest = durationSeconds === 0 ? 0 : Math.max(0, ...(await peaksOf(wav, 100, signal)))
    if (loudest < SILENCE) {
      return nothing(say('nothing_heard', { kind }, `Nothing can be heard in this ${called}.`))
    }
    progress(SOUND_SHARE)
    const { segments, language, model } = await engine.transcribe(wav, {
      durationSeconds,
      signal,
      onProgress: (done) => progress(SOUND_SHARE + (1 - SOUND_SHARE) * done),
    })
    const moments = segments.map(({ start, end, text, confidence }): NewMoment => {
      const startSeconds = Math.min(Math.max(0, start), durationSeconds)
      return {
        kind: 'speech',
        body: text.trim(),
        startSeconds,
        endSeconds: Math.min(Math.max(startSeconds, end), durationSeconds),
        ...(language === null ? {} : { language }),
        engine: engine.engine,
        model,
        confidence,
      }
    })
    const said = moments.filter(({ body }) => body !== '')
    return { engine: engine.engine, model, findings: [await results.replaceMoments(item, 'speech', said)] }
  }

  const playback: Step = async ({ item, filename, format, scratch, signal, progress }) => {
    const file = { filename, format }
    const info = await av.probe(file, signal)
    if (isPlayable(format, info)) return { engine: null, model: null, skipped: PLAYS }
    const kind = info.video ? 'video' : 'audio'
    const copy = join(scratch, kind === 'video' ? 'copy.mp4' : 'copy.mp3')
    const { durationSeconds } = info
    await av.playback(file, { kind, filename: copy, durationSeconds, signal, onProgress: progress })
    const contentType = kind === 'video' ? 'video/mp4' : 'audio/mpeg'
    const findings = [await results.setCopy(item, 'preview', { content: createReadStream(copy), contentType })]
    return { engine: null, model: null, findings }
  }

  return { transcribe, playback }
}
