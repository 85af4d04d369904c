import { type FileBytes, withBytes } from '../file-bytes.ts'
import { openTiff } from './tiff-directories.ts'

/** A page of a TIFF file. */
interface TiffPage {
  /** Zero-based index in the chain of directories. */
  index: number
  width: number
  height: number
  /** Height of its pixels by their width: those of a fax aren't square. */
  pixelRatio: number
}

const TAG = { subfileType: 254, width: 256, height: 257, xResolution: 282, yResolution: 283 } as const
const wantedTags: ReadonlySet<number> = new Set(Object.values(TAG))
const MAX_PAGES = 1_000
/** Subfile bits of a smaller copy of another page and of a transparency mask. */
const COPY_OR_MASK = 0b101
/** Unmarked copies have the shape of their page and at most this share of its area. */
const COPY_AREA = 1 / 3
/** Bounds on the ratio of non-square pixels. */
const RATIO_TOLERANCE = 0.02
const MAX_PIXEL_RATIO = 5

/** Size of a page with square pixels, without losing any. */
export function squareSize({ width, height, pixelRatio }: TiffPage): { width: number; height: number } {
  return pixelRatio > 1 ? { width, height: height * pixelRatio } : { width: width / pixelRatio, height }
}

type Entries = Map<number, number>

/** The pages of a TIFF file, without smaller copies of them; none for other files. */
export function tiffPagesOf(source: Uint8Array | string): Promise<TiffPage[]> {
  return withBytes(source, async (bytes) => {
    const all = (await directoriesOf(bytes)).flatMap((entries, index): TiffPage[] => {
      const [width = 0, height = 0] = [entries.get(TAG.width), entries.get(TAG.height)]
      const isPage = ((entries.get(TAG.subfileType) ?? 0) & COPY_OR_MASK) === 0 && width > 0 && height > 0
      return isPage ? [{ index, width, height, pixelRatio: pixelRatioOf(entries) }] : []
    })
    return all.filter((one) => !all.some((other) => isCopyOf(one, other)))
  })
}

function isCopyOf(one: TiffPage, other: TiffPage): boolean {
  const isSmaller = one.width * one.height <= COPY_AREA * other.width * other.height
  return isSmaller && Math.abs((one.width * other.height) / (one.height * other.width) - 1) < RATIO_TOLERANCE
}

function pixelRatioOf(entries: Entries): number {
  const ratio = (entries.get(TAG.xResolution) ?? 1) / (entries.get(TAG.yResolution) ?? 1)
  const isReported = ratio >= 1 / MAX_PIXEL_RATIO && ratio <= MAX_PIXEL_RATIO && Math.abs(ratio - 1) > RATIO_TOLERANCE
  return isReported ? ratio : 1
}

/** Wanted tags of the directories in the chain. */
async function directoriesOf(bytes: FileBytes): Promise<Entries[]> {
  const tiff = await openTiff(bytes)
  const directories: Entries[] = []
  const seenOffsets = new Set<number>()
  for (let offset = tiff?.first ?? 0; tiff && !seenOffsets.has(offset) && directories.length < MAX_PAGES; ) {
    seenOffsets.add(offset)
    const directory = await tiff.directoryAt(offset)
    if (directory === null) break
    const entries: Entries = new Map()
    for (const entry of directory.entries.filter(({ tag }) => wantedTags.has(tag))) {
      const [number] = await tiff.numbersOf(entry, 1)
      if (number !== undefined) entries.set(entry.tag, number)
    }
    directories.push(entries)
    offset = directory.next
  }
  return directories
}
