import { type FileBytes, withBytes } from '../file-bytes.ts'
import { openTiff } from './tiff-directories.ts'

/** A page of a TIFF file. */
interface TiffPage {
  /** Zero-based index in the chain of directories. */
  index: number
  width: number
  height: number
  /** Pixel height divided by pixel width; not 1 for a fax. */
  pixelRatio: number
}

interface Directory extends TiffPage {
  /** True when the file declares it to be one of several pages. */
  isMarked: boolean
  isTiled: boolean
}

const TAG = {
  ...{ subfileType: 254, oldSubfileType: 255, width: 256, height: 257, xResolution: 282, yResolution: 283 },
  ...{ pageNumber: 297, tileWidth: 322 },
} as const
const wantedTags: ReadonlySet<number> = new Set(Object.values(TAG))
const MAX_PAGES = 1_000
/** Subfile bits of a smaller copy of another page and of a transparency mask. */
const COPY_OR_MASK = 0b101
/** Subfile bit of one page of several. */
const PAGE = 0b10
/** Values of the older subfile tag with the same meanings. */
const OLD_COPY = 2
const OLD_PAGE = 3
/** Unmarked copies have the shape of their page and at most this share of its area. */
const COPY_AREA = 1 / 3
/** Maximum side of a thumbnail: cameras add one of 160 × 120 without marking it as a copy (Exif); no scanned page is as small. */
const THUMBNAIL_LONGEST_SIDE = 256
/** Relative difference below which pixels count as square and shapes as equal. */
const RATIO_TOLERANCE = 0.02
/** Maximum plausible ratio of a pixel's sides. */
const MAX_PIXEL_RATIO = 5

/** Size of a page stretched to square pixels, so that no pixel is lost. */
export function squareSize({ width, height, pixelRatio }: TiffPage): { width: number; height: number } {
  return pixelRatio > 1 ? { width, height: height * pixelRatio } : { width: width / pixelRatio, height }
}

type Entries = Map<number, number>

/** The pages of a TIFF file, without smaller copies of them; none for other files. */
export function tiffPagesOf(source: Uint8Array | string): Promise<TiffPage[]> {
  return withBytes(source, async (bytes) => {
    const all = (await directoriesOf(bytes)).flatMap((entries, index): Directory[] => {
      const [width = 0, height = 0] = [entries.get(TAG.width), entries.get(TAG.height)]
      const [subfileType = 0, oldType] = [entries.get(TAG.subfileType), entries.get(TAG.oldSubfileType)]
      if ((subfileType & COPY_OR_MASK) !== 0 || oldType === OLD_COPY || width === 0 || height === 0) return []
      const isMarked = (subfileType & PAGE) !== 0 || oldType === OLD_PAGE || entries.has(TAG.pageNumber)
      const isTiled = entries.has(TAG.tileWidth)
      return [{ index, width, height, pixelRatio: pixelRatioOf(entries), isMarked, isTiled }]
    })
    return all.filter((one) => !all.some((other) => isCopyOf(one, other)))
  })
}

/** True for an unmarked thumbnail, and for a smaller copy in a zoomable picture, which is tiled, unlike scanned pages. */
function isCopyOf(one: Directory, other: Directory): boolean {
  const isThumbnail = Math.max(one.width, one.height) <= THUMBNAIL_LONGEST_SIDE
  if (one.isMarked || !(other.isTiled || isThumbnail)) return false
  const isSmaller = one.width * one.height <= COPY_AREA * other.width * other.height
  return isSmaller && Math.abs((one.width * other.height) / (one.height * other.width) - 1) < RATIO_TOLERANCE
}

function pixelRatioOf(entries: Entries): number {
  const ratio = (entries.get(TAG.xResolution) ?? 1) / (entries.get(TAG.yResolution) ?? 1)
  const isPlausible = ratio >= 1 / MAX_PIXEL_RATIO && ratio <= MAX_PIXEL_RATIO && Math.abs(ratio - 1) > RATIO_TOLERANCE
  return isPlausible ? ratio : 1
}

/** The wanted tags of each directory in the chain. */
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
