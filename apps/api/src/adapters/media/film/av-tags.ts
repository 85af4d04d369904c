import type { AvInfo } from './av.ts'
import { readLegacyTexts } from './legacy-tags.ts'

const MOST_TAGS = 30
const MOST_CHARACTERS = 500
/** Tags about the file's structure, not about its content. */
const technical =
  /^(major_brand|minor_version|compatible_brands|handler_name|vendor_id|duration|_statistics_.*|bps|number_of_.*)$/

/** Containers whose tags programs wrote in the encoding of their country, though they are to be Latin-1. */
const legacyDemuxers = new Set(['mp3', 'aac', 'aiff', 'wav'])
const lyricsName = /^(unsynced ?)?lyrics(-|$)/
const MOST_LYRICS_CHARACTERS = 20_000

/** Tags as they are kept: names in lower case, few and short; what was given first wins. Lyrics are longer. */
export function tidyTags(demuxer: string, raw: Record<string, string>[]): Pick<AvInfo, 'tags' | 'lyrics'> {
  const given = legacyDemuxers.has(demuxer) ? inTheirEncoding(raw) : raw
  const lyrics = given
    .flatMap((some) => Object.entries(some))
    .find(([name, value]) => lyricsName.test(name.toLowerCase()) && value.trim() !== '')?.[1]
  return { tags: shortTags(given), lyrics: lyrics === undefined ? null : cleanText(lyrics, MOST_LYRICS_CHARACTERS) }
}

function inTheirEncoding(given: Record<string, string>[]): Record<string, string>[] {
  const texts = readLegacyTexts(given.flatMap((some) => Object.values(some)))
  let next = 0
  return given.map((some) => Object.fromEntries(Object.keys(some).map((name) => [name, texts[next++] ?? ''])))
}

function shortTags(given: Record<string, string>[]): Record<string, string> {
  const tags = new Map<string, string>()
  for (const [key, value] of given.flatMap((some) => Object.entries(some))) {
    const name = key.toLowerCase().slice(0, 100)
    const text = cleanText(value)
    if (tags.size >= MOST_TAGS) break
    if (text && !tags.has(name) && !technical.test(name) && !lyricsName.test(name)) tags.set(name, text)
  }
  return Object.fromEntries(tags)
}

function cleanText(value: string, most = MOST_CHARACTERS): string {
  // a database takes no NUL, and half a surrogate is no character
  return value.replaceAll('\0', '').trim().slice(0, most).toWellFormed()
}
