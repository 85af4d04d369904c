import type { FileBytes } from '../../file-bytes.ts'

const AV1 = new Set(['avif', 'avis'])
const HEIF = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'hevm', 'hevs', 'mif1', 'msf1', 'miaf'])
const MAX_BRANDS = 32

/**
 * Format of a HEIF file by its beginning (ISO/IEC 23008-12, 10): its major brand decides, or, when that is generic, the
 * presence of an AV1 brand. Null for videos and anything else.
 */
export function heifFormatOf(head: Uint8Array): 'avif' | 'heic' | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length)
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return null
  const major = bytes.toString('latin1', 8, 12)
  if (AV1.has(major)) return 'avif'
  if (!HEIF.has(major)) return null
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 16 + 4 * MAX_BRANDS)
  const otherBrands: string[] = []
  for (let offset = 16; offset + 4 <= end; offset += 4) otherBrands.push(bytes.toString('latin1', offset, offset + 4))
  const isGeneric = major === 'mif1' || major === 'msf1' || major === 'miaf'
  return isGeneric && otherBrands.some((brand) => AV1.has(brand)) ? 'avif' : 'heic'
}

/** A box of the ISO base media file format (ISO/IEC 14496-12, 4.2), with the range of its content. */
export interface Box {
  type: string
  start: number
  end: number
}

/** Maximum number of boxes read on one level; no picture has as many. */
const MAX_BOXES = 200

/** Boxes within a range of a file, in order, up to the first invalid one. */
export async function boxesOf(bytes: FileBytes, from = 0, to = bytes.sizeBytes): Promise<Box[]> {
  const boxes: Box[] = []
  const limit = Math.min(to, bytes.sizeBytes)
  for (let offset = from; offset + 8 <= limit && boxes.length < MAX_BOXES; ) {
    const header = await bytes.read(offset, 16)
    if (header.length < 8) break
    const shortSize = header.readUInt32BE(0)
    const isLong = shortSize === 1 && header.length === 16
    const headerBytes = isLong ? 16 : 8
    const size = shortSize === 0 ? limit - offset : isLong ? Number(header.readBigUInt64BE(8)) : shortSize
    if (size < headerBytes) break
    boxes.push({
      type: header.toString('latin1', 4, 8),
      start: offset + headerBytes,
      end: Math.min(limit, offset + size),
    })
    offset += size
  }
  return boxes
}

/** First box on a path of types; null when missing. */
export async function findBox(bytes: FileBytes, path: readonly string[], within?: Box): Promise<Box | null> {
  let current: Box | undefined = within
  for (const type of path) {
    const inside: Box[] = await boxesOf(bytes, current?.start ?? 0, current?.end)
    current = inside.find((box) => box.type === type)
    if (current === undefined) return null
  }
  return current ?? null
}
