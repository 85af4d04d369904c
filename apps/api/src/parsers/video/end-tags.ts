import { type FileHandle, open } from 'node:fs/promises'
import { inTheirEncoding } from './av-tags.ts'

const ID3V1_BYTES = 128
const APE_FOOTER_BYTES = 32
/** Covers are in the same tag. */
const MAX_APE_BYTES = 16 * 1024 * 1024
const MAX_ITEMS = 100
const MAX_CHARACTERS = 20_000
const MAX_CHARACTER_BYTES = 4
const TEXT_ITEM = 0
/** Stands for bytes that couldn't be decoded. */
const UNDECODED = '\ufffd'

/** FFmpeg's names for those of APEv2 that differ. */
const usualNames = new Map([
  ['year', 'date'],
  ['album artist', 'album_artist'],
])

/**
 * Adds the tags at the end of an MP3 to those of the demuxer, which leaves out APEv2 and doesn't decode ID3v1. All but
 * APEv2, which is UTF-8, are read in the encoding that they were written in.
 * @param tags of the demuxer; those of ID3v2 come first, those of ID3v1 last.
 */
export async function withEndTags(
  filename: string,
  demuxer: string,
  tags: Record<string, string>,
): Promise<Record<string, string>> {
  if (demuxer !== 'mp3') return tags
  const handle = await open(filename)
  try {
    const { size } = await handle.stat()
    const end = await bytesAt(handle, size - ID3V1_BYTES, ID3V1_BYTES)
    const isId3v1 = end.toString('latin1', 0, 3) === 'TAG'
    const id3v1 = isId3v1 ? id3v1Of(end) : {}
    const ape = await apeOf(handle, isId3v1 ? size - ID3V1_BYTES : size).catch((error: unknown) => {
      if (error instanceof RangeError) return {}
      throw error
    })
    const isId3v2 = (await bytesAt(handle, 0, 3)).toString('latin1') === 'ID3'
    const merged = merge(isId3v2 ? [tags, ape, id3v1] : [ape, id3v1, tags])
    const ofApe = new Map(Object.entries(ape))
    const others = Object.entries(merged).filter(([name, text]) => ofApe.get(name) !== text)
    return Object.assign(merged, ...inTheirEncoding([Object.fromEntries(others)]))
  } finally {
    await handle.close()
  }
}

/** The first text of each name, or the first that could be decoded. */
function merge(groups: Record<string, string>[]): Record<string, string> {
  const merged = new Map<string, string>()
  for (const [name, text] of groups.flatMap((tags) => Object.entries(tags))) {
    const isBetter = merged.get(name)?.includes(UNDECODED) && !text.includes(UNDECODED)
    if (!merged.has(name) || isBetter) merged.set(name, text)
  }
  return Object.fromEntries(merged)
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0) return Buffer.alloc(0)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** Texts of fixed length, each byte taken for a character. */
function id3v1Of(tag: Buffer): Record<string, string> {
  const text = (start: number, length: number) =>
    tag
      .toString('latin1', start, start + length)
      .replace(/\0.*$/s, '')
      .trim()
  const track = tag[125] === 0 && tag[126] !== 0 ? String(tag[126]) : ''
  const all = { title: text(3, 30), artist: text(33, 30), album: text(63, 30), date: text(93, 4), track }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

async function apeOf(handle: FileHandle, end: number): Promise<Record<string, string>> {
  const footer = await bytesAt(handle, end - APE_FOOTER_BYTES, APE_FOOTER_BYTES)
  if (footer.length < APE_FOOTER_BYTES || footer.toString('latin1', 0, 8) !== 'APETAGEX') return {}
  const length = footer.readUInt32LE(12)
  if (length > MAX_APE_BYTES) return {}
  const items = await bytesAt(handle, end - length, length - APE_FOOTER_BYTES)
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
    const text = items.toString('utf8', nameEnd + 1, end).slice(0, MAX_CHARACTERS)
    tags[usualNames.get(name) ?? name] = text.replaceAll('\0', ';')
  }
  return tags
}
