import type { ReadWord } from '@mira/shared'
import sharp from 'sharp'
import type { ReadablePicture } from './ocr-picture.ts'
import type { ReadParagraph } from './ocr-words.ts'

/** A slice of a tall picture, overlapping those above and below. */
interface Slice extends ReadablePicture {
  /** First row in the whole picture. */
  top: number
  /** Rows between which lines are its own. */
  from: number
  to: number
}

/** So many times as high as wide is taller than any screen. */
const TALL = 2.6
/** Height at which letters stay readable when the slice is shrunk. */
const HIGH = 2
/** Narrower pictures are enlarged while they are below a thousand rows. */
const MIN_HIGH = 960
const MAX_SLICES = 60
/** No further slice starts after this; the text so far counts. */
const LONG_MS = 80_000
/** Part of a slice's height, at its end, in which a calm row is looked for. */
const CUT_WITHIN = 0.25
/** Part of the width that is looked at beyond a cut: more than a line is high. */
const OVERLAP = 0.1
/** Largest difference per pixel from the calmest row of other calm rows. */
const AS_CALM = 0.2
/** Share of its height by which a line's middle may exceed the cut. */
const TOLERANCE = 0.3

/** True where letters would be lost if a picture was looked at as a whole. */
export function isTall({ width, height }: ReadablePicture): boolean {
  return height > TALL * width && height > MIN_HIGH
}

/** Reads a tall picture in slices that are cut where nothing is written, or overlap where something is. */
export async function readInSlices(
  picture: ReadablePicture,
  read: (slice: ReadablePicture) => Promise<ReadParagraph[]>,
): Promise<ReadParagraph[]> {
  const startedAt = performance.now()
  const paragraphs: ReadParagraph[] = []
  for (const slice of await slicesOf(picture)) {
    if (performance.now() - startedAt > LONG_MS) break
    const before = paragraphs.flat(2)
    const own = (await read(slice)).map((paragraph) =>
      paragraph.map((line) => line.map((word) => placed(word, slice, picture))).filter(isOwn(slice, picture, before)),
    )
    paragraphs.push(...own.filter((paragraph) => paragraph.length > 0))
  }
  return paragraphs
}

async function slicesOf(picture: ReadablePicture): Promise<Slice[]> {
  const { data, info } = await picture
    .pixels()
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const changes = changesOfRows(data, info)
  const high = Math.max(MIN_HIGH, HIGH * width)
  const overlap = Math.ceil(OVERLAP * width)
  const slices: Slice[] = []
  for (let from = 0; from < height && slices.length < MAX_SLICES; ) {
    const to =
      height - from <= high ? height : calmRow(changes, from + Math.round(high * (1 - CUT_WITHIN)), from + high)
    const top = Math.max(0, from - overlap)
    const rows = Math.min(height, to + overlap) - top
    const bytes = data.subarray(top * width * channels, (top + rows) * width * channels)
    const pixels = () => sharp(bytes, { raw: { width, height: rows, channels } })
    slices.push({ width, height: rows, top, from, to, pixels })
    from = to
  }
  return slices
}

/** Difference of neighbours in each row, a pixel. */
function changesOfRows(data: Buffer, { width, height, channels }: { width: number; height: number; channels: number }) {
  const changes = new Float32Array(height)
  for (let row = 0, index = 0; row < height; row++) {
    let sum = 0
    for (const end = index + (width - 1) * channels; index < end; index += channels) {
      sum += Math.abs((data[index] as number) - (data[index + channels] as number))
    }
    index += channels
    changes[row] = sum / width
  }
  return changes
}

/** The middle of the longest run of rows that are as calm as the calmest one. */
function calmRow(changes: Float32Array, from: number, to: number): number {
  const calmest = changes.subarray(from, to).reduce((min, change) => Math.min(min, change), Number.POSITIVE_INFINITY)
  let best = { start: from, length: 0 }
  for (let row = from, start = from; row <= to; row++) {
    if (row < to && (changes[row] as number) <= calmest + AS_CALM) continue
    if (row - start > best.length) best = { start, length: row - start }
    start = row + 1
  }
  return best.start + (best.length >> 1)
}

function placed(word: ReadWord, slice: Slice, whole: ReadablePicture): ReadWord {
  const [left, top, width, height] = word.box
  const rows = (part: number) => Math.round((100_000 * part * slice.height) / whole.height) / 100_000
  const offset = Math.round((100_000 * slice.top) / whole.height) / 100_000
  return { ...word, box: [left, Math.min(1, offset + rows(top)), width, rows(height)] }
}

/** True for a line that belongs to a slice and wasn't read with the one above. */
function isOwn({ from, to }: Slice, { height: rows }: ReadablePicture, before: ReadWord[]) {
  return (line: ReadWord[]): boolean => {
    const top = rows * Math.min(...line.map(({ box }) => box[1]))
    const bottom = rows * Math.max(...line.map(({ box }) => box[1] + box[3]))
    const [middle, beyond] = [(top + bottom) / 2, TOLERANCE * (bottom - top)]
    if (middle < from - beyond || middle >= to + beyond) return false
    return middle >= from + beyond || !line.some((word) => before.some((other) => isSamePlace(word, other)))
  }
}

function isSamePlace({ box: one }: ReadWord, { box: other }: ReadWord): boolean {
  const share = (from: number, length: number, otherFrom: number, otherLength: number) =>
    (Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom)) / Math.min(length, otherLength)
  return share(one[0], one[2], other[0], other[2]) > 0.5 && share(one[1], one[3], other[1], other[3]) > 0.5
}
