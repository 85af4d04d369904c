import sharp from 'sharp'
import type { ColourPicture } from '../image/readable-pixels.ts'
import { LINE_HEIGHT, meanConfidence, recogniseLine } from './line-recogniser.ts'
import { cutStrip, findBoxes, type TextBox } from './text-boxes.ts'
import type { TextModels } from './text-models.ts'

/** Side of the squares in which strokes are counted, in pixels. */
const CELL_SIDE = 8
/** A stroke differs from both its sides, at this distance from its centre and by at least this much, of 255. */
const [STROKE_RADIUS, STROKE_CONTRAST] = [2, 20]
/** Share of strokes in a cell full of letters. */
const FULL_SHARE = 0.25
/** Width and heights of a word in cells. */
const WORD_COLUMNS = 5
const wordRows = [1, 2, 3] as const
/** Minimum difference between the strokes in a word and those above and below it, 0 to 1. */
const MIN_DIFFERENCE = 0.05

/** Top left corner of a square. */
interface Corner {
  left: number
  top: number
}

/**
 * Squares most likely to contain a word in small letters, likeliest first: thin strokes side by side, with few above and
 * below, as on signs. Leaves, waves and roofs repeat in all directions.
 */
export function findWordSquares(picture: ColourPicture, { count, side }: { count: number; side: number }): Corner[] {
  const columns = Math.floor(picture.width / CELL_SIDE)
  const rows = Math.floor(picture.height / CELL_SIDE)
  if (columns < WORD_COLUMNS) return []
  const sums = sumsOf(countStrokes(picture, columns, rows), columns, rows)
  const scores = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column + WORD_COLUMNS <= columns; column++) {
      const share = (top: number, rowCount: number) =>
        sums(column, top, column + WORD_COLUMNS, top + rowCount) / (WORD_COLUMNS * rowCount)
      for (const rowCount of wordRows) {
        const difference =
          share(row, rowCount) - (share(row - rowCount, rowCount) + share(row + rowCount, rowCount)) / 2
        const index = (row + (rowCount >> 1)) * columns + column + (WORD_COLUMNS >> 1)
        if (difference > (scores[index] ?? 1)) scores[index] = difference
      }
    }
  }
  return pickHighest(scores, columns, { count, minDistance: side / 2 / CELL_SIDE }).map(([column, row]) => ({
    left: clampRounded((column + 0.5) * CELL_SIDE - side / 2, picture.width - side),
    top: clampRounded((row + 0.5) * CELL_SIDE - side / 2, picture.height - side),
  }))
}

const clampRounded = (value: number, max: number) => Math.max(0, Math.min(Math.round(value), max))

/** Share of stroke centres in each cell, lighter or darker than both their sides; 1 for a cell full of letters. */
function countStrokes({ width, data }: ColourPicture, columns: number, rows: number): Float32Array {
  const cells = new Float32Array(columns * rows)
  const from = 3 * STROKE_RADIUS
  for (let y = 0; y < rows * CELL_SIDE; y++) {
    const cellsBefore = Math.floor(y / CELL_SIDE) * columns
    // green is nearly the brightness
    const start = y * width * 3 + 1
    for (let x = STROKE_RADIUS; x < Math.min(columns * CELL_SIDE, width - STROKE_RADIUS); x++) {
      const index = start + x * 3
      const middle = data[index] as number
      const before = middle - (data[index - from] as number)
      const after = middle - (data[index + from] as number)
      const isStroke =
        before > 0
          ? before > STROKE_CONTRAST && after > STROKE_CONTRAST
          : before < -STROKE_CONTRAST && after < -STROKE_CONTRAST
      if (isStroke) (cells[cellsBefore + (x >> 3)] as number)++
    }
  }
  const full = FULL_SHARE * CELL_SIDE ** 2
  return cells.map((strokes) => Math.min(1, strokes / full))
}

/** Summed-area table: the sum of the cells in any rectangle, clipped at the top and bottom. */
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

/** Positions of the highest values, at least `minDistance` cells apart. */
function pickHighest(
  values: Float32Array,
  columns: number,
  { count, minDistance }: { count: number; minDistance: number },
): [number, number][] {
  const picked: [number, number][] = []
  while (picked.length < count) {
    let [best, max] = [-1, MIN_DIFFERENCE]
    for (let index = 0; index < values.length; index++) {
      if ((values[index] as number) <= max) continue
      const [column, row] = [index % columns, Math.floor(index / columns)]
      if (picked.some(([x, y]) => Math.abs(x - column) < minDistance && Math.abs(y - row) < minDistance)) continue
      ;[best, max] = [index, values[index] as number]
    }
    if (best === -1) break
    picked.push([best % columns, Math.floor(best / columns)])
  }
  return picked
}

/** The sides of the network's input are multiples of this, since it halves the picture five times. */
const STEP = 32
/** Means and deviations of red, green and blue. In training they were applied to blue, green and red, so they are here, too. */
const MEANS = [0.485, 0.456, 0.406]
const DEVIATIONS = [0.229, 0.224, 0.225]
/** Input of the network by the value of a byte, for each channel in its order: blue, green and red. */
const inputs = MEANS.map((mean, channel) =>
  Float32Array.from({ length: 256 }, (_, value) => (value / 255 - mean) / (DEVIATIONS[channel] as number)),
)

/** Longest side of the copy for a first detection, which is cheap: the cost grows faster than the number of pixels. */
const GLANCE_SIDE = 480
/** Pictures that the copy would shrink by a smaller factor skip the first detection. */
const MIN_SHRINKING = 1.25
/** With more boxes than this, the picture counts as text without a closer look: they're hardly ever all wrong. */
const FEW_BOXES = 4
/** Squares searched for letters too small for the first detection, and their side, in whole steps of the network. */
const SQUARES = 4
const SQUARE_SIDE = 10 * STEP
/** Length of a line, in heights, that is read to tell it from a texture. */
const SAMPLE_WIDTH = 10
/** Confidence of a few letters, from 0 to 100, below which a box is a texture. */
const MIN_CONFIDENCE = 50
const MIN_LETTERS = 2

/** Detects text, whose letters should be at least ten pixels high. @returns boxes in pixels of the picture */
export async function findText(models: TextModels, picture: ColourPicture): Promise<TextBox[]> {
  const width = Math.max(STEP, Math.round(picture.width / STEP) * STEP)
  const height = Math.max(STEP, Math.round(picture.height / STEP) * STEP)
  const { data } = await resizePicture(picture, width, height)
  const area = width * height
  const input = new Float32Array(3 * area)
  for (const [channel, values] of inputs.entries()) {
    for (let index = 0, from = 2 - channel, to = channel * area; index < area; index++, from += 3, to++) {
      input[to] = values[data[from] as number] as number
    }
  }
  const map = await models.find(input, [1, 3, height, width])
  const [across, down] = [picture.width / width, picture.height / height]
  // rounding to whole steps distorts too little to rotate boxes visibly
  return findBoxes({ width, height, data: map.data }).map((box) => ({
    ...box,
    x: box.x * across,
    y: box.y * down,
    width: box.width * across,
    height: box.height * down,
  }))
}

/**
 * True when detecting text in full may be worth it: something readable is found in a smaller copy, or in the few squares
 * that look most like small letters. Most photos have no text, and end here.
 */
export async function mayHaveText(models: TextModels, picture: ColourPicture): Promise<boolean> {
  const scale = Math.max(picture.width, picture.height) / GLANCE_SIDE
  if (scale < MIN_SHRINKING) return true
  const size = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side / scale))) as [number, number]
  const glance = await resizePicture(picture, ...size)
  const boxes = await findText(models, glance)
  if (boxes.length > FEW_BOXES) return true
  const pictures = [picture, glance]
  for (const box of boxes) if (await canBeRead(models, pictures, scaleBox(box, scale))) return true
  for (const { left, top } of findWordSquares(picture, { count: SQUARES, side: SQUARE_SIDE })) {
    const part = cutOut(picture, { left, top, side: SQUARE_SIDE })
    for (const box of await findText(models, part)) {
      if (await canBeRead(models, pictures, { ...box, x: box.x + left, y: box.y + top })) return true
    }
  }
  return false
}

/** A box of a picture, in pixels of the picture enlarged by `scale`. */
export function scaleBox(box: TextBox, scale: number): TextBox {
  return { ...box, x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale }
}

/** True when the middle of a box is read as letters, upright or upside down. */
async function canBeRead(models: TextModels, pictures: ColourPicture[], box: TextBox): Promise<boolean> {
  const middle = { ...box, width: Math.min(box.width, SAMPLE_WIDTH * box.height) }
  for (const degrees of [box.degrees, box.degrees + 180]) {
    const strip = cutStrip(
      pictures,
      { ...middle, degrees },
      { height: LINE_HEIGHT, maxWidth: SAMPLE_WIDTH * LINE_HEIGHT },
    )
    const letters = await recogniseLine(models, strip)
    const count = letters.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).length
    if (count >= MIN_LETTERS && meanConfidence(letters) >= MIN_CONFIDENCE) return true
  }
  return false
}

async function resizePicture(picture: ColourPicture, width: number, height: number): Promise<ColourPicture> {
  if (picture.width === width && picture.height === height) return picture
  const { data } = await sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width, height, data }
}

/** A square of a picture, clipped at its edges. */
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
