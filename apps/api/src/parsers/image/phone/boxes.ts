import type { FileBytes } from '../../file-bytes.ts'

/** A box of the ISO base media file format (ISO/IEC 14496-12, 4.2): a name, and where its content is. */
export interface Box {
  type: string
  start: number
  end: number
}

/** More than any picture has on one level. */
const MAX_BOXES = 200

/** The boxes of a stretch of a file, in their order; ends where one says nonsense. */
export async function boxesOf(bytes: FileBytes, from = 0, to = bytes.sizeBytes): Promise<Box[]> {
  const boxes: Box[] = []
  const limit = Math.min(to, bytes.sizeBytes)
  for (let offset = from; offset + 8 <= limit && boxes.length < MAX_BOXES; ) {
    const header = await bytes.read(offset, 16)
    if (header.length < 8) break
    const short = header.readUInt32BE(0)
    const isLong = short === 1 && header.length === 16
    const headerBytes = isLong ? 16 : 8
    const size = short === 0 ? limit - offset : isLong ? Number(header.readBigUInt64BE(8)) : short
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

/** First box on a path of names; null when missing. */
export async function findBox(bytes: FileBytes, path: readonly string[], within?: Box): Promise<Box | null> {
  let current: Box | undefined = within
  for (const type of path) {
    const inside: Box[] = await boxesOf(bytes, current?.start ?? 0, current?.end)
    current = inside.find((box) => box.type === type)
    if (current === undefined) return null
  }
  return current ?? null
}
