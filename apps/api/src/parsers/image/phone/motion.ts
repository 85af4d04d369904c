import type { ImageFormat } from '@mira/shared'
import { withBytes } from '../../file-bytes.ts'

/** Part of a picture in which Google's markers of an appended film, old and new, are searched for. */
const HEAD_BYTES = 256 * 1024
const MARKS = ['MotionPhoto="1"', 'MotionPhoto>1<', 'MicroVideo="1"', 'MicroVideo>1<'].map((mark) => Buffer.from(mark))
/** Samsung's trailer after the film: this name, and these letters at the end of the file. */
const SAMSUNG_NAME = Buffer.from('MotionPhoto_Data')
const SAMSUNG_END = Buffer.from('SEFT')
/** A film of some seconds has a few megabytes. */
const TAIL_BYTES = 48 * 1024 * 1024
const FILM_START = Buffer.from('ftyp')
const LONGEST_START_BYTES = 256

/** Kinds of HEIF files that are sequences of pictures first of all: they play as films do. */
const SEQUENCES = new Set(['hevc', 'hevx', 'msf1'])

/** Byte offset of the film that a phone appended to a picture; 0 for an image sequence, null for none. */
export async function findMotion(filename: string, format: ImageFormat): Promise<number | null> {
  if (format !== 'jpeg' && format !== 'heic') return null
  return withBytes(filename, async (bytes) => {
    const { sizeBytes: size } = bytes
    const head = await bytes.read(0, Math.min(HEAD_BYTES, size))
    if (format === 'heic' && SEQUENCES.has(head.toString('latin1', 8, 12))) return 0
    const end = await bytes.read(Math.max(0, size - SAMSUNG_END.length), Math.min(SAMSUNG_END.length, size))
    const isNamed = MARKS.some((mark) => head.includes(mark))
    if (!isNamed && !end.equals(SAMSUNG_END)) return null
    const from = Math.max(0, size - TAIL_BYTES)
    const tail = await bytes.read(from, size - from)
    if (!isNamed && !tail.includes(SAMSUNG_NAME)) return null
    for (let offset = tail.lastIndexOf(FILM_START); offset >= 4; offset = tail.lastIndexOf(FILM_START, offset - 1)) {
      const length = tail.readUInt32BE(offset - 4)
      const start = from + offset - 4
      // a HEIC starts the same way
      if (start > 0 && length >= 16 && length <= LONGEST_START_BYTES && length % 4 === 0) return start
    }
    return null
  })
}
