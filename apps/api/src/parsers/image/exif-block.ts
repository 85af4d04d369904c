import type { FileBytes } from '../file-bytes.ts'
import { ENTRY_BYTES, openTiff, typeBytes } from './tiff-directories.ts'

const LARGEST_TYPE_BYTES = 8
/** Tags that point to directories of further tags: EXIF, GPS and interoperability. */
const EXIF_DIRECTORY = 0x8769
const GPS_DIRECTORY = 0x8825
const XMP = 700
const directoryTags = new Set([EXIF_DIRECTORY, GPS_DIRECTORY, 0xa005])
/** Maker note, with directories of its own; left out here (`contentIdentifierOf` reads Apple's). */
const MAKER_NOTE = 0x927c
const MAX_BYTES = 1_000_000
const MAX_DIRECTORIES = 8
/** Maximum size of one value and of all values that are copied from a TIFF. */
const MAX_VALUE_BYTES = 64 * 1024
const MAX_VALUES_BYTES = 512 * 1024
const LONG = 4

/**
 * An EXIF block that is safe to parse synchronously; null when that might take long: values of an honest file don't
 * overlap, while thousands of tags with the same range turn a few kilobytes into a minute of work.
 * @param block TIFF, from its byte order mark.
 */
export function boundedExif(block: Buffer): Buffer | null {
  if (block.length > MAX_BYTES) return null
  const isLittle = block.toString('latin1', 0, 2) === 'II'
  const read16 = (index: number) => (isLittle ? block.readUInt16LE(index) : block.readUInt16BE(index))
  const read32 = (index: number) => (isLittle ? block.readUInt32LE(index) : block.readUInt32BE(index))
  const isInside = (index: number, length: number) => index + length <= block.length
  if (!isInside(0, 8)) return null
  const bounded = Buffer.from(block)
  const pending = [read32(4)]
  const seenOffsets = new Set<number>()
  let valueBytes = 0
  for (let offset = pending.shift(); offset !== undefined; offset = pending.shift()) {
    if (offset === 0 || seenOffsets.has(offset) || !isInside(offset, 2)) continue
    seenOffsets.add(offset)
    if (seenOffsets.size > MAX_DIRECTORIES) return null
    const count = read16(offset)
    for (let n = 0, entry = offset + 2; n < count && isInside(entry, ENTRY_BYTES); n++, entry += ENTRY_BYTES) {
      const tag = read16(entry)
      const bytes = read32(entry + 4) * (typeBytes[read16(entry + 2)] ?? LARGEST_TYPE_BYTES)
      // ranges beyond the end aren't read
      if (bytes <= 4 || isInside(read32(entry + 8), bytes)) valueBytes += bytes
      if (tag === MAKER_NOTE) bounded.fill(0xff, entry, entry + 2)
      if (directoryTags.has(tag)) pending.push(read32(entry + 8))
    }
    const next = offset + 2 + count * ENTRY_BYTES
    if (isInside(next, 4)) pending.push(read32(next))
  }
  return valueBytes <= 2 * block.length ? bounded : null
}

/** XMP packet of a TIFF or a TIFF-based RAW file; null when missing. */
export async function xmpOfTiff(bytes: FileBytes, maxBytes: number): Promise<Buffer | null> {
  const tiff = await openTiff(bytes)
  const entry = tiff && (await tiff.directoryAt(tiff.first))?.entries.find(({ tag }) => tag === XMP)
  return entry ? tiff.bytesOf(entry, maxBytes) : null
}

/**
 * The EXIF block of a TIFF or a TIFF-based RAW file, read from anywhere in the file: most programs write it after the pixels.
 * Null for any other file.
 * @returns a small TIFF with the first directory, EXIF and GPS.
 */
export async function exifOfTiff(bytes: FileBytes): Promise<Buffer | null> {
  const tiff = await openTiff(bytes)
  if (tiff === null) return null
  const write16 = (to: Buffer, value: number, offset: number) =>
    tiff.isLittle ? to.writeUInt16LE(value, offset) : to.writeUInt16BE(value, offset)
  const write32 = (to: Buffer, value: number, offset: number) =>
    tiff.isLittle ? to.writeUInt32LE(value, offset) : to.writeUInt32BE(value, offset)
  const header = Buffer.from(tiff.header)
  const parts: Buffer[] = [header]
  let sizeBytes = header.length
  const append = (part: Buffer): number => {
    parts.push(part)
    sizeBytes += part.length
    return sizeBytes - part.length
  }
  /** Position of a directory's copy; 0 for an empty one. */
  const copy = async (position: number, nested: Set<number>): Promise<number> => {
    const rows: Buffer[] = []
    for (const entry of (await tiff.directoryAt(position))?.entries ?? []) {
      const row = Buffer.alloc(ENTRY_BYTES)
      write16(row, entry.tag, 0)
      if (nested.delete(entry.tag)) {
        const [nestedPosition = 0] = await tiff.numbersOf(entry, 1)
        const copied = await copy(nestedPosition, new Set())
        if (copied === 0) continue
        write16(row, LONG, 2)
        write32(row, 1, 4)
        write32(row, copied, 8)
      } else {
        const value = await tiff.bytesOf(entry, Math.min(MAX_VALUE_BYTES, Math.max(0, MAX_VALUES_BYTES - sizeBytes)))
        if (value.length === 0) continue
        write16(row, entry.type, 2)
        write32(row, value.length / (typeBytes[entry.type] ?? 1), 4)
        if (value.length > 4) write32(row, append(value), 8)
        else value.copy(row, 8)
      }
      rows.push(row)
    }
    const count = Buffer.alloc(2)
    write16(count, rows.length, 0)
    return rows.length === 0 ? 0 : append(Buffer.concat([count, ...rows, Buffer.alloc(4)]))
  }
  write32(header, await copy(tiff.first, new Set([EXIF_DIRECTORY, GPS_DIRECTORY])), 4)
  return Buffer.concat(parts)
}
