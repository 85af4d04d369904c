import { type FileBytes, withBytes } from '../file-bytes.ts'
import { openTiff } from './tiff-directories.ts'

/** A page of a TIFF file. */
interface TiffPage {
  /** Zero-based index of its folder in the chain of folders. */
  index: number
  width: number
  height: number
  /** Height of its pixels by their width: those of a fax aren't square. */
  pixelRatio: number
}

const TAG = { subfileType: 254, width: 256, height: 257, xResolution: 282, yResolution: 283 } as const
const wantedTags: ReadonlySet<number> = new Set(Object.values(TAG))
const MAX_PAGES = 1_000
/** It is a smaller copy of another page, or says where that one can be seen through. */
const COPY_OR_MASK = 0b101
/** Copies that do not say so have the shape of their page, and this part of its area at most. */
const COPY_AREA = 1 / 3
/** Bounds on the ratio of non-square pixels. */
const SQUARE = 0.02
const LONGEST_PIXEL = 5

/** Size of a page with square pixels, without losing any. */
export function squareSize({ width, height, pixelRatio }: TiffPage): { width: number; height: number } {
  return pixelRatio > 1 ? { width, height: height * pixelRatio } : { width: width / pixelRatio, height }
}

type Entries = Map<number, number>

/** The pages of a TIFF file, without smaller copies of them; none when it is not built like one. */
export function tiffPagesOf(source: Uint8Array | string): Promise<TiffPage[]> {
  return withBytes(source, async (bytes) => {
    const all = (await foldersOf(bytes)).flatMap((entries, index): TiffPage[] => {
      const [width = 0, height = 0] = [entries.get(TAG.width), entries.get(TAG.height)]
      const isPage = ((entries.get(TAG.subfileType) ?? 0) & COPY_OR_MASK) === 0 && width > 0 && height > 0
      return isPage ? [{ index, width, height, pixelRatio: pixelRatioOf(entries) }] : []
    })
    return all.filter((one) => !all.some((other) => isCopyOf(one, other)))
  })
}

function isCopyOf(one: TiffPage, other: TiffPage): boolean {
  const isSmaller = one.width * one.height <= COPY_AREA * other.width * other.height
  return isSmaller && Math.abs((one.width * other.height) / (one.height * other.width) - 1) < SQUARE
}

function pixelRatioOf(entries: Entries): number {
  const ratio = (entries.get(TAG.xResolution) ?? 1) / (entries.get(TAG.yResolution) ?? 1)
  const isReported = ratio >= 1 / LONGEST_PIXEL && ratio <= LONGEST_PIXEL && Math.abs(ratio - 1) > SQUARE
  return isReported ? ratio : 1
}

/** The wanted numbers of the folders that follow each other. */
async function foldersOf(bytes: FileBytes): Promise<Entries[]> {
  const tiff = await openTiff(bytes)
  const folders: Entries[] = []
  const seenOffsets = new Set<number>()
  for (let offset = tiff?.first ?? 0; tiff && !seenOffsets.has(offset) && folders.length < MAX_PAGES; ) {
    seenOffsets.add(offset)
    const directory = await tiff.directoryAt(offset)
    if (directory === null) break
    const entries: Entries = new Map()
    for (const entry of directory.entries.filter(({ tag }) => wantedTags.has(tag))) {
      const [number] = await tiff.numbersOf(entry, 1)
      if (number !== undefined) entries.set(entry.tag, number)
    }
    folders.push(entries)
    offset = directory.next
  }
  return folders
}
