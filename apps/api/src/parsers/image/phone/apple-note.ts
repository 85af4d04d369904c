const NAME = Buffer.from('Apple iOS\0')
/** From the beginning of the note: its name, a version, and the order of its bytes. */
const ORDER_AT = 12
const FOLDER_AT = 14
const ENTRY_BYTES = 12
const MAX_ENTRIES = 200
const CONTENT_IDENTIFIER = 0x0011
const ASCII = 2
const MAX_CHARACTERS = 100

/**
 * Apple's identifier of a picture and the film taken with it, from the Exif block; null when it's missing. No library
 * that reads the block parses maker notes.
 */
export function contentIdentifierOf(block: Buffer): string | null {
  const note = block.subarray(Math.max(0, block.indexOf(NAME)))
  if (!note.subarray(0, NAME.length).equals(NAME) || note.length < FOLDER_AT + 2) return null
  const isLittle = note.toString('latin1', ORDER_AT, FOLDER_AT) === 'II'
  const read16 = (index: number) => (isLittle ? note.readUInt16LE(index) : note.readUInt16BE(index))
  const read32 = (index: number) => (isLittle ? note.readUInt32LE(index) : note.readUInt32BE(index))
  const count = Math.min(read16(FOLDER_AT), MAX_ENTRIES)
  for (let n = 0; n < count; n++) {
    const entry = FOLDER_AT + 2 + n * ENTRY_BYTES
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
