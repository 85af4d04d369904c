import type { FileBytes } from '../../file-bytes.ts'
import { openTiff } from '../tiff-directories.ts'
import { type Box, boxesOf, findBox } from './boxes.ts'
import { PictureProblem } from './picture-problem.ts'

/** Image file directory of a TIFF (TIFF 6.0, section 2): the tags that describe and locate a picture. */
interface TagDirectory {
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
  subDirectories: 0x14a,
  jpegOffset: 0x201,
  jpegBytes: 0x202,
  dngVersion: 0xc612,
} as const

const wantedTags: ReadonlySet<number> = new Set(Object.values(TAG))
/** Limits for the directories and the numbers of a tag; cameras write fewer than ten of each. */
const MAX_DIRECTORIES = 24
const MAX_NUMBERS = 16
const MAX_TEXT_BYTES = 64
const TEXT = 2

/**
 * Directories of a TIFF or a TIFF-based RAW file: the chain, then nested ones; empty for any other file. Reads only the
 * directories, whatever size the file has or states.
 */
async function readTagDirectories(bytes: FileBytes): Promise<TagDirectory[]> {
  const tiff = await openTiff(bytes)
  if (tiff === null) return []
  const directories: TagDirectory[] = []
  const seenOffsets = new Set<number>()
  const pending = [tiff.first]
  for (
    let offset = pending.shift();
    offset !== undefined && directories.length < MAX_DIRECTORIES;
    offset = pending.shift()
  ) {
    if (seenOffsets.has(offset)) continue
    seenOffsets.add(offset)
    const directory = await tiff.directoryAt(offset)
    if (directory === null) continue
    const tags: TagDirectory = { numbers: new Map(), texts: new Map() }
    for (const entry of directory.entries.filter(({ tag }) => wantedTags.has(tag))) {
      const numbers = await tiff.numbersOf(entry, MAX_NUMBERS)
      if (numbers.length > 0) tags.numbers.set(entry.tag, numbers)
      else if (entry.type === TEXT) {
        const text = (await tiff.bytesOf(entry, MAX_TEXT_BYTES)).toString('latin1')
        tags.texts.set(entry.tag, text.split('\0')[0]?.trim() ?? '')
      }
    }
    directories.push(tags)
    pending.push(directory.next, ...(tags.numbers.get(TAG.subDirectories) ?? []))
  }
  return directories
}

/** Size in the header of a JPEG. */
interface JpegFrame {
  width: number
  height: number
}

/** Frame types of displayable JPEGs (T.81, table B.1); sensor data has others, lossless or with more bits. */
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
    // markers may be padded with further 0xff bytes
    offset += marker === 0xff ? 1 : 2 + segment.readUInt16BE(2)
  }
  return null
}

/** Undeveloped camera files. */
export type RawFormat = 'dng' | 'cr2' | 'cr3' | 'nef' | 'arw'

/** JPEG that a camera embedded in its RAW file for display. */
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
/** Greyscale, RGB and YCbCr. */
const SHOWN_COLOURS = new Set([1, 2, 6])

/** RAW format of a file with a TIFF header; null for a TIFF or an unknown maker. */
export async function rawFormatOf(bytes: FileBytes): Promise<RawFormat | null> {
  const directories = await readTagDirectories(bytes)
  const [first] = directories
  if (first === undefined) return null
  if (first.numbers.has(TAG.dngVersion)) return 'dng'
  if ((await bytes.read(8, 3)).equals(Buffer.from('CR\x02', 'latin1'))) return 'cr2'
  if (!directories.some((directory) => directory.numbers.get(TAG.photometric)?.[0] === COLOUR_FILTERS)) return null
  const make = first.texts.get(TAG.make)?.toUpperCase() ?? ''
  if (make.startsWith('NIKON')) return 'nef'
  return make.startsWith('SONY') ? 'arw' : null
}

/**
 * Finds the largest displayable JPEG in a RAW file.
 * @throws PictureProblem when there is none, the file is truncated, or all are too large.
 */
export async function findRawPreview(bytes: FileBytes, format: RawFormat, maxPixels: number): Promise<RawPreview> {
  const { ranges, orientation } = format === 'cr3' ? await rangesInCr3(bytes) : await rangesInTiff(bytes)
  const previews: RawPreview[] = []
  let isTruncated = false
  let isTooLarge = false
  for (const { start, length } of ranges) {
    if (start + length > bytes.sizeBytes) {
      isTruncated = true
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
  if (isTruncated) throw new PictureProblem('damaged', 'ends before the picture in it does')
  throw new PictureProblem('no-preview', 'has no preview that can be shown')
}

const sizeOf = ({ width, height }: JpegFrame) => ({ width, height })

interface JpegRanges {
  ranges: { start: number; length: number }[]
  orientation: number
}

async function rangesInTiff(bytes: FileBytes): Promise<JpegRanges> {
  const directories = await readTagDirectories(bytes)
  return { ranges: directories.flatMap(jpegRangesOf), orientation: orientationOf(directories[0]) }
}

function jpegRangesOf({ numbers }: TagDirectory): JpegRanges['ranges'] {
  const first = (tag: number) => numbers.get(tag)?.[0]
  const ranges: JpegRanges['ranges'] = []
  const [offset, length] = [first(TAG.jpegOffset), first(TAG.jpegBytes)]
  if (offset !== undefined && length !== undefined) ranges.push({ start: offset, length })
  const strips = numbers.get(TAG.stripOffsets)
  const [start, stripBytes] = [strips?.[0], first(TAG.stripBytes)]
  const isShown = SHOWN_COLOURS.has(first(TAG.photometric) ?? 6) && JPEG_CODINGS.has(first(TAG.compression) ?? 0)
  if (strips?.length === 1 && start !== undefined && stripBytes !== undefined && isShown) {
    ranges.push({ start, length: stripBytes })
  }
  return ranges
}

function orientationOf(directory: TagDirectory | undefined): number {
  const orientation = directory?.numbers.get(TAG.orientation)?.[0] ?? 1
  return orientation >= 1 && orientation <= 8 ? orientation : 1
}

/** Identifiers of Canon's boxes for metadata and preview. */
const CANON_METADATA = '85c0b687820f11e08111f4ce462b6a48'
const CANON_PREVIEW = 'eaf42b5e1c984b88b9fbb7dc406e4d16'
const UUID_BYTES = 16
const JPEG_START = Buffer.from('ffd8ff', 'hex')

/** EXIF blocks of a CR3 file: `CMT1` for the camera, `CMT2` for settings and time. */
export async function readCanonBlock(bytes: FileBytes, name: 'CMT1' | 'CMT2', maxBytes: number): Promise<Buffer> {
  const moov = await findBox(bytes, ['moov'])
  const metadata = moov && (await findUuid(bytes, CANON_METADATA, moov))
  const block = metadata && (await findBox(bytes, [name], metadata))
  return block ? bytes.read(block.start, Math.min(block.end - block.start, maxBytes)) : Buffer.alloc(0)
}

async function rangesInCr3(bytes: FileBytes): Promise<JpegRanges> {
  const block = await readCanonBlock(bytes, 'CMT1', 64 * 1024)
  const [metadata] = await readTagDirectories({
    sizeBytes: block.length,
    read: async (position, length) => block.subarray(position, position + length),
  })
  const moov = await findBox(bytes, ['moov'])
  const tracks = moov ? (await boxesOf(bytes, moov.start, moov.end)).filter(({ type }) => type === 'trak') : []
  const samples = await Promise.all(tracks.map((track) => firstSample(bytes, track)))
  const ranges = samples.flatMap((sample) => sample ?? [])
  const preview = await findUuid(bytes, CANON_PREVIEW)
  if (preview) {
    const start = (await bytes.read(preview.start, 256)).indexOf(JPEG_START)
    if (start >= 0) ranges.push({ start: preview.start + start, length: preview.end - preview.start - start })
  }
  return { ranges, orientation: orientationOf(metadata) }
}

async function findUuid(bytes: FileBytes, uuid: string, within?: Box): Promise<Box | null> {
  for (const box of await boxesOf(bytes, within?.start, within?.end)) {
    if (box.type !== 'uuid') continue
    const id = await bytes.read(box.start, UUID_BYTES)
    if (id.toString('hex') === uuid) return { ...box, start: box.start + UUID_BYTES }
  }
  return null
}

/** Range of the first picture of a track; each track of a CR3 file has one. */
async function firstSample(bytes: FileBytes, track: Box): Promise<{ start: number; length: number } | null> {
  const table = await findBox(bytes, ['mdia', 'minf', 'stbl'], track)
  if (table === null) return null
  const content = async (type: string) => {
    const box = await findBox(bytes, [type], table)
    return box ? bytes.read(box.start, 24) : Buffer.alloc(0)
  }
  const [sizes, longOffsets, shortOffsets] = [await content('stsz'), await content('co64'), await content('stco')]
  if (sizes.length < 12) return null
  const commonLength = sizes.readUInt32BE(4)
  const length = commonLength === 0 && sizes.length >= 16 ? sizes.readUInt32BE(12) : commonLength
  if (longOffsets.length >= 16) return { start: Number(longOffsets.readBigUInt64BE(8)), length }
  return shortOffsets.length >= 12 ? { start: shortOffsets.readUInt32BE(8), length } : null
}
