/** Bytes of one value of each type of TIFF 6.0 (section 2), by its number. */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
const LARGEST_TYPE_BYTES = 8
/** Tags that say where a folder of further tags is: of the camera, of the place, of how to read both. */
const folderTags = new Set([0x8769, 0x8825, 0xa005])
/** Maker note, with folders of its own; none of it is used. */
const MAKER_NOTE = 0x927c
const MAX_BYTES = 1_000_000
const MAX_FOLDERS = 8
const ENTRY_BYTES = 12

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
  const folders = [read32(4)]
  const seenTags = new Set<number>()
  let valueBytes = 0
  for (let at = folders.shift(); at !== undefined; at = folders.shift()) {
    if (at === 0 || seenTags.has(at) || !isInside(at, 2)) continue
    seenTags.add(at)
    if (seenTags.size > MAX_FOLDERS) return null
    const count = read16(at)
    for (let n = 0, entry = at + 2; n < count && isInside(entry, ENTRY_BYTES); n++, entry += ENTRY_BYTES) {
      const tag = read16(entry)
      const bytes = read32(entry + 4) * (typeBytes[read16(entry + 2)] ?? LARGEST_TYPE_BYTES)
      // ranges beyond the end aren't read
      if (bytes <= 4 || isInside(read32(entry + 8), bytes)) valueBytes += bytes
      if (tag === MAKER_NOTE) bounded.fill(0xff, entry, entry + 2)
      if (folderTags.has(tag)) folders.push(read32(entry + 8))
    }
    const next = at + 2 + count * ENTRY_BYTES
    if (isInside(next, 4)) folders.push(read32(next))
  }
  return valueBytes <= 2 * block.length ? bounded : null
}
