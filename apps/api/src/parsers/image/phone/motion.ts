import type { ImageFormat } from '@mira/shared'
import { withBytes } from '../../file-bytes.ts'

const NAME = Buffer.from('Apple iOS\0')
/** Offsets in the maker note; the byte order follows its name and a version. */
const BYTE_ORDER_OFFSET = 12
const DIRECTORY_OFFSET = 14
const ENTRY_BYTES = 12
const MAX_ENTRIES = 200
const CONTENT_IDENTIFIER = 0x0011
const ASCII = 2
const MAX_CHARACTERS = 100

/**
 * Apple's identifier of a picture and the video taken with it, from the EXIF block; null when it's missing. The
 * block must be the original one, since `boundedExif` removes the maker note.
 */
export function contentIdentifierOf(block: Buffer): string | null {
  const note = block.subarray(Math.max(0, block.indexOf(NAME)))
  if (!note.subarray(0, NAME.length).equals(NAME) || note.length < DIRECTORY_OFFSET + 2) return null
  const isLittle = note.toString('latin1', BYTE_ORDER_OFFSET, DIRECTORY_OFFSET) === 'II'
  const read16 = (index: number) => (isLittle ? note.readUInt16LE(index) : note.readUInt16BE(index))
  const read32 = (index: number) => (isLittle ? note.readUInt32LE(index) : note.readUInt32BE(index))
  const count = Math.min(read16(DIRECTORY_OFFSET), MAX_ENTRIES)
  for (let n = 0; n < count; n++) {
    const entry = DIRECTORY_OFFSET + 2 + n * ENTRY_BYTES
    if (entry + ENTRY_BYTES > note.length) return null
    if (read16(entry) !== CONTENT_IDENTIFIER || read16(entry + 2) !== ASCII) continue
    const length = read32(entry + 4)
    const offset = read32(entry + 8)
    if (length > MAX_CHARACTERS || length <= 4 || offset + length > note.length) return null
    const text = note
      .toString('latin1', offset, offset + length)
      .replaceAll('\0', '')
      .trim()
    return /^[\w-]{8,}$/.test(text) ? text : null
  }
  return null
}

/** Size of the part at the beginning of a file that may contain one of Google's old and new markers of an appended video. */
const HEAD_BYTES = 256 * 1024
const MARKERS = ['MotionPhoto="1"', 'MotionPhoto>1<', 'MicroVideo="1"', 'MicroVideo>1<'].map((marker) =>
  Buffer.from(marker),
)
/** Samsung's trailer after the video contains this name, and ends the file with these letters. */
const SAMSUNG_NAME = Buffer.from('MotionPhoto_Data')
const SAMSUNG_END = Buffer.from('SEFT')
/** Size of the part at the end of a file that is searched for the video; a video of some seconds has a few megabytes. */
const TAIL_BYTES = 48 * 1024 * 1024
const VIDEO_START = Buffer.from('ftyp')
const MAX_START_BYTES = 256

/** Major brands of HEIF files that are primarily image sequences, which play like videos. */
const SEQUENCES = new Set(['hevc', 'hevx', 'msf1'])

/** Byte offset of the video that a phone appended to a picture; 0 for an image sequence, null for none. */
export async function findMotion(filename: string, format: ImageFormat): Promise<number | null> {
  if (format !== 'jpeg' && format !== 'heic') return null
  return withBytes(filename, async (bytes) => {
    const { sizeBytes: size } = bytes
    const head = await bytes.read(0, Math.min(HEAD_BYTES, size))
    if (format === 'heic' && SEQUENCES.has(head.toString('latin1', 8, 12))) return 0
    const end = await bytes.read(Math.max(0, size - SAMSUNG_END.length), Math.min(SAMSUNG_END.length, size))
    const isMarked = MARKERS.some((marker) => head.includes(marker))
    if (!isMarked && !end.equals(SAMSUNG_END)) return null
    const from = Math.max(0, size - TAIL_BYTES)
    const tail = await bytes.read(from, size - from)
    if (!isMarked && !tail.includes(SAMSUNG_NAME)) return null
    for (let offset = tail.lastIndexOf(VIDEO_START); offset >= 4; offset = tail.lastIndexOf(VIDEO_START, offset - 1)) {
      const length = tail.readUInt32BE(offset - 4)
      const start = from + offset - 4
      // a HEIC starts the same way
      if (start > 0 && length >= 16 && length <= MAX_START_BYTES && length % 4 === 0) return start
    }
    return null
  })
}
