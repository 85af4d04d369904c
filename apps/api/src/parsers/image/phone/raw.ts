import type { FileBytes } from '../../file-bytes.ts'
import { openTiff } from '../tiff-directories.ts'
import { type Box, boxesOf, findBox } from './boxes.ts'
import { PictureProblem } from './picture-problem.ts'

/** Image file directory of a TIFF (TIFF 6.0, section 2): the tags that describe and locate a picture. */
interface TiffFolder {
  /** The first numbers of each tag. */
  numbers: Map<number, number[]>
  /** Maker and model. */
  texts: Map<number, string>
}

const TAG = {
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

const wantedTags: ReadonlySet<number> = new Set(Object.values(TAG))
/** Cameras write fewer than ten of each. */
const MAX_FOLDERS = 24
const MAX_NUMBERS = 16
const MAX_TEXT_BYTES = 64
const TEXT = 2

/**
 * Directories of a TIFF or a TIFF-based RAW file: the chain, then nested ones; empty for any other file. Reads only the
 * directories, whatever size the file has or states.
 */
async function readTiffFolders(bytes: FileBytes): Promise<TiffFolder[]> {
  const tiff = await openTiff(bytes)
  if (tiff === null) return []
  const folders: TiffFolder[] = []
  const seenOffsets = new Set<number>()
  const open = [tiff.first]
  for (let at = open.shift(); at !== undefined && folders.length < MAX_FOLDERS; at = open.shift()) {
    if (seenOffsets.has(at)) continue
    seenOffsets.add(at)
    const directory = await tiff.directoryAt(at)
    if (directory === null) continue
    const folder: TiffFolder = { numbers: new Map(), texts: new Map() }
    for (const entry of directory.entries.filter(({ tag }) => wantedTags.has(tag))) {
      const numbers = await tiff.numbersOf(entry, MAX_NUMBERS)
      if (numbers.length > 0) folder.numbers.set(entry.tag, numbers)
      else if (entry.type === TEXT) {
        const text = (await tiff.bytesOf(entry, MAX_TEXT_BYTES)).toString('latin1')
        folder.texts.set(entry.tag, text.split('\0')[0]?.trim() ?? '')
      }
    }
    folders.push(folder)
    open.push(directory.next, ...(folder.numbers.get(TAG.subFolders) ?? []))
  }
  return folders
}

/** Header data of a JPEG. */
interface JpegFrame {
  width: number
  height: number
}

/** The codings that are shown (T.81, table B.1); sensors' values come in others, of more bits, without loss. */
const SHOWN_FRAMES = new Set([0xc0, 0xc1, 0xc2])
const ALL_FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
const MAX_SEGMENTS = 200
const START_OF_SCAN = 0xda

/** Size of a JPEG at an offset of a file; null when it isn't a displayable one. */
async function readJpegFrame(bytes: FileBytes, start: number, length: number): Promise<JpegFrame | null> {
  const end = start + length
  const first = await bytes.read(start, 2)
  if (first.length < 2 || first.readUInt16BE(0) !== 0xffd8) return null
  for (let offset = start + 2, segments = 0; offset + 4 <= end && segments < MAX_SEGMENTS; segments++) {
    const segment = await bytes.read(offset, 10)
    if (segment.length < 10 || segment[0] !== 0xff) return null
    const marker = segment[1] as number
    if (marker === START_OF_SCAN) return null
    if (ALL_FRAMES.has(marker)) {
      const isShown = SHOWN_FRAMES.has(marker) && segment[4] === 8
      const [height, width] = [segment.readUInt16BE(5), segment.readUInt16BE(7)]
      return isShown && width > 0 && height > 0 ? { width, height } : null
    }
    // a marker may be filled up with further bytes of ones
    offset += marker === 0xff ? 1 : 2 + segment.readUInt16BE(2)
  }
  return null
}

/** Undeveloped camera files. */
export type RawFormat = 'dng' | 'cr2' | 'cr3' | 'nef' | 'arw'

/** The picture that a camera put into its RAW file, to be shown. */
export interface RawPreview {
  /** Byte offset of the JPEG in the file. */
  start: number
  length: number
  /** As stored; `orientation` (TIFF 6.0, tag 274) gives its rotation. */
  width: number
  height: number
  orientation: number
}

/** Photometric interpretation of sensor data under colour filters (TIFF/EP, tag 262). */
const COLOUR_FILTERS = 32_803
const JPEG_CODINGS = new Set([6, 7])
/** Black and white, red-green-blue, and what JPEG uses. */
const SHOWN_COLOURS = new Set([1, 2, 6])

/** RAW format of a file with a TIFF header; null for a TIFF or an unknown maker. */
export async function rawFormatOf(bytes: FileBytes): Promise<RawFormat | null> {
  const folders = await readTiffFolders(bytes)
  const [first] = folders
  if (first === undefined) return null
  if (first.numbers.has(TAG.dngVersion)) return 'dng'
  if ((await bytes.read(8, 3)).equals(Buffer.from('CR\x02', 'latin1'))) return 'cr2'
  if (!folders.some((folder) => folder.numbers.get(TAG.photometric)?.[0] === COLOUR_FILTERS)) return null
  const make = first.texts.get(TAG.make)?.toUpperCase() ?? ''
  if (make.startsWith('NIKON')) return 'nef'
  return make.startsWith('SONY') ? 'arw' : null
}

/**
 * Finds the largest displayable JPEG in a RAW file.
 * @throws PictureProblem when there is none, the file is truncated, or all are too large.
 */
export async function findRawPreview(bytes: FileBytes, format: RawFormat, maxPixels: number): Promise<RawPreview> {
  const { places, orientation } = format === 'cr3' ? await placesInCr3(bytes) : await placesInTiff(bytes)
  const previews: RawPreview[] = []
  let isCut = false
  let isTooLarge = false
  for (const { start, length } of places) {
    if (start + length > bytes.sizeBytes) {
      isCut = true
      continue
    }
    const frame = await readJpegFrame(bytes, start, length)
    if (frame === null) continue
    if (frame.width * frame.height > maxPixels) isTooLarge = true
    else previews.push({ start, length, ...sizeOf(frame), orientation })
  }
  const [largest] = previews.sort((one, other) => other.width * other.height - one.width * one.height)
  if (largest !== undefined) return largest
  if (isTooLarge) throw new PictureProblem('too-large', 'the picture in it has too many pixels')
  if (isCut) throw new PictureProblem('damaged', 'ends before the picture in it does')
  throw new PictureProblem('no-preview', 'holds no preview that can be shown')
}

const sizeOf = ({ width, height }: JpegFrame) => ({ width, height })

interface Places {
  places: { start: number; length: number }[]
  orientation: number
}

async function placesInTiff(bytes: FileBytes): Promise<Places> {
  const folders = await readTiffFolders(bytes)
  return { places: folders.flatMap(placesInFolder), orientation: orientationOf(folders[0]) }
}

function placesInFolder({ numbers }: TiffFolder): Places['places'] {
  const first = (tag: number) => numbers.get(tag)?.[0]
  const places: Places['places'] = []
  const [offset, length] = [first(TAG.jpegOffset), first(TAG.jpegBytes)]
  if (offset !== undefined && length !== undefined) places.push({ start: offset, length })
  const strips = numbers.get(TAG.stripOffsets)
  const [start, stripBytes] = [strips?.[0], first(TAG.stripBytes)]
  const isShown = SHOWN_COLOURS.has(first(TAG.photometric) ?? 6) && JPEG_CODINGS.has(first(TAG.compression) ?? 0)
  if (strips?.length === 1 && start !== undefined && stripBytes !== undefined && isShown) {
    places.push({ start, length: stripBytes })
  }
  return places
}

function orientationOf(folder: TiffFolder | undefined): number {
  const orientation = folder?.numbers.get(TAG.orientation)?.[0] ?? 1
  return orientation >= 1 && orientation <= 8 ? orientation : 1
}

/** Canon's boxes of the metadata and of the preview. */
const CANON_FACTS = '85c0b687820f11e08111f4ce462b6a48'
const CANON_PREVIEW = 'eaf42b5e1c984b88b9fbb7dc406e4d16'
const UUID_BYTES = 16
const JPEG_START = Buffer.from('ffd8ff', 'hex')

/** EXIF blocks of a CR3 file: `CMT1` for the camera, `CMT2` for settings and time. */
export async function readCanonBlock(bytes: FileBytes, name: 'CMT1' | 'CMT2', maxBytes: number): Promise<Buffer> {
  const movie = await findBox(bytes, ['moov'])
  const facts = movie && (await findUuid(bytes, CANON_FACTS, movie))
  const block = facts && (await findBox(bytes, [name], facts))
  return block ? bytes.read(block.start, Math.min(block.end - block.start, maxBytes)) : Buffer.alloc(0)
}

async function placesInCr3(bytes: FileBytes): Promise<Places> {
  const block = await readCanonBlock(bytes, 'CMT1', 64 * 1024)
  const [facts] = await readTiffFolders({
    sizeBytes: block.length,
    read: async (position, length) => block.subarray(position, position + length),
  })
  const movie = await findBox(bytes, ['moov'])
  const tracks = movie ? (await boxesOf(bytes, movie.start, movie.end)).filter(({ type }) => type === 'trak') : []
  const samples = await Promise.all(tracks.map((track) => firstSample(bytes, track)))
  const places = samples.flatMap((sample) => sample ?? [])
  const preview = await findUuid(bytes, CANON_PREVIEW)
  if (preview) {
    const start = (await bytes.read(preview.start, 256)).indexOf(JPEG_START)
    if (start >= 0) places.push({ start: preview.start + start, length: preview.end - preview.start - start })
  }
  return { places, orientation: orientationOf(facts) }
}

async function findUuid(bytes: FileBytes, uuid: string, within?: Box): Promise<Box | null> {
  for (const box of await boxesOf(bytes, within?.start, within?.end)) {
    if (box.type !== 'uuid') continue
    const id = await bytes.read(box.start, UUID_BYTES)
    if (id.toString('hex') === uuid) return { ...box, start: box.start + UUID_BYTES }
  }
  return null
}

/** Position of the first picture of a track; each track of a CR3 file has one. */
async function firstSample(bytes: FileBytes, track: Box): Promise<{ start: number; length: number } | null> {
  const table = await findBox(bytes, ['mdia', 'minf', 'stbl'], track)
  if (table === null) return null
  const content = async (type: string) => {
    const box = await findBox(bytes, [type], table)
    return box ? bytes.read(box.start, 24) : Buffer.alloc(0)
  }
  const [sizes, long, short] = [await content('stsz'), await content('co64'), await content('stco')]
  if (sizes.length < 12) return null
  const common = sizes.readUInt32BE(4)
  const length = common === 0 && sizes.length >= 16 ? sizes.readUInt32BE(12) : common
  if (long.length >= 16) return { start: Number(long.readBigUInt64BE(8)), length }
  return short.length >= 12 ? { start: short.readUInt32BE(8), length } : null
}
