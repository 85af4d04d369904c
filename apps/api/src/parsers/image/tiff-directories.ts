import type { FileBytes } from '../file-bytes.ts'

/** Entry of an image file directory (TIFF 6.0, section 2). */
interface TiffEntry {
  tag: number
  type: number
  count: number
  /** Four bytes: the value, or its position in the file. */
  inline: Buffer
}

interface TiffDirectory {
  entries: TiffEntry[]
  /** Position of the next directory of the chain; 0 at its end. */
  next: number
}

/** Bytes of one value of each type, by its number. */
export const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
export const ENTRY_BYTES = 12
const RATIONAL = 5
const NUMBER_TYPES: ReadonlySet<number> = new Set([1, 3, 4, RATIONAL, 13])
const MAX_ENTRIES = 1000

/** Reader of a TIFF's directories, whatever size the file has or states; null for any other file. */
export async function openTiff(bytes: FileBytes) {
  const header = await bytes.read(0, 8)
  const order = header.toString('latin1', 0, 2)
  if (header.length < 8 || (order !== 'II' && order !== 'MM')) return null
  const isLittle = order === 'II'
  const read16 = (from: Buffer, offset: number) => (isLittle ? from.readUInt16LE(offset) : from.readUInt16BE(offset))
  const read32 = (from: Buffer, offset: number) => (isLittle ? from.readUInt32LE(offset) : from.readUInt32BE(offset))
  if (read16(header, 2) !== 42) return null

  /** A value, cut to whole numbers within `maxBytes`. */
  const bytesOf = async ({ type, count, inline }: TiffEntry, maxBytes: number): Promise<Buffer> => {
    const valueBytes = typeBytes[type] ?? 0
    if (valueBytes === 0) return Buffer.alloc(0)
    const length = Math.min(count, Math.floor(maxBytes / valueBytes)) * valueBytes
    // positions depend on the total count, not on the number read
    return count * valueBytes <= inline.length ? inline.subarray(0, length) : bytes.read(read32(inline, 0), length)
  }

  return {
    header,
    isLittle,
    first: read32(header, 4),

    /** Null beyond the end of the file. */
    async directoryAt(position: number): Promise<TiffDirectory | null> {
      const start = await bytes.read(position, 2)
      if (position === 0 || start.length < 2) return null
      const count = read16(start, 0)
      const body = await bytes.read(position + 2, Math.min(count, MAX_ENTRIES) * ENTRY_BYTES + 4)
      const entries = Array.from(
        { length: Math.min(count, MAX_ENTRIES, Math.floor(body.length / ENTRY_BYTES)) },
        (_, index): TiffEntry => {
          const offset = index * ENTRY_BYTES
          const [tag, type] = [read16(body, offset), read16(body, offset + 2)]
          const inline = body.subarray(offset + 8, offset + ENTRY_BYTES)
          return { tag, type, count: read32(body, offset + 4), inline }
        },
      )
      const end = count * ENTRY_BYTES
      return { entries, next: body.length < end + 4 ? 0 : read32(body, end) }
    },

    bytesOf,

    /** The first numbers of an entry; none for other types. */
    async numbersOf(entry: TiffEntry, max: number): Promise<number[]> {
      if (!NUMBER_TYPES.has(entry.type)) return []
      const valueBytes = typeBytes[entry.type] as number
      const value = await bytesOf(entry, max * valueBytes)
      return Array.from({ length: Math.floor(value.length / valueBytes) }, (_, index) => {
        const offset = index * valueBytes
        if (entry.type === RATIONAL) return read32(value, offset) / read32(value, offset + 4)
        return valueBytes === 1
          ? (value[offset] as number)
          : valueBytes === 2
            ? read16(value, offset)
            : read32(value, offset)
      })
    },
  }
}
