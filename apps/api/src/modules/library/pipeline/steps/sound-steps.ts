import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Ai } from '../../../../engines/ai.ts'
import type { Segment } from '../../../../engines/other-engines.ts'
import { peaksOf } from '../../../../parsers/audio/wav.ts'
import type { Av } from '../../../../parsers/video/av.ts'
import { type Sentence, say } from '../../../../sentences.ts'
import { STRETCH_SECONDS } from '../plan.ts'
import type { Results } from '../results.ts'
import type { NewMoment, Step } from '../step.ts'
import { isPlayable } from './playable.ts'
import type { SubtitleFiles } from './subtitle-files.ts'
import { saysAll, writtenMoments } from './written-words.ts'

export interface SoundStepsDeps {
  results: Results
  av: Av
  ai: Pick<Ai, 'transcription' | 'reasonOff'>
  subtitleFiles: Pick<SubtitleFiles, 'beside'>
  /** Replaced by tests, whose recordings have no sound. */
  peaksOf?: typeof peaksOf
}

const NONE = say('nothing_transcribes', {})
const PLAYS = say('plays_as_it_is', {})
/** Below this a recording counts as silent; engines would hear words in it. */
const SILENCE = 0.004
/** Share of extracting the sound in the progress. */
const SOUND_SHARE = 0.1
/** Speech ending this close to the end of a stretch may continue in the next one. */
const CUT_OFF_SECONDS = 1

/** Progress of a long transcription, and its model. */
interface Heard {
  seconds: number
  model: string | null
}

const beginning: Heard = { seconds: 0, model: null }

function readCheckpoint(checkpoint: unknown): Heard {
  const state = checkpoint as Heard | null
  return state !== null && typeof state.seconds === 'number' ? state : beginning
}

/** Drops the last segment when it reaches the end of a stretch, where its sentence may continue. */
function withoutCutOff(segments: Segment[], seconds: number): Segment[] {
  const last = segments.at(-1)
  const isCutOff = last !== undefined && last.end > seconds - CUT_OFF_SECONDS && last.start > seconds / 2
  return isCutOff ? segments.slice(0, -1) : segments
}

/** Steps common to films and recordings. */
export function createSoundSteps({ results, av, ai, subtitleFiles, ...deps }: SoundStepsDeps): {
  transcribe: Step
  playback: Step
} {
  const { peaksOf: loudnessOf = peaksOf } = deps

  const transcribe: Step = async ({ item, filename, format, scratch, signal, progress }) => {
    const file = { filename, format }
    const kind = item.mediaType
    const nothing = async (skipped: Sentence) => {
      return { engine: null, model: null, skipped, findings: [await results.replaceMoments(item, 'speech', [])] }
    }
    const info = await av.probe(file, signal)
    const tracks = info.subtitleCount > 0 ? await av.subtitles(file, signal) : []
    const subtitleMoments = writtenMoments([...tracks, ...(await subtitleFiles.beside(item, signal))], info)
    if (info.audio === null && subtitleMoments.length === 0) {
      return nothing(say('without_sound', { kind }))
    }
    if (info.audio === null || saysAll(subtitleMoments, info.durationSeconds)) {
      return {
        engine: 'built-in',
        model: 'subtitles',
        findings: [await results.replaceMoments(item, 'speech', subtitleMoments)],
      }
    }
    const engine = ai.transcription()
    if (engine === null) {
      // an earlier engine's transcript stays
      const findings = subtitleMoments.length > 0 ? [await results.replaceMoments(item, 'speech', subtitleMoments)] : []
      return {
        engine: null,
        model: null,
        skipped: ai.reasonOff('transcription') ?? NONE,
        lacks: 'transcription',
        findings,
      }
    }

    const { durationSeconds } = item
    const isLong = durationSeconds !== null && durationSeconds > STRETCH_SECONDS
    const before = isLong ? readCheckpoint(await results.checkpoint(item)) : beginning
    const share = isLong ? STRETCH_SECONDS / durationSeconds : 1
    const doneShare = isLong ? before.seconds / durationSeconds : 0
    progress(doneShare)
    const wav = join(scratch, 'sound.wav')
    const seconds = await av.sound(file, {
      filename: wav,
      signal,
      ...(isLong ? { startSeconds: before.seconds, maxSeconds: STRETCH_SECONDS } : {}),
    })
    const loudest = seconds === 0 ? 0 : Math.max(0, ...(await loudnessOf(wav, 100, signal)))
    progress(doneShare + share * SOUND_SHARE)
    const transcript =
      loudest < SILENCE
        ? null
        : await engine.transcribe(wav, {
            durationSeconds: seconds,
            signal,
            onProgress: (fraction) => progress(doneShare + share * (SOUND_SHARE + (1 - SOUND_SHARE) * fraction)),
          })
    // a sentence that crosses the end belongs to the next stretch
    const isLast = !isLong || seconds < STRETCH_SECONDS - 1
    const segments = isLast ? (transcript?.segments ?? []) : withoutCutOff(transcript?.segments ?? [], seconds)
    const end =
      segments.length < (transcript?.segments.length ?? 0) ? (transcript?.segments.at(-1)?.start ?? seconds) : seconds
    const moments = segments.flatMap(({ start, end, text, confidence }): NewMoment[] => {
      const body = text.trim()
      if (body === '') return []
      const startSeconds = Math.min(Math.max(0, start), seconds)
      const moment: NewMoment = {
        kind: 'speech',
        body,
        startSeconds: before.seconds + startSeconds,
        endSeconds: before.seconds + Math.min(Math.max(startSeconds, end), seconds),
        ...(transcript?.language ? { language: transcript.language } : {}),
        engine: engine.engine,
        model: transcript?.model ?? null,
        confidence,
      }
      return [moment]
    })
    const model = transcript?.model ?? before.model
    if (!isLast) {
      const checkpoint = { seconds: before.seconds + end, model } satisfies Heard
      await results.keepCheckpoint(item, checkpoint, moments)
      return { engine: engine.engine, model, isUnfinished: true }
    }
    const earlier = before.seconds > 0 ? ((await results.foundBefore(item)) as NewMoment[]) : []
    const spokenMoments = [...subtitleMoments, ...earlier, ...moments]
    if (spokenMoments.length === 0 && transcript === null) {
      return nothing(say('nothing_heard', { kind }))
    }
    return { engine: engine.engine, model, findings: [await results.replaceMoments(item, 'speech', spokenMoments)] }
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
