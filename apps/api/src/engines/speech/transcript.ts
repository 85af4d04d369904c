import { cutText } from '@mira/shared/constants/cut-text'
import type { Segment } from '../engine-types.ts'

/** Transcript of one piece of sound, as returned by a server. */
export interface PieceTranscript {
  text: string
  /** ISO 639-1 code; null when not reported. */
  language: string | null
  /** Times are seconds from the start of the piece; null when the server reports none that are usable. */
  segments: WireSegment[] | null
}

/** A segment as servers return it. */
interface WireSegment {
  start: number
  /** Infinity for a segment that lasts until the end of the piece. */
  end: number
  text: string
  averageLogProbability: number | null
  noSpeechProbability: number | null
}

const MAX_SEGMENTS = 5000
const MAX_SEGMENT_CHARACTERS = 5000
/** Tolerance for imprecise timestamps. */
const MARGIN_SECONDS = 0.3
/** Whisper's own thresholds. */
const NO_SPEECH_PROBABILITY = 0.6
const UNSURE_LOG_PROBABILITY = -1
/** Names in the credits that models trained on subtitles invent when nobody speaks. */
const subtitleMakers =
  "amara|ard|bbc|br|comunidad|comunidade|comunità|communauté|community|funk|orf|qtss|radio-canada|st['’] ?501|swr|zdf"
const inventedTexts = new RegExp(
  `^\\W*(?:${[
    'thank(?:s| you)(?: all| so much| very much)? for (?:watching|viewing)',
    "(?:please|don['’]t forget to) (?:like and )?subscribe",
    'gracias por (?:ver|mirar)(?: (?:el|este|mi) v[ií]deo|[.!]*$)',
    '(?:no olvid(?:es|en) suscribir(?:te|se)|suscr[ií]b(?:ete|anse) (?:al|a mi|a este|a nuestro) canal)',
    "merci d['’]avoir (?:regardé|visionné)",
    "(?:n['’]oubliez pas de vous abonner|abonnez-vous à (?:la|ma|notre|cette) chaîne)",
    '(?:vielen dank|danke) f(?:ü|ue)rs (?:zuschauen|zusehen)',
    'grazie (?:a tutti )?per (?:aver guardato|la visione)',
    'obrigad[oa] por assistir',
    `(?:untertitel(?:ung)?|subtitles?|subtitulado|subt[ií]tulos|sous-titr(?:es?|age)|sottotitoli|legendas)(?!\\p{L}).{0,60}?(?<!\\p{L})(?:${subtitleMakers})(?!\\p{L})`,
    'amara\\.org',
    'copyright wdr',
  ].join('|')})`,
  'iu',
)
/** Markers for silence or noise, such as [music]. */
const soundMarkers = /^\s*([[(*♪].{0,60}[\])*♪]|♪+|\.+)\s*$/u

/** Reads a transcription response: plain text, or JSON with or without segments. */
export function readTranscript(response: unknown): PieceTranscript {
  if (typeof response === 'string') return { text: response.trim(), language: null, segments: null }
  const { text, language, segments } = (response ?? {}) as Record<string, unknown>
  const usable = Array.isArray(segments) ? segments.slice(0, MAX_SEGMENTS).flatMap(readSegment) : []
  return {
    text: typeof text === 'string' ? text.trim() : '',
    language: typeof language === 'string' ? languageCode(language) : null,
    segments: usable.length > 0 ? usable : null,
  }
}

function readSegment(segment: unknown): WireSegment[] {
  const { start, end: statedEnd, text, avg_logprob, no_speech_prob } = (segment ?? {}) as Record<string, unknown>
  // Whisper leaves the end open where the piece ends before the words do.
  const end = statedEnd ?? Number.POSITIVE_INFINITY
  if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string') return []
  if (!Number.isFinite(start) || Number.isNaN(end)) return []
  const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
  return [
    {
      start,
      end,
      text: cutText(text.replace(/\s+/g, ' ').trim(), MAX_SEGMENT_CHARACTERS).toWellFormed(),
      averageLogProbability: numberOf(avg_logprob),
      noSpeechProbability: numberOf(no_speech_prob),
    },
  ]
}

/**
 * The segments of a piece that were really said, in order, with times from the start of the whole recording. When the server
 * reported no times, the sentences share the piece's duration in proportion to their length.
 * @param isSilent true when the piece is silent between two times, in seconds.
 */
export function placeSegments(
  piece: PieceTranscript,
  { start, seconds }: { start: number; seconds: number },
  isSilent: (from: number, to: number) => boolean,
): Segment[] {
  if (piece.segments === null) return spreadSentences(piece.text, start, seconds)
  return piece.segments
    .toSorted((one, other) => one.start - other.start)
    .flatMap((segment) => {
      const from = Math.min(Math.max(segment.start, 0), seconds)
      const to = Math.min(Math.max(segment.end, from), seconds)
      if (isInvented(segment) || isSilent(from - MARGIN_SECONDS, to + MARGIN_SECONDS)) return []
      const { averageLogProbability: logProbability } = segment
      const confidence = logProbability === null ? null : round(Math.min(Math.exp(logProbability), 1))
      return [{ start: round(start + from), end: round(start + to), text: segment.text, confidence }]
    })
}

function isInvented({ text, averageLogProbability, noSpeechProbability }: WireSegment): boolean {
  if (text === '' || soundMarkers.test(text)) return true
  const isUnsure = (averageLogProbability ?? UNSURE_LOG_PROBABILITY) <= UNSURE_LOG_PROBABILITY
  if (noSpeechProbability !== null && noSpeechProbability > NO_SPEECH_PROBABILITY && isUnsure) return true
  return inventedTexts.test(text) && (noSpeechProbability === null || noSpeechProbability > NO_SPEECH_PROBABILITY / 2)
}

function spreadSentences(text: string, start: number, seconds: number): Segment[] {
  const sentences = sentencesOf(text).filter(
    (sentence) => !soundMarkers.test(sentence) && !inventedTexts.test(sentence),
  )
  const totalCharacters = sentences.reduce((sum, { length }) => sum + length, 0)
  let charactersBefore = 0
  return sentences.map((sentence) => {
    const from = start + (charactersBefore / totalCharacters) * seconds
    charactersBefore += sentence.length
    return {
      start: round(from),
      end: round(start + (charactersBefore / totalCharacters) * seconds),
      text: sentence,
      confidence: null,
    }
  })
}

function sentencesOf(text: string): string[] {
  const splitter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
  return [...splitter.segment(text)]
    .map(({ segment }) => cutText(segment.replace(/\s+/g, ' ').trim(), MAX_SEGMENT_CHARACTERS).toWellFormed())
    .filter((sentence) => sentence !== '')
    .slice(0, MAX_SEGMENTS)
}

/** Rounds to thousandths. */
function round(number: number): number {
  return Math.round(number * 1000) / 1000
}

let cachedCodes: Map<string, string> | undefined

/** ISO 639-1 code of a language given as a code or an English name; null when it isn't recognised. */
export function languageCode(language: string): string | null {
  const name = language.trim().toLowerCase()
  if (/^[a-z]{2}$/.test(name)) return name
  const tag = /^([a-z]{2})[-_]/.exec(name)?.[1]
  if (tag) return tag
  cachedCodes ??= codesByName()
  return cachedCodes.get(name) ?? null
}

function codesByName(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codeByName = new Map([
    ['castilian', 'es'],
    ['nynorsk', 'nn'],
    ['mandarin', 'zh'],
  ])
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code)?.toLowerCase()
    if (name !== undefined && !codeByName.has(name)) codeByName.set(name, code)
  }
  return codeByName
}

/** Language of most of the text; null when none was reported. */
export function mainLanguage(pieces: PieceTranscript[]): string | null {
  const characters = new Map<string, number>()
  for (const { language, text } of pieces) {
    if (language !== null) characters.set(language, (characters.get(language) ?? 0) + text.length + 1)
  }
  return [...characters].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? null
}
