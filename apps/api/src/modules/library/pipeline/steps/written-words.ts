import type { AvInfo } from '../../../../parsers/video/av.ts'
import type { SubtitleTrack } from '../../../../parsers/video/subtitles.ts'
import type { NewMoment } from '../step.ts'

/** Share of a film's length above which subtitles count as complete. */
const WHOLE = 0.15
const FEWEST_TIMED_LINES = 2

const origin = { engine: 'built-in', model: 'subtitles' } as const

/** ISO 639-1 codes of the language tags in files. */
const languages: Record<string, string> = {
  ...{ eng: 'en', en: 'en', spa: 'es', es: 'es', fra: 'fr', fre: 'fr', fr: 'fr', deu: 'de', ger: 'de', de: 'de' },
}

/** Subtitles and lyrics as moments. */
export function writtenMoments(tracks: SubtitleTrack[], info: Pick<AvInfo, 'lyrics' | 'durationSeconds'>): NewMoment[] {
  return [...tracks.flatMap(momentsOfTrack), ...lyricsMoments(info)]
}

/** True when subtitles cover the speech, so that no transcription is needed. */
export function saysAll(subtitles: NewMoment[], durationSeconds: number | null): boolean {
  const seconds = subtitles.reduce((sum, { startSeconds = 0, endSeconds = 0 }) => sum + endSeconds - startSeconds, 0)
  return subtitles.length > 0 && seconds >= WHOLE * (durationSeconds ?? 0)
}

const onOneLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')

function momentsOfTrack({ language, cues }: SubtitleTrack): NewMoment[] {
  const code = languages[(language ?? '').slice(0, 3).toLowerCase()]
  return cues.map(({ startSeconds, endSeconds, text }) => ({
    kind: 'speech',
    body: onOneLine(text),
    ...{ startSeconds, endSeconds: Math.max(startSeconds, endSeconds) },
    ...(code ? { language: code } : {}),
    ...origin,
  }))
}

/** [mm:ss.xx] before a line, as in LRC files. */
const TIMED_LINE = /^\s*\[(\d{1,3}):(\d{2}(?:\.\d{1,3})?)\]\s*(.*)$/

function lyricsMoments({ lyrics, durationSeconds }: Pick<AvInfo, 'lyrics' | 'durationSeconds'>): NewMoment[] {
  if (!lyrics?.trim()) return []
  const model = 'lyrics'
  const lines = lyrics.split(/\r\n?|\n/)
  const timed = lines.flatMap((line) => {
    const [, minutes, seconds, body = ''] = TIMED_LINE.exec(line) ?? []
    return minutes === undefined || body.trim() === ''
      ? []
      : [{ startSeconds: Number(minutes) * 60 + Number(seconds), body }]
  })
  if (timed.length < FEWEST_TIMED_LINES) {
    const whole = { startSeconds: 0, ...(durationSeconds ? { endSeconds: durationSeconds } : {}) }
    return [{ kind: 'speech', body: lyrics.trim(), ...whole, ...origin, model }]
  }
  return timed.map(({ startSeconds, body }, n) => {
    const endSeconds = timed[n + 1]?.startSeconds ?? durationSeconds ?? startSeconds
    return { kind: 'speech', body, startSeconds, endSeconds: Math.max(startSeconds, endSeconds), ...origin, model }
  })
}

/** Titles of chapters at their times. */
export function chapterMoments({
  chapters,
  durationSeconds,
}: Pick<AvInfo, 'chapters' | 'durationSeconds'>): NewMoment[] {
  return chapters.map(({ startSeconds, endSeconds, title }, n) => {
    const end = endSeconds ?? chapters[n + 1]?.startSeconds ?? durationSeconds ?? startSeconds
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
