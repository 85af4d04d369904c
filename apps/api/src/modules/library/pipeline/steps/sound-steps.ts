import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Ai } from '../../../../engines/ai.ts'
import type { Segment } from '../../../../engines/engine-types.ts'
import { AppError, ValidationError } from '../../../../errors.ts'
import { packPeaks, peaksOf } from '../../../../parsers/audio/wav.ts'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import type { Av, AvInfo } from '../../../../parsers/video/av.ts'
import type { SubtitleTrack } from '../../../../parsers/video/subtitles.ts'
import { type Sentence, say } from '../../../../sentences.ts'
import { TRANSCRIPTION_TURN_SECONDS } from '../plan.ts'
import type { Results } from '../results.ts'
import type { NewMoment, Step, StepContext, Steps } from '../step.ts'
import { factsOfAv, isPlayable } from './av-facts.ts'
import type { EmbedSteps } from './embed.ts'
import type { SubtitleFiles } from './subtitle-files.ts'

/** Share of a video's length above which subtitles count as complete. */
const MIN_SUBTITLE_SHARE = 0.15
/** Lyrics with fewer timed lines become one moment. */
const MIN_TIMED_LINES = 2

const origin = { engine: 'built-in', model: 'subtitles' } as const

/** ISO 639-1 codes of the language tags and names in files. */
const languages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ eng: 'en', en: 'en', english: 'en', spa: 'es', es: 'es', spanish: 'es', español: 'es' },
    ...{ fra: 'fr', fre: 'fr', fr: 'fr', french: 'fr', français: 'fr' },
    ...{ deu: 'de', ger: 'de', de: 'de', german: 'de', deutsch: 'de' },
  }),
)

/** Subtitles and lyrics as moments. */
export function subtitleAndLyricsMoments(
  tracks: SubtitleTrack[],
  info: Pick<AvInfo, 'lyrics' | 'durationSeconds'>,
): NewMoment[] {
  return [...tracks.flatMap(momentsOfTrack), ...lyricsMoments(info)]
}

/** True when subtitles cover the speech, so that no transcript is needed. */
export function coversSpeech(subtitles: NewMoment[], durationSeconds: number | null): boolean {
  const seconds = subtitles.reduce((sum, { startSeconds = 0, endSeconds = 0 }) => sum + endSeconds - startSeconds, 0)
  return subtitles.length > 0 && seconds >= MIN_SUBTITLE_SHARE * (durationSeconds ?? 0)
}

const onOneLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')

function momentsOfTrack({ language, cues }: SubtitleTrack): NewMoment[] {
  const code = languages.get((language ?? '').replace(/[-_].*$/s, '').toLowerCase())
  return cues.map(({ startSeconds, endSeconds, text }) => ({
    kind: 'speech',
    body: onOneLine(text),
    ...{ startSeconds, endSeconds: Math.max(startSeconds, endSeconds) },
    ...(code ? { language: code } : {}),
    ...origin,
  }))
}

/** [mm:ss.xx] before a line, as in LRC files; a line that is sung several times has several of them. */
const LINE_TIMES = /^\s*((?:\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\]\s*)+)(.*)$/s
const LINE_TIME = /\[(\d{1,3}):(\d{2})(?:[.:](\d{1,3}))?\]/g
const MAX_TIMES = 50
const WORD_TIMES = /<\d{1,3}:\d{2}(?:[.:]\d{1,3})?>/g

function timedLines(line: string): { startSeconds: number; body: string }[] {
  const [, times = '', words = ''] = LINE_TIMES.exec(line) ?? []
  const body = words.replace(WORD_TIMES, '').replace(/\s+/g, ' ').trim()
  return body === ''
    ? []
    : [...times.matchAll(LINE_TIME)].slice(0, MAX_TIMES).map(([, minutes, seconds, part = '0']) => ({
        startSeconds: Number(minutes) * 60 + Number(`${seconds}.${part}`),
        body,
      }))
}

function lyricsMoments({ lyrics, durationSeconds }: Pick<AvInfo, 'lyrics' | 'durationSeconds'>): NewMoment[] {
  if (!lyrics?.trim()) return []
  const model = 'lyrics'
  const lines = lyrics.split(/\r\n?|\n/)
  const timed = lines.flatMap(timedLines).toSorted((one, other) => one.startSeconds - other.startSeconds)
  if (timed.length < MIN_TIMED_LINES) {
    const whole = { startSeconds: 0, ...(durationSeconds ? { endSeconds: durationSeconds } : {}) }
    return [{ kind: 'speech', body: lyrics.trim(), ...whole, ...origin, model }]
  }
  return timed.map(({ startSeconds, body }, index) => {
    const endSeconds = timed[index + 1]?.startSeconds ?? durationSeconds ?? startSeconds
    return { kind: 'speech', body, startSeconds, endSeconds: Math.max(startSeconds, endSeconds), ...origin, model }
  })
}

/** Chapter titles as moments, each from its chapter's start to its end. */
export function chapterMoments({
  chapters,
  durationSeconds,
}: Pick<AvInfo, 'chapters' | 'durationSeconds'>): NewMoment[] {
  return chapters.map(({ startSeconds, endSeconds, title }, index) => {
    const end = endSeconds ?? chapters[index + 1]?.startSeconds ?? durationSeconds ?? startSeconds
    return {
      kind: 'text',
      body: title,
      startSeconds,
      endSeconds: Math.max(startSeconds, end),
      ...origin,
      model: 'chapters',
    }
  })
}

export interface SoundStepsDeps {
  results: Results
  av: Av
  ai: Pick<Ai, 'transcription' | 'reasonOff'>
  subtitleFiles: Pick<SubtitleFiles, 'tracksOf'>
  /** Replaced by tests, whose recordings have no sound. */
  peaksOf?: typeof peaksOf
}

const NO_TRANSCRIBER = say('nothing_transcribes', {})
const PLAYS_ORIGINAL = say('plays_as_it_is', {})
/** Peak level below which a recording counts as silent: engines would invent words in it. */
const SILENCE_LEVEL = 0.004
/** Share of the progress taken by extracting the sound. */
const SOUND_SHARE = 0.1
/** Speech ending this close to the end of a chunk may continue in the next one. */
const CUT_OFF_SECONDS = 1

/** Progress of a long transcription, and its model. */
interface TranscribeProgress {
  seconds: number
  model: string | null
}

const noProgress: TranscribeProgress = { seconds: 0, model: null }

function readCheckpoint(checkpoint: unknown): TranscribeProgress {
  const state = checkpoint as TranscribeProgress | null
  return state !== null && typeof state.seconds === 'number' ? state : noProgress
}

/** Drops the last segment when it reaches the end of a chunk, where its sentence may continue. */
function withoutCutOff(segments: Segment[], seconds: number): Segment[] {
  const last = segments.at(-1)
  const isCutOff = last !== undefined && last.end > seconds - CUT_OFF_SECONDS && last.start > seconds / 2
  return isCutOff ? segments.slice(0, -1) : segments
}

/** Steps common to videos and recordings. */
export function createSoundSteps({ results, av, ai, subtitleFiles, ...deps }: SoundStepsDeps): {
  transcribe: Step
  playback: Step
} {
  const transcribe: Step = async ({ item, filename, format, scratch, signal, progress }) => {
    const file = { filename, format }
    const kind = item.mediaType
    const skip = async (skipped: Sentence) => {
      return { engine: null, model: null, skipped, findings: [await results.replaceMoments(item, 'speech', [])] }
    }
    const info = await av.probe(file, signal)
    const tracks = info.subtitleCount > 0 ? await av.subtitles(file, signal) : []
    const subtitleMoments = subtitleAndLyricsMoments([...tracks, ...(await subtitleFiles.tracksOf(item, signal))], info)
    if (info.audio === null && subtitleMoments.length === 0) {
      return skip(say('without_sound', { kind }))
    }
    if (info.audio === null || coversSpeech(subtitleMoments, info.durationSeconds)) {
      return {
        engine: 'built-in',
        model: 'subtitles',
        findings: [await results.replaceMoments(item, 'speech', subtitleMoments)],
      }
    }
    const engine = ai.transcription()
    if (engine === null) {
      // An earlier engine's transcript stays.
      const findings = subtitleMoments.length > 0 ? [await results.replaceMoments(item, 'speech', subtitleMoments)] : []
      return {
        engine: null,
        model: null,
        skipped: ai.reasonOff('transcription') ?? NO_TRANSCRIBER,
        missingCapability: 'transcription',
        findings,
      }
    }

    const { durationSeconds } = item
    const isLong = durationSeconds !== null && durationSeconds > TRANSCRIPTION_TURN_SECONDS
    const before = isLong ? readCheckpoint(await results.checkpoint(item)) : noProgress
    const share = isLong ? TRANSCRIPTION_TURN_SECONDS / durationSeconds : 1
    const doneShare = isLong ? before.seconds / durationSeconds : 0
    progress(doneShare)
    const wav = join(scratch, 'sound.wav')
    const seconds = await av.sound(file, {
      filename: wav,
      signal,
      ...(isLong ? { startSeconds: before.seconds, maxSeconds: TRANSCRIPTION_TURN_SECONDS } : {}),
    })
    const loudest = seconds === 0 ? 0 : Math.max(0, ...(await (deps.peaksOf ?? peaksOf)(wav, 100, signal)))
    progress(doneShare + share * SOUND_SHARE)
    const transcript =
      loudest < SILENCE_LEVEL
        ? null
        : await engine.transcribe(wav, {
            durationSeconds: seconds,
            signal,
            onProgress: (fraction) => progress(doneShare + share * (SOUND_SHARE + (1 - SOUND_SHARE) * fraction)),
          })
    // A sentence that crosses the end belongs to the next chunk.
    const isLast = !isLong || seconds < TRANSCRIPTION_TURN_SECONDS - 1
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
      const checkpoint = { seconds: before.seconds + end, model } satisfies TranscribeProgress
      await results.storeCheckpoint(item, checkpoint, moments)
      return { engine: engine.engine, model, isUnfinished: true }
    }
    const earlier = before.seconds > 0 ? ((await results.earlierFindings(item)) as NewMoment[]) : []
    const spokenMoments = [...subtitleMoments, ...earlier, ...moments]
    if (spokenMoments.length === 0 && transcript === null) {
      return skip(say('nothing_heard', { kind }))
    }
    return { engine: engine.engine, model, findings: [await results.replaceMoments(item, 'speech', spokenMoments)] }
  }

  const playback: Step = async ({ item, filename, format, scratch, signal, progress }) => {
    const file = { filename, format }
    const info = await av.probe(file, signal)
    if (isPlayable(format, info)) return { engine: null, model: null, skipped: PLAYS_ORIGINAL }
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

interface AudioStepsDeps extends SoundStepsDeps {
  pictures: PictureProcesses
  embedSteps: EmbedSteps
}

const WAVEFORM_LEVELS = 600
const COVER_NOT_SHOWN = say('cover_unshown', {})

/** Steps for a recording. */
export function createAudioSteps(deps: AudioStepsDeps): Steps['audio'] {
  const { results, av, pictures, embedSteps } = deps
  const { transcribe, playback } = createSoundSteps(deps)

  /** Stores the cover picture as the thumbnail. @returns a note when it can't be shown. */
  const storeCover = async ({ item, filename, format, scratch, signal }: StepContext) => {
    const picture = join(scratch, 'cover')
    try {
      if (!(await av.cover({ filename, format }, { filename: picture, signal }))) return undefined
      const thumbnail = await pictures.images.thumbnail(picture)
      const thumbhash = await pictures.thumbhashOf(thumbnail.data)
      const copy = await results.setCopy(item, 'thumbnail', { ...thumbnail, content: thumbnail.data })
      await results.store(item, [copy, results.updateFacts(item, { thumbhash })])
      return undefined
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return COVER_NOT_SHOWN
      throw error
    }
  }

  const inspect: Step = async (context) => {
    const { item, filename, format, scratch, signal, progress } = context
    const file = { filename, format }
    const info = await av.probe(file, signal)
    if (info.audio === null) {
      const silent = say('stream_missing', { kind: 'audio' })
      throw new ValidationError(silent, { code: 'damaged_media' })
    }
    progress(0.1)
    const facts = factsOfAv(info, format, item.originalFilename)
    const chapters = await results.replaceMoments(item, 'text', chapterMoments(info))
    await results.store(item, [results.updateFacts(item, facts), chapters])
    const note = info.hasCover ? await storeCover(context) : undefined
    progress(0.2)
    const wav = join(scratch, 'sound.wav')
    const seconds = await av.sound(file, { filename: wav, signal })
    progress(0.9)
    const peaks = seconds === 0 ? [] : await peaksOf(wav, WAVEFORM_LEVELS, signal)
    const durationSeconds = info.durationSeconds ?? (seconds || null)
    const details = { ...facts.details, waveform: packPeaks(peaks) }
    return { engine: null, model: null, facts: { ...facts, durationSeconds, details }, ...(note ? { note } : {}) }
  }

  return { inspect, transcribe, embed: embedSteps.embed, playback }
}
