import type { FileBytes } from '../../file-bytes.ts'

/** A folder of tags of a TIFF file (TIFF 6.0, section 2): the tags that tell what a picture is and where it lies. */
export interface TiffFolder {
  /** The first numbers of each tag. */
  numbers: Map<number, number[]>
  /** Maker and model. */
  texts: Map<number, string>
}

export const TAG = {
  width: 0x100,
  height: 0x101,
  compression: 0x103,
  photometric: 0x106,
  make: 0x10f,
  stripOffsets: 0x111,
  orientation: 0x112,
  stripBytes: 0x117,
  subFolders: 0x14a,
  jpegOffset: 0x201,
  jpegBytes: 0x202,
  dngVersion: 0xc612,
} as const

const wanted: ReadonlySet<number> = new Set(Object.values(TAG))
/** Cameras write fewer than ten of each. */
const MOST_FOLDERS = 24
const MOST_ENTRIES = 1000
const MOST_NUMBERS = 16
const MOST_TEXT_BYTES = 64
const ENTRY_BYTES = 12
const TEXT = 2
/** Bytes of the types that hold numbers wanted here: BYTE, SHORT, LONG, IFD. */
const numberBytes: Record<number, number> = { 1: 1, 3: 2, 4: 4, 13: 4 }

/**
 * The folders of a TIFF file and of the RAW files that are built like one: those that follow each other, then those inside
 * them. Empty when it is none. Reads no more than the folders, however large the file is or says that it is.
 */
export async function readTiffFolders(bytes: FileBytes): Promise<TiffFolder[]> {
  const header = await bytes.read(0, 8)
  const order = header.toString('latin1', 0, 2)
  if (header.length < 8 || (order !== 'II' && order !== 'MM')) return []
  const isLittle = order === 'II'
  const read16 = (from: Buffer, at: number) => (isLittle ? from.readUInt16LE(at) : from.readUInt16BE(at))
  const read32 = (from: Buffer, at: number) => (isLittle ? from.readUInt32LE(at) : from.readUInt32BE(at))
  if (read16(header, 2) !== 42) return []

  const readEntry = async (entry: Buffer, folder: TiffFolder) => {
    const [tag, type, count] = [read16(entry, 0), read16(entry, 2), read32(entry, 4)]
    const each = type === TEXT ? 1 : numberBytes[type]
    if (!wanted.has(tag) || each === undefined) return
    const length = Math.min(count, type === TEXT ? MOST_TEXT_BYTES : MOST_NUMBERS) * each
    // how many there are, not how many are read, decides where they stand
    const isInside = count * each <= 4
    const value = isInside ? entry.subarray(8, 8 + length) : await bytes.read(read32(entry, 8), length)
    if (type === TEXT) {
      folder.texts.set(tag, value.toString('latin1').split('\0')[0]?.trim() ?? '')
      return
    }
    const numbers: number[] = []
    for (let at = 0; at + each <= value.length; at += each) {
      numbers.push(each === 1 ? (value[at] as number) : each === 2 ? read16(value, at) : read32(value, at))
    }
    folder.numbers.set(tag, numbers)
  }

  const folders: TiffFolder[] = []
  const seen = new Set<number>()
  const open = [read32(header, 4)]
  for (let at = open.shift(); at !== undefined && folders.length < MOST_FOLDERS; at = open.shift()) {
    if (at === 0 || seen.has(at)) continue
    seen.add(at)
    const start = await bytes.read(at, 2)
    if (start.length < 2) continue
    const count = Math.min(read16(start, 0), MOST_ENTRIES)
    const entries = await bytes.read(at + 2, count * ENTRY_BYTES + 4)
    const folder: TiffFolder = { numbers: new Map(), texts: new Map() }
    for (let entry = 0; (entry + 1) * ENTRY_BYTES <= entries.length && entry < count; entry++) {
      await readEntry(entries.subarray(entry * ENTRY_BYTES, (entry + 1) * ENTRY_BYTES), folder)
    }
    folders.push(folder)
    if (entries.length >= count * ENTRY_BYTES + 4) open.push(read32(entries, count * ENTRY_BYTES))
    open.push(...(folder.numbers.get(TAG.subFolders) ?? []))
  }
  return folders
}
