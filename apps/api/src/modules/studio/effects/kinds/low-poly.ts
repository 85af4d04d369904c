import { blurPlane, blurReach, slopesOf } from '../blurring.ts'
import type { EffectKind, Raster } from '../effect-kind.ts'
import { lumaOf, mixInto, noiseAt, opacityAt, shareOf } from '../pixels.ts'

const cellOf = (intensity: number, unit: number) => Math.max(6, Math.round(30 * unit * (0.55 + 0.45 * intensity)))
const sigmaOf = (unit: number) => Math.max(0.8, 1.5 * unit)

/**
 * Triangles of one colour: the corners of a grid move to the strongest edge near them, and each cell is cut along the
 * diagonal that divides its colours better (adaptive triangulation on a jittered grid).
 */
export const lowPoly: EffectKind = {
  displayName: 'Low Poly',
  description: 'Facets that follow the shapes.',
  category: 'stylized',
  reach: (intensity, unit) => cellOf(intensity, unit) * 3 + blurReach(sigmaOf(unit)),
  render({ band, top, fullWidth, fullHeight, intensity, unit }) {
    const { data, width, height } = band
    const output = data.slice()
    const cell = cellOf(intensity, unit)
    const { across, down } = slopesOf(blurPlane(lumaOf(band), width, height, sigmaOf(unit)), width, height)
    const share = shareOf(0.3 + 0.7 * intensity)
    const columns = Math.ceil(fullWidth / cell)
    const rows = Math.ceil(fullHeight / cell)
    const corner = (column: number, row: number): [number, number] => {
      const x = Math.min(fullWidth - 1, column * cell)
      const y = Math.min(fullHeight - 1, row * cell)
      const isOnSideEdge = column === 0 || column >= columns
      const isOnTopOrBottomEdge = row === 0 || row >= rows
      let bestX = x + (isOnSideEdge ? 0 : (noiseAt(column, row, 121) - 0.5) * cell * 0.5)
      let bestY = y + (isOnTopOrBottomEdge ? 0 : (noiseAt(column, row, 122) - 0.5) * cell * 0.5)
      if (isOnSideEdge || isOnTopOrBottomEdge) return [bestX, bestY]
      let strongest = 60
      const stride = Math.max(1, Math.round(cell / 14))
      for (let dy = -cell * 0.4; dy <= cell * 0.4; dy += stride) {
        const sampleY = Math.round(y + dy) - top
        if (sampleY < 0 || sampleY >= height) continue
        for (let dx = -cell * 0.4; dx <= cell * 0.4; dx += stride) {
          const sampleX = Math.min(width - 1, Math.max(0, Math.round(x + dx)))
          const i = sampleY * width + sampleX
          const slope = Math.abs(across[i] as number) + Math.abs(down[i] as number)
          if (slope > strongest) {
            strongest = slope
            bestX = sampleX
            bestY = sampleY + top
          }
        }
      }
      return [bestX, bestY]
    }
    const firstRow = Math.max(0, Math.floor(top / cell) - 1)
    const lastRow = Math.min(rows - 1, Math.ceil((top + height) / cell))
    let upper = Array.from({ length: columns + 1 }, (_, column) => corner(column, firstRow))
    for (let row = firstRow; row <= lastRow; row++) {
      const lower = Array.from({ length: columns + 1 }, (_, column) => corner(column, row + 1))
      for (let column = 0; column < columns; column++) {
        const a = upper[column] as Corner
        const b = upper[column + 1] as Corner
        const c = lower[column] as Corner
        const d = lower[column + 1] as Corner
        const splitsTopLeftToBottomRight = differenceAt(band, top, a, d) <= differenceAt(band, top, b, c)
        const pair: [Triangle, Triangle] = splitsTopLeftToBottomRight
          ? [
              [a, b, d],
              [a, d, c],
            ]
          : [
              [a, b, c],
              [b, d, c],
            ]
        for (const triangle of pair) fill({ band, top, output, share }, triangle)
      }
      upper = lower
    }
    return output
  },
}

type Corner = [number, number]
type Triangle = [Corner, Corner, Corner]

/** Drawing surface: a band that starts at row `top`, and the opacity of the paint. */
interface Canvas {
  band: Raster
  top: number
  output: Uint8ClampedArray
  share: number
}

/** Colour difference between two corners. */
function differenceAt({ data, width, height }: Raster, top: number, a: Corner, b: Corner): number {
  const offsetOf = ([x, y]: Corner) =>
    (Math.min(height - 1, Math.max(0, Math.round(y) - top)) * width + Math.min(width - 1, Math.max(0, Math.round(x)))) *
    4
  const [p, q] = [offsetOf(a), offsetOf(b)]
  let sum = 0
  for (let channel = 0; channel < 3; channel++) {
    sum += Math.abs((data[p + channel] as number) - (data[q + channel] as number))
  }
  return sum
}

/** Visits the pixels of a triangle twice: to find its mean colour, and to paint it. */
function fill({ band, top, output, share }: Canvas, [a, b, c]: Triangle): void {
  const { data, width, height } = band
  const each = (visit: (p: number) => void) => {
    const first = Math.max(0, Math.floor(Math.min(a[1], b[1], c[1])) - top)
    const last = Math.min(height - 1, Math.ceil(Math.max(a[1], b[1], c[1])) - top)
    for (let y = first; y <= last; y++) {
      let left = Number.POSITIVE_INFINITY
      let right = Number.NEGATIVE_INFINITY
      const line = y + top
      for (const [from, to] of [
        [a, b],
        [b, c],
        [c, a],
      ] as const) {
        if (line < Math.min(from[1], to[1]) || line > Math.max(from[1], to[1])) continue
        if (from[1] === to[1]) {
          left = Math.min(left, from[0], to[0])
          right = Math.max(right, from[0], to[0])
          continue
        }
        const x = from[0] + ((line - from[1]) / (to[1] - from[1])) * (to[0] - from[0])
        left = Math.min(left, x)
        right = Math.max(right, x)
      }
      for (let x = Math.max(0, Math.round(left)); x <= Math.min(width - 1, Math.round(right)); x++)
        visit((y * width + x) * 4)
    }
  }
  let r = 0
  let g = 0
  let blue = 0
  let count = 0
  each((p) => {
    const weight = opacityAt(data, p)
    r += (data[p] as number) * weight
    g += (data[p + 1] as number) * weight
    blue += (data[p + 2] as number) * weight
    count += weight
  })
  if (count === 0) return
  each((p) => mixInto(output, data, p, r / count, g / count, blue / count, share))
}
