import type { ColourPicture } from './text-strip.ts'

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
export interface Place {
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
