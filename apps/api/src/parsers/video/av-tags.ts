import { cutText } from '@mira/shared/constants/cut-text'
import type { AvInfo } from './av.ts'

/** An encoding that programs used for tags declared as Latin-1, and properties of its texts to recognise it by. */
interface LegacyEncoding {
  name: string
  /** Usual characters of its texts; other non-ASCII characters count against it. */
  usual: RegExp
  /** Weight of a usual character: its number of bytes, less if the alphabet is so large that most bytes make sense in it. */
  weight: number
  /** Characters of which every text contains some. */
  needs?: RegExp
}

const encodings: LegacyEncoding[] = [
  { name: 'windows-1251', usual: /[а-яёА-ЯЁ]/gu, weight: 1 },
  { name: 'koi8-r', usual: /[а-яёА-ЯЁ]/gu, weight: 1 },
  { name: 'windows-1253', usual: /[α-ωά-ώΑ-ΩΆ-Ώ]/gu, weight: 0.9 },
  { name: 'shift_jis', usual: /[ぁ-ゖァ-ヺー]|[一-龠々]/gu, weight: 1.9 },
  { name: 'euc-jp', usual: /[ぁ-ゖァ-ヺー]|[一-龠々]/gu, weight: 1.95, needs: /[ぁ-ゖァ-ヺ]/u },
  { name: 'euc-kr', usual: /[가-힣]/gu, weight: 1.85 },
  { name: 'gb18030', usual: /[一-龠]/gu, weight: 1.8 },
  { name: 'big5', usual: /[一-龠]/gu, weight: 1.7 },
]
/** Maximum share of accented letters in a language with Latin letters. */
const MAX_ACCENTED = 0.4
/** Minimum number of bytes beyond ASCII; fewer are inconclusive. */
const MIN_BYTES = 4
/** Minimum of `plausibilityOf` for an encoding to be chosen. */
const MIN_PLAUSIBILITY = 0.75
/** Enough to tell encodings apart; lyrics may have megabytes. */
const SAMPLE_BYTES = 16 * 1024

/**
 * Repairs texts that were decoded with the wrong encoding; others are unchanged.
 * @param texts all texts of one file, which share one encoding.
 */
export function readLegacyTexts(texts: string[]): string[] {
  const doubtful = texts.filter((text) => isDoubtful(text))
  if (doubtful.length === 0) return texts
  const encoding = encodingOf(doubtful)
  if (encoding === null) return texts
  const decoder = new TextDecoder(encoding)
  return texts.map((text) => (isDoubtful(text) ? decoder.decode(Buffer.from(text, 'latin1')) : text))
}

/** True for a text whose bytes beyond ASCII were each decoded as one character. */
function isDoubtful(text: string): boolean {
  return /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text)
}

function encodingOf(texts: string[]): string | null {
  // short texts first, since lyrics and notes may be mostly ASCII
  const all = texts.toSorted((one, other) => one.length - other.length).join('\n')
  const bytes = Buffer.from(all.slice(Math.max(0, all.search(/[^\0-\x7f]/))).slice(0, SAMPLE_BYTES), 'latin1')
  if (decode('utf-8', bytes) !== null) return 'utf-8'
  const latin = new TextDecoder('windows-1252').decode(bytes)
  const letters = latin.match(/\p{L}/gu) ?? []
  const accented = letters.filter((letter) => letter > '\u007f').length
  if (accented <= MAX_ACCENTED * letters.length) return 'windows-1252'
  const scores = encodings.map((encoding) => ({ name: encoding.name, score: plausibilityOf(encoding, bytes) }))
  const best = scores.toSorted((one, other) => other.score - one.score)[0]
  return best !== undefined && best.score >= MIN_PLAUSIBILITY ? best.name : null
}

/** Weighted share of the bytes beyond ASCII that make sense in an encoding. */
function plausibilityOf({ name, usual, weight, needs }: LegacyEncoding, bytes: Buffer): number {
  const text = decode(name, bytes)
  const high = bytes.filter((byte) => byte > 0x7f).length
  if (text === null || high < MIN_BYTES || (needs && !needs.test(text))) return 0
  const usualCount = text.match(usual)?.length ?? 0
  // letters of mixed case inside words reveal another alphabet
  const mixedCase = text.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0
  const odd = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\s]|[ｦ-ﾟ]|[─-▟]|[\uE000-\uF8FF]/gu)?.length ?? 0
  return (weight * usualCount - 3 * mixedCase - 2 * odd) / high
}

function decode(name: string, bytes: Buffer): string | null {
  try {
    // the last character may have been cut
    const stream = bytes.length === SAMPLE_BYTES
    return new TextDecoder(name, { fatal: true }).decode(bytes, { stream })
  } catch {
    return null
  }
}

const MAX_TAGS = 30
const MAX_CHARACTERS = 500
/** Tags about the file's structure, not about its content. */
const technical =
  /^(major_brand|minor_version|compatible_brands|handler_name|vendor_id|(duration|_statistics_.*|bps|number_of_.*)(-[a-z]{3})?|id3v2_priv\..*|wmfsdk.*|isvbr|deviceconformancetemplate|itunnorm|itunsmpb|mp3gain_.*)$/
/** Tag names by rank. Tags of the first ranks are kept when there are too many, such as phones' own or dozens of identifiers. */
const ranks = [
  /^(title|artist|album|album_artist|composer|author|genre|show|track|disc|date|date_recorded|description|keywords|creation_time|make|model|location(-eng)?)$/,
  /^(location|com\.)/,
  /^(?!musicbrainz|acoustid)/,
  /^/,
]
/** Common names for tags of Windows Media and QuickTime. */
const usualNames = new Map([
  ['wm/year', 'date'],
  ['com.apple.quicktime.displayname', 'title'],
  ...['title', 'description', 'keywords', 'author', 'artist', 'album', 'genre', 'comment'].map(
    (name) => [`com.apple.quicktime.${name}`, name] as const,
  ),
])
/** FFmpeg returns the names of some people's roles as bytes that aren't text. */
const unreadable = /[\p{Cc}\ufffd]/u
/** Suffix of a tag's language. The demuxer returns such a tag without its suffix, too. */
const languageSuffix = /-[a-z]{3}$/

/** Demuxers (besides that of MP3) of formats whose tags some programs wrote in a regional encoding instead of Latin-1. */
const legacyDemuxers = new Set(['aac', 'aiff', 'wav'])
const lyricsName = /^(unsynced ?|wm\/)?lyrics(-|$)/
const MAX_LYRICS_CHARACTERS = 20_000

/** Normalises tags: names in lower case, one short text for each name, a limited number. Lyrics are separate and may be longer. */
export function tidyTags(
  demuxer: string,
  file: Record<string, string>,
  streams: Record<string, string>[],
): Pick<AvInfo, 'tags' | 'lyrics'> {
  // except in Ogg, a stream's title names a track: "Stereo", "Director's commentary"
  const streamTags = demuxer === 'ogg' ? streams : streams.map(withoutTitle)
  const raw = [file, ...streamTags]
  const tags = legacyDemuxers.has(demuxer) ? decodeTags(raw) : raw
  const lyrics = tags
    .flatMap((group) => Object.entries(group))
    .find(([name, value]) => lyricsName.test(name.toLowerCase()) && value.trim() !== '')?.[1]
  return { tags: shortTags(tags), lyrics: lyrics === undefined ? null : cleanText(lyrics, MAX_LYRICS_CHARACTERS) }
}

/** Decodes tags in the regional encoding in which they were written, one for the whole file. */
export function decodeTags(tags: Record<string, string>[]): Record<string, string>[] {
  const texts = readLegacyTexts(tags.flatMap((group) => Object.values(group)))
  let next = 0
  return tags.map((group) => Object.fromEntries(Object.keys(group).map((name) => [name, texts[next++] ?? ''])))
}

function withoutTitle(tags: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => name.toLowerCase() !== 'title'))
}

function shortTags(groups: Record<string, string>[]): Record<string, string> {
  const tags = new Map<string, string>()
  for (const [key, value] of groups.flatMap((group) => Object.entries(group))) {
    const lower = cutText(key.toLowerCase(), 100)
    const name = usualNames.get(lower) ?? lower
    const text = cleanText(value)
    const isLeftOut = [technical, unreadable, lyricsName].some((pattern) => pattern.test(name))
    if (text && !tags.has(name) && !isLeftOut) tags.set(name, text)
  }
  const different = [...tags].filter(
    ([name, text]) => !languageSuffix.test(name) || tags.get(name.replace(languageSuffix, '')) !== text,
  )
  const byRank = Map.groupBy(different, ([name]) => ranks.findIndex((rank) => rank.test(name)))
  return Object.fromEntries(ranks.flatMap((_, rank) => byRank.get(rank) ?? []).slice(0, MAX_TAGS))
}

function cleanText(value: string, max = MAX_CHARACTERS): string {
  // PostgreSQL accepts no NUL and no lone surrogates
  return cutText(value.replaceAll('\0', '').trim(), max).toWellFormed()
}
