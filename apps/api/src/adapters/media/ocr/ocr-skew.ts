import type { GreyPicture } from './ocr-picture.ts'

/** Largest detectable skew of text lines. */
const MOST_DEGREES = 24
const COARSE_STEP = 1
const FINE_STEP = 0.25
/** A pixel that differs so much from its neighbour at the side is the edge of something. */
const EDGE = 40
const MOST_EDGES = 30_000
const FEWEST_EDGES = 200
/** Minimum sharpness of the rows relative to other angles. */
const LEAST_SHARPNESS = 1.6

/**
 * Skew of text lines in degrees, clockwise, found at the angle where edges form rows; 0 when there are no rows, or
 * level ones.
 * @param picture about 600 pixels wide: a line of text is then a few rows high.
 */
export function findSkew(picture: GreyPicture): number {
  const edges = findEdges(picture)
  if (edges.length < FEWEST_EDGES * 2) return 0
  const sharpness = (degrees: number) => rowSharpness(edges, picture, degrees)
  const coarse = range(-MOST_DEGREES, MOST_DEGREES, COARSE_STEP).map((degrees) => ({
    degrees,
    value: sharpness(degrees),
  }))
  const middle = coarse.map(({ value }) => value).sort((a, b) => a - b)[coarse.length >> 1] as number
  const best = highest(coarse)
  if (best.value < middle * LEAST_SHARPNESS) return 0
  const fine = range(best.degrees - COARSE_STEP, best.degrees + COARSE_STEP, FINE_STEP)
  return highest(fine.map((degrees) => ({ degrees, value: sharpness(degrees) }))).degrees
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}

function highest<Scored extends { value: number }>(scored: Scored[]): Scored {
  return scored.reduce((best, one) => (one.value > best.value ? one : best))
}

/** x and y of pixels where something begins, one after the other. */
function findEdges({ width, height, data }: GreyPicture): Float32Array {
  const places: number[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const at = y * width + x
      if (Math.abs((data[at] as number) - (data[at - 1] as number)) > EDGE) places.push(x, y)
    }
  }
  // evenly fewer, in pairs
  const step = Math.max(1, Math.ceil(places.length / 2 / MOST_EDGES))
  const kept = new Float32Array(2 * Math.ceil(places.length / 2 / step))
  for (let from = 0, to = 0; from < places.length; from += 2 * step, to += 2) {
    kept[to] = places[from] as number
    kept[to + 1] = places[from + 1] as number
  }
  return kept
}

/** Difference between neighbouring rows at an angle. */
function rowSharpness(edges: Float32Array, { width, height }: GreyPicture, degrees: number): number {
  const radians = (degrees * Math.PI) / 180
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)]
  const shift = Math.ceil(width * Math.abs(sine)) + 1
  const rows = new Uint32Array(height + 2 * shift + 2)
  for (let at = 0; at < edges.length; at += 2) {
    const row = Math.round((edges[at + 1] as number) * cosine - (edges[at] as number) * sine) + shift
    rows[row] = (rows[row] as number) + 1
  }
  let sum = 0
  for (let row = 1; row < rows.length; row++) sum += ((rows[row] as number) - (rows[row - 1] as number)) ** 2
  return sum
}
