import { cutText } from '@mira/shared/constants/cut-text'
import { type FileBytes, withBytes } from '../file-bytes.ts'
import { decodeTags } from './av-tags.ts'

const ID3V1_BYTES = 128
const APE_FOOTER_BYTES = 32
/** Maximum size of an APEv2 tag, which may contain covers. */
const MAX_APE_BYTES = 16 * 1024 * 1024
const MAX_ITEMS = 100
const MAX_CHARACTERS = 20_000
const MAX_CHARACTER_BYTES = 4
const TEXT_ITEM = 0
/** Replacement for bytes that couldn't be decoded. */
const UNDECODED = '\ufffd'

/** FFmpeg's names of tags that APEv2 names differently. */
const usualNames = new Map([
  ['year', 'date'],
  ['album artist', 'album_artist'],
])

/**
 * Adds the tags at the end of an MP3 to those of the demuxer, which leaves out APEv2 and doesn't decode ID3v1. All but
 * APEv2, which is UTF-8, are decoded in their regional encodings.
 * @param tags of the demuxer; ID3v2 takes precedence, and ID3v1 comes last.
 */
export async function withEndTags(
  filename: string,
  demuxer: string,
  tags: Record<string, string>,
): Promise<Record<string, string>> {
  if (demuxer !== 'mp3') return tags
  return withBytes(filename, async (bytes) => {
    const { sizeBytes } = bytes
    const end = await bytes.read(Math.max(0, sizeBytes - ID3V1_BYTES), ID3V1_BYTES)
    const isId3v1 = end.length === ID3V1_BYTES && end.toString('latin1', 0, 3) === 'TAG'
    const ape = await apeOf(bytes, isId3v1 ? sizeBytes - ID3V1_BYTES : sizeBytes)
    const isId3v2 = (await bytes.read(0, 3)).toString('latin1') === 'ID3'
    // each tag may be from a different program and in a different encoding
    const [demuxerTags = {}] = decodeTags([tags])
    const [id3v1 = {}] = decodeTags([isId3v1 ? id3v1Of(end) : {}])
    return merge(isId3v2 ? [demuxerTags, ape, id3v1] : [ape, id3v1, demuxerTags])
  })
}

/** Merges tags: for each name the first text, or the first that was decoded without faults. */
function merge(groups: Record<string, string>[]): Record<string, string> {
  const merged = new Map<string, string>()
  for (const [name, text] of groups.flatMap((tags) => Object.entries(tags))) {
    const isBetter = merged.get(name)?.includes(UNDECODED) && !text.includes(UNDECODED)
    if (!merged.has(name) || isBetter) merged.set(name, text)
  }
  return Object.fromEntries(merged)
}

/** Texts of an ID3v1 tag, which have fixed lengths; each byte is decoded as one character. */
function id3v1Of(tag: Buffer): Record<string, string> {
  const text = (start: number, length: number) =>
    tag
      .toString('latin1', start, start + length)
      .replace(/\0.*$/s, '')
      .trim()
  const track = tag[125] === 0 && tag[126] !== 0 ? String(tag[126]) : ''
  const [date = ''] = /^[1-9]\d{3}$/.exec(text(93, 4)) ?? []
  const all = { title: text(3, 30), artist: text(33, 30), album: text(63, 30), date, track }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** Texts of an APEv2 tag that ends at a position; none without a tag, or with an invalid length. */
async function apeOf(bytes: FileBytes, end: number): Promise<Record<string, string>> {
  const footer = await bytes.read(Math.max(0, end - APE_FOOTER_BYTES), APE_FOOTER_BYTES)
  if (footer.length < APE_FOOTER_BYTES || footer.toString('latin1', 0, 8) !== 'APETAGEX') return {}
  const length = footer.readUInt32LE(12)
  if (length < APE_FOOTER_BYTES || length > Math.min(end, MAX_APE_BYTES)) return {}
  const items = await bytes.read(end - length, length - APE_FOOTER_BYTES)
  const tags: Record<string, string> = {}
  for (let offset = 0, count = 0; offset + 8 < items.length && count < MAX_ITEMS; count++) {
    const valueBytes = items.readUInt32LE(offset)
    const kind = (items.readUInt32LE(offset + 4) >> 1) & 3
    const nameEnd = items.indexOf(0, offset + 8)
    if (nameEnd < 0) break
    const name = items.toString('latin1', offset + 8, nameEnd).toLowerCase()
    offset = nameEnd + 1 + valueBytes
    if (kind !== TEXT_ITEM) continue
    const end = Math.min(offset, nameEnd + 1 + MAX_CHARACTERS * MAX_CHARACTER_BYTES)
    const text = cutText(items.toString('utf8', nameEnd + 1, end), MAX_CHARACTERS)
    tags[usualNames.get(name) ?? name] = text.replaceAll('\0', ';')
  }
  return tags
}
