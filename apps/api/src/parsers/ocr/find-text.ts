import sharp from 'sharp'
import type { ColourPicture } from '../image/readable-pixels.ts'
import { LINE_HEIGHT, meanConfidence, recogniseLine } from './line-recogniser.ts'
import { cutStrip, findBoxes, type TextBox } from './text-boxes.ts'
import type { TextModels } from './text-models.ts'

/** Squares in which strokes are counted. */
const CELL = 8
/** So far from the middle of a stroke both sides differ from it, by so much. */
const [BESIDE, STANDS_OUT] = [2, 20]
/** Part of a cell that is strokes where it is full of letters. */
const FULL = 0.25
/** Cells of a word: as wide as this, and of these heights. */
const WIDE = 5
const heights = [1, 2, 3] as const
/** Least difference of strokes in a word from above and below it, 0 to 1. */
const MIN_DIFFERENCE = 0.05

/** Corner of a square. */
interface Place {
  left: number
  top: number
}

/**
 * The places that are most like a word of small letters, the likeliest first: thin strokes side by side, and calm above
 * and below, as words stand on signs. Leaves, waves and roofs go on in all directions.
 */
export function strokePlaces(picture: ColourPicture, { count, side }: { count: number; side: number }): Place[] {
  const columns = Math.floor(picture.width / CELL)
  const rows = Math.floor(picture.height / CELL)
  if (columns < WIDE) return []
  const sums = sumsOf(countStrokes(picture, columns, rows), columns, rows)
  const likeness = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column + WIDE <= columns; column++) {
      const share = (top: number, high: number) => sums(column, top, column + WIDE, top + high) / (WIDE * high)
      for (const high of heights) {
        const difference = share(row, high) - (share(row - high, high) + share(row + high, high)) / 2
        const index = (row + (high >> 1)) * columns + column + (WIDE >> 1)
        if (difference > (likeness[index] ?? 1)) likeness[index] = difference
      }
    }
  }
  return pickHighest(likeness, columns, { count, apart: side / 2 / CELL }).map(([column, row]) => ({
    left: within((column + 0.5) * CELL - side / 2, picture.width - side),
    top: within((row + 0.5) * CELL - side / 2, picture.height - side),
  }))
}

const within = (value: number, max: number) => Math.max(0, Math.min(Math.round(value), max))

/** Share of each cell that is in the middle of a stroke, lighter or darker than both its sides; 1 where it is full of letters. */
function countStrokes({ width, data }: ColourPicture, columns: number, rows: number): Float32Array {
  const cells = new Float32Array(columns * rows)
  const from = 3 * BESIDE
  for (let y = 0; y < rows * CELL; y++) {
    const cellsBefore = Math.floor(y / CELL) * columns
    // green is nearly the brightness
    const start = y * width * 3 + 1
    for (let x = BESIDE; x < Math.min(columns * CELL, width - BESIDE); x++) {
      const index = start + x * 3
      const middle = data[index] as number
      const before = middle - (data[index - from] as number)
      const after = middle - (data[index + from] as number)
      const isStroke =
        before > 0 ? before > STANDS_OUT && after > STANDS_OUT : before < -STANDS_OUT && after < -STANDS_OUT
      if (isStroke) (cells[cellsBefore + (x >> 3)] as number)++
    }
  }
  const full = FULL * CELL ** 2
  return cells.map((strokes) => Math.min(1, strokes / full))
}

/** Sums of cells in any rectangle, of which only the part within counts. */
function sumsOf(cells: Float32Array, columns: number, rows: number) {
  const across = columns + 1
  const sums = new Float32Array(across * (rows + 1))
  for (let row = 0; row < rows; row++) {
    for (let column = 0, sum = 0; column < columns; column++) {
      sum += cells[row * columns + column] as number
      sums[(row + 1) * across + column + 1] = (sums[row * across + column + 1] as number) + sum
    }
  }
  const clamp = (row: number) => Math.max(0, Math.min(rows, row))
  return (left: number, top: number, right: number, bottom: number): number => {
    const [above, below] = [clamp(top) * across, clamp(bottom) * across]
    const at = (index: number) => sums[index] as number
    return at(below + right) - at(above + right) - at(below + left) + at(above + left)
  }
}

/** Highest values that are some way apart from each other. */
function pickHighest(
  values: Float32Array,
  columns: number,
  { count, apart }: { count: number; apart: number },
): [number, number][] {
  const picked: [number, number][] = []
  while (picked.length < count) {
    let [best, max] = [-1, MIN_DIFFERENCE]
    for (let index = 0; index < values.length; index++) {
      if ((values[index] as number) <= max) continue
      const [column, row] = [index % columns, Math.floor(index / columns)]
      if (picked.some(([x, y]) => Math.abs(x - column) < apart && Math.abs(y - row) < apart)) continue
      ;[best, max] = [index, values[index] as number]
    }
    if (best === -1) break
    picked.push([best % columns, Math.floor(best / columns)])
  }
  return picked
}

/** The network halves a picture five times. */
const STEP = 32
/** Mean and deviation of red, green and blue in training, where they were taken for blue, green and red. */
const MEANS = [0.485, 0.456, 0.406]
const SPREADS = [0.229, 0.224, 0.225]
/** Input of the network by the value of a byte, for each channel in its order: blue, green and red. */
const inputs = MEANS.map((mean, channel) =>
  Float32Array.from({ length: 256 }, (_, value) => (value / 255 - mean) / (SPREADS[channel] as number)),
)

/** Text detection costs more than the pixels grow: first it's done in a picture of this size. */
const GLANCED_AT_SIDE = 480
/** A picture that is hardly larger is looked at as it is. */
const MIN_SHRINKING = 1.25
/** More boxes than these are hardly all wrong. */
const FEW_BOXES = 4
/** Squares looked at for letters that are too small for the glance, and their side, of which the network takes whole steps. */
const PLACES = 4
const PLACE_SIDE = 10 * STEP
/** Part of a line, in heights, that tells whether it is one. */
const TELLING_WIDTH = 10
/** Confidence of a few letters, from 0 to 100, below which a box is a texture. */
const MIN_CONFIDENCE = 50
const MIN_LETTERS = 2

/** Looks where text is. Letters should be ten pixels high or more. @returns boxes in pixels of the picture */
export async function findText(models: TextModels, picture: ColourPicture): Promise<TextBox[]> {
  const width = Math.max(STEP, Math.round(picture.width / STEP) * STEP)
  const height = Math.max(STEP, Math.round(picture.height / STEP) * STEP)
  const { data } = await resized(picture, width, height)
  const area = width * height
  const input = new Float32Array(3 * area)
  for (const [channel, values] of inputs.entries()) {
    for (let index = 0, from = 2 - channel, to = channel * area; index < area; index++, from += 3, to++) {
      input[to] = values[data[from] as number] as number
    }
  }
  const map = await models.find(input, [1, 3, height, width])
  const [across, down] = [picture.width / width, picture.height / height]
  // the little that rounding to whole steps distorts does not turn boxes visibly
  return findBoxes({ width, height, data: map.data }).map((box) => ({
    ...box,
    x: box.x * across,
    y: box.y * down,
    width: box.width * across,
    height: box.height * down,
  }))
}

/**
 * True when looking at a picture may be worth it: a glance at a smaller size finds something that can be read, or a look at
 * the few places that are most like small letters does. Most photos have no text, and end here.
 */
export async function mayHaveText(models: TextModels, picture: ColourPicture): Promise<boolean> {
  const by = Math.max(picture.width, picture.height) / GLANCED_AT_SIDE
  if (by < MIN_SHRINKING) return true
  const size = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side / by))) as [number, number]
  const glance = await resized(picture, ...size)
  const boxes = await findText(models, glance)
  if (boxes.length > FEW_BOXES) return true
  const pictures = [picture, glance]
  for (const box of boxes) if (await canBeRead(models, pictures, enlarged(box, by))) return true
  for (const { left, top } of strokePlaces(picture, { count: PLACES, side: PLACE_SIDE })) {
    const part = cutOut(picture, { left, top, side: PLACE_SIDE })
    for (const box of await findText(models, part)) {
      if (await canBeRead(models, pictures, { ...box, x: box.x + left, y: box.y + top })) return true
    }
  }
  return false
}

/** A box in a picture that is so many times as large. */
export function enlarged(box: TextBox, by: number): TextBox {
  return { ...box, x: box.x * by, y: box.y * by, width: box.width * by, height: box.height * by }
}

/** True when the middle of a box is read as letters, one way round or the other. */
async function canBeRead(models: TextModels, pictures: ColourPicture[], box: TextBox): Promise<boolean> {
  const middle = { ...box, width: Math.min(box.width, TELLING_WIDTH * box.height) }
  for (const degrees of [box.degrees, box.degrees + 180]) {
    const strip = cutStrip(
      pictures,
      { ...middle, degrees },
      { height: LINE_HEIGHT, widest: TELLING_WIDTH * LINE_HEIGHT },
    )
    const letters = await recogniseLine(models, strip)
    const count = letters.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).length
    if (count >= MIN_LETTERS && meanConfidence(letters) >= MIN_CONFIDENCE) return true
  }
  return false
}

async function resized(picture: ColourPicture, width: number, height: number): Promise<ColourPicture> {
  if (picture.width === width && picture.height === height) return picture
  const { data } = await sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width, height, data }
}

/** A square of a picture, or what there is of it. */
function cutOut(
  picture: ColourPicture,
  { left, top, side }: { left: number; top: number; side: number },
): ColourPicture {
  const width = Math.min(side, picture.width - left)
  const height = Math.min(side, picture.height - top)
  const data = Buffer.allocUnsafe(width * height * 3)
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * picture.width + left) * 3
    picture.data.copy(data, row * width * 3, from, from + width * 3)
  }
  return { width, height, data }
}
