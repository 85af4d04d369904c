import { cutText } from '@mira/shared/constants/cut-text'
import { decodeShortText } from '../text-decoder.ts'

/** A timed text of a video. */
interface Cue {
  startSeconds: number
  endSeconds: number
  text: string
}

/** The subtitles of a video in one language. */
export interface SubtitleTrack {
  /** As stated by the file (eng, de, …); null when it states none. */
  language: string | null
  cues: Cue[]
}

/** One subtitle in a container. */
export interface SubtitlePacket {
  startSeconds: number
  /** 0 or less when unknown. */
  durationSeconds: number
  data: Uint8Array
}

export const subtitleLimits = {
  tracks: 8,
  cuesOfTrack: 5_000,
  characters: 2_000,
} as const

/** Duration of a subtitle that states none. */
const DEFAULT_SECONDS = 4

/** Decoders of text subtitles, by FFmpeg's names; other subtitles are pictures. */
const decoders: Record<string, (data: Uint8Array) => string> = {
  mov_text: (data) => withoutMarkup(decodeShortText(lengthPrefixed(data))),
  subrip: (data) => withoutMarkup(decodeShortText(data)),
  srt: (data) => withoutMarkup(decodeShortText(data)),
  text: (data) => withoutMarkup(decodeShortText(data)),
  webvtt: (data) => withoutMarkup(decodeShortText(data)),
  ass: (data) => assText(decodeShortText(data).split(',').slice(8).join(',')),
  ssa: (data) => assText(decodeShortText(data).split(',').slice(8).join(',')),
}

export function isTextSubtitle(codec: string): boolean {
  return Object.hasOwn(decoders, codec)
}

/** Decodes the packets of a track. */
export function cuesOf(codec: string, packets: SubtitlePacket[]): Cue[] {
  const decode = decoders[codec]
  if (decode === undefined) return []
  const cues = packets.slice(0, subtitleLimits.cuesOfTrack).map(({ startSeconds, durationSeconds, data }) => ({
    startSeconds: Math.max(0, startSeconds),
    endSeconds: Math.max(0, startSeconds) + (durationSeconds > 0 ? durationSeconds : DEFAULT_SECONDS),
    text: decode(data),
  }))
  return tidyCues(cues)
}

/** Cues in order, without empty ones; repeated texts, as in animated effects, are joined. */
function tidyCues(cues: Cue[]): Cue[] {
  const tidy: Cue[] = []
  for (const cue of cues.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const text = cutText(cue.text, subtitleLimits.characters).toWellFormed().trim()
    if (!/[\p{L}\p{N}]/u.test(text)) continue
    const previous = tidy.at(-1)
    if (previous !== undefined && previous.text === text && cue.startSeconds <= previous.endSeconds + 0.5) {
      previous.endSeconds = Math.max(previous.endSeconds, cue.endSeconds)
    } else tidy.push({ ...cue, text })
  }
  return tidy
}

/** Text without the tags of SubRip and WebVTT, but with the names of speakers. */
function withoutMarkup(text: string): string {
  const plainText = text
    .replace(/\{\\[^{}]{0,200}\}/g, '')
    // transcripts of meetings name the speakers
    .replace(/<v(?:\.[\w.-]{1,100})?\s+([^<>]{1,200})>/gi, '$1: ')
    .replace(TAG, '')
  return plainLines(
    plainText.replace(/&(amp|lt|gt|nbsp|lrm|rlm|quot|#39);/g, (_, name: string) => entities[name] ?? ''),
  )
}

/** Tags that players know, and times of words; other text between angle brackets is shown, as in `<<flash gordon>>`. */
const TAG =
  /<\/?(?:font|lang|p|span|v)(?:[\s.][^<>\n]{0,200})?>|<\/?(?:b|br|c|em|i|rp|rt|ruby|s|strong|u)(?:\.[\w.#-]{0,100})?\s{0,5}\/?>|<\d[\d:.]{0,20}>/gi

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', quot: '"', '#39': "'" }

/** Text of an Advanced SubStation event; '' for a drawing. */
function assText(text: string): string {
  if (/\{[^{}]{0,500}\\p[1-9]/.test(text)) return ''
  return plainLines(
    text
      .replace(/\{[^{}]{0,2000}\}/g, '')
      .replace(/\\[Nn]/g, '\n')
      .replaceAll('\\h', ' '),
  )
}

function plainLines(text: string): string {
  return text
    .replaceAll('\0', '')
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n')
}

/** Text of a QuickTime subtitle, which is preceded by its length and followed by its style. */
function lengthPrefixed(data: Uint8Array): Uint8Array {
  if (data.length < 2) return new Uint8Array()
  const length = ((data[0] ?? 0) << 8) | (data[1] ?? 0)
  return data.subarray(2, 2 + length)
}

/** Extensions of subtitle files. */
const SUBTITLES = /\.(srt|vtt|ass|ssa)$/i
/**
 * Language between a video's name and the extension, with suffixes of players: video.en.srt, video.pt-BR.forced.srt,
 * video.zh-Hans.vtt, video.es-419.vtt, video.en.hi.srt (for the hard of hearing), video.German.srt.
 */
const LANGUAGE =
  /\.([a-z]{2,3}|english|spanish|french|german|español|français|deutsch)(?:[-_](?:[a-z]{2,4}|\d{3})){0,2}(?:\.(?:forced|sdh|cc|hi|default|foreign)){0,2}$/iu
/** Suffix of players after a name without a language: video.forced.srt. */
const KIND = /\.(?:forced|default|foreign)$/i

const TIME = /(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?/
/** Time of a single word, as in automatic captions. */
const WORD_TIME = /<\d{1,3}:\d{2}[:.]\d/
const SPAN = new RegExp(`^\\s*${TIME.source}\\s*-{1,2}>\\s*${TIME.source}`)

/** Possible names of the video that a subtitle file belongs to, without extension, and the language; null for other files. */
export function subtitlesFor(filename: string): { names: string[]; language: string | null } | null {
  if (!SUBTITLES.test(filename)) return null
  const name = filename.replace(SUBTITLES, '')
  const language = LANGUAGE.exec(name)?.[1] ?? null
  const nameOfVideo = name.replace(language === null ? KIND : LANGUAGE, '')
  return { names: nameOfVideo === name ? [name] : [name, nameOfVideo], language }
}

/** Cues of a subtitle file in any of the usual formats. */
export function cuesOfText(text: string): Cue[] {
  const lines = text.split('\n')
  const cues = lines.some((line) => line.startsWith('Dialogue:')) ? substationCues(lines) : spannedCues(lines)
  return lines.some((line) => WORD_TIME.test(line)) ? withoutRolledUp(tidyCues(cues)) : tidyCues(cues)
}

/** Cues of captions that roll up, without the lines repeated above new ones. */
function withoutRolledUp(cues: Cue[]): Cue[] {
  let above = ''
  const newCues = cues.map((cue) => {
    const lines = cue.text.split('\n')
    const isRepeated = lines[0] === above
    above = lines.at(-1) ?? ''
    return { ...cue, text: (isRepeated ? lines.slice(1) : lines).join('\n') }
  })
  return newCues.filter(({ text }) => text !== '')
}

const secondsOf = (hours = '0', minutes = '0', seconds = '0', fraction = '') =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction || '0'}`)

/**
 * SubRip and WebVTT: a line of times, lines of text, an empty line. Only in WebVTT does an empty line end a cue: those of SubRip
 * go on to the number and times of the next, as in players.
 */
function spannedCues(lines: string[]): Cue[] {
  const cues: Cue[] = []
  const isWebVtt = lines.find((line) => line.trim() !== '')?.startsWith('WEBVTT') ?? false
  let isNumbered = false
  let lineBefore = ''
  /** Number of the latest cue; null when it has none. */
  let number: number | null = null
  let current: Cue | undefined
  const close = () => {
    if (current !== undefined) cues.push({ ...current, text: withoutMarkup(current.text) })
    current = undefined
  }
  for (const line of lines) {
    const [, h, m, s, ms, h2, m2, s2, ms2] = SPAN.exec(line.slice(0, 100)) ?? []
    if (m !== undefined) {
      if (cues.length === 0 && current === undefined) isNumbered = !isWebVtt && isNumber(lineBefore)
      if (current !== undefined && !isWebVtt) current.text = withoutNextNumber(current.text, isNumbered)
      number = isNumber(lineBefore) ? Number(lineBefore) : null
      close()
      if (cues.length >= subtitleLimits.cuesOfTrack) break
      current = { startSeconds: secondsOf(h, m, s, ms), endSeconds: secondsOf(h2, m2, s2, ms2), text: '' }
    } else if (isWebVtt && line.trim() === '' && !(current?.text === '' && /^ /.test(line))) close()
    else if (current !== undefined && current.text.length < subtitleLimits.characters) current.text += `${line}\n`
    if (line.trim() !== '') lineBefore = line
  }
  // the number of a cue that was cut off
  if (number !== null && current?.text.trimEnd().endsWith(`\n\n${number + 1}`))
    current.text = withoutNextNumber(current.text, false)
  close()
  return cues
}

function isNumber(line: string): boolean {
  return /^\d{1,6}$/.test(line.trim())
}

/** Text without the number of the next cue: its last line, behind an empty one unless the file is numbered. */
function withoutNextNumber(text: string, isNumbered: boolean): string {
  const lines = text.trimEnd().split('\n')
  const last = lines.at(-1) ?? ''
  const isApart = lines.at(-2)?.trim() === '' && /^\s*#?\d{1,6}\.?\s*$/.test(last)
  const isNext = isApart || (isNumbered && lines.length > 1 && isNumber(last))
  return isNext ? lines.slice(0, -1).join('\n') : text
}

/** Fonts and pictures attached to Advanced SubStation. */
const ATTACHMENTS = /^\[(?:fonts|graphics)\]\s*$/i
/** A section's name; encoded files have no lower-case letters. */
const SECTION = /^\[[^\]\n]{0,60}[a-z][^\]\n]{0,60}\]\s*$/
/** Characters of a line held back until it's complete. */
const MAX_LINE_CHARACTERS = 100_000

/** Pieces of a text without the fonts and pictures of Advanced SubStation, which precede its words and have millions of characters. */
export async function* withoutAttachments(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isSubStation: boolean | null = null
  let isInAttachments = false
  let incomplete = ''
  for await (const piece of pieces) {
    if (piece === '') continue
    isSubStation ??= /^\[script info\]/i.test(piece.trimStart())
    const lines = isSubStation ? (incomplete + piece).split('\n') : []
    incomplete = lines.pop() ?? ''
    if (!isSubStation) yield piece
    if (incomplete.length > MAX_LINE_CHARACTERS) {
      lines.push(incomplete)
      incomplete = ''
    }
    let text = ''
    for (const line of lines) {
      if (SECTION.test(line.slice(0, 200))) isInAttachments = ATTACHMENTS.test(line)
      if (!isInAttachments) text += `${line}\n`
    }
    if (text !== '') yield text
  }
  if (incomplete !== '' && !isInAttachments) yield incomplete
}

/** Advanced SubStation: its text comes after nine commas. */
function substationCues(lines: string[]): Cue[] {
  const events = lines.filter((line) => line.startsWith('Dialogue:')).slice(0, 4 * subtitleLimits.cuesOfTrack)
  return events.flatMap((line): Cue[] => {
    const fields = line.slice('Dialogue:'.length).split(',')
    const [start, end] = [fields[1], fields[2]].map((field) => TIME.exec(field ?? ''))
    if (!start || !end) return []
    const [startSeconds, endSeconds] = [start, end].map(([, h, m, s, cs]) => secondsOf(h, m, s, cs)) as [number, number]
    return [{ startSeconds, endSeconds, text: assText(fields.slice(9).join(',')) }]
  })
}
