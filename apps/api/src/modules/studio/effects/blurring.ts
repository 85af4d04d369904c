import type { Raster } from './effect-kind.ts'
import { lumaOf, opacityAt, planesOf } from './pixels.ts'

/** Opacity below which a mean has no colour. */
const MIN_OPACITY = 0.001

/**
 * Radii of three box blurs that together approximate a Gaussian blur (Kovesi, Fast Almost-Gaussian Filtering, 2010).
 */
export function boxRadii(sigma: number): [number, number, number] {
  const ideal = Math.sqrt((12 * sigma * sigma) / 3 + 1)
  let lower = Math.floor(ideal)
  if (lower % 2 === 0) lower--
  const lowerCount = Math.round((12 * sigma * sigma - 3 * lower * lower - 12 * lower - 9) / (-4 * lower - 4))
  const radius = (index: number) => ((index < lowerCount ? lower : lower + 2) - 1) / 2
  return [radius(0), radius(1), radius(2)]
}

/**
 * Bands start at rows that are multiples of this, so that blurs on a coarser grid use the same grid in each band.
 */
export const COARSEST_GRID = 16

/** Factor by which a blur's grid may be coarser: a blurred picture has no finer detail. */
function coarsenessOf(sigma: number): number {
  let coarseness = 1
  while (coarseness < COARSEST_GRID && coarseness * 6 <= sigma) coarseness *= 2
  return coarseness
}

/** Number of neighbouring rows that a blur of this sigma reads. */
export function blurReach(sigma: number): number {
  const coarseness = coarsenessOf(sigma)
  const reach = boxRadii(sigma / coarseness).reduce((sum, radius) => sum + radius, 0)
  return coarseness === 1 ? reach : (reach + 2) * coarseness
}

/** Blurs one plane in place; edge pixels repeat beyond the edges. */
export function blurPlane(plane: Float32Array, width: number, height: number, sigma: number): Float32Array {
  const coarseness = coarsenessOf(sigma)
  if (coarseness === 1) return blurExactly(plane, width, height, sigma)
  const columns = Math.ceil(width / coarseness)
  const rows = Math.ceil(height / coarseness)
  const coarse = blurExactly(downsample(plane, width, height, coarseness), columns, rows, sigma / coarseness)
  return upsample({ values: coarse, width: columns, height: rows }, { values: plane, width, height }, coarseness)
}

function downsample(plane: Float32Array, width: number, height: number, coarseness: number): Float32Array {
  const columns = Math.ceil(width / coarseness)
  const rows = Math.ceil(height / coarseness)
  const sums = new Float32Array(columns * rows)
  const shift = Math.log2(coarseness)
  for (let y = 0; y < height; y++) {
    const row = (y >> shift) * columns
    const start = y * width
    for (let x = 0; x < width; x++) {
      const index = row + (x >> shift)
      sums[index] = (sums[index] as number) + (plane[start + x] as number)
    }
  }
  for (let row = 0; row < rows; row++) {
    const cellHeight = Math.min(coarseness, height - row * coarseness)
    for (let column = 0; column < columns; column++) {
      const index = row * columns + column
      sums[index] = (sums[index] as number) / (cellHeight * Math.min(coarseness, width - column * coarseness))
    }
  }
  return sums
}

/** One value for each pixel, row after row. */
interface Plane {
  values: Float32Array
  width: number
  height: number
}

/** Fills a plane from a coarser one, by linear interpolation between the centres of its pixels. */
function upsample(coarsePlane: Plane, finePlane: Plane, coarseness: number): Float32Array {
  const { values: coarse, width: columns, height: rows } = coarsePlane
  const { values: plane, width, height } = finePlane
  const half = (coarseness - 1) / 2
  const lefts = new Int32Array(width)
  const shares = new Float32Array(width)
  for (let x = 0; x < width; x++) {
    const index = Math.min(columns - 1, Math.max(0, (x - half) / coarseness))
    lefts[x] = Math.min(columns - 1, Math.floor(index))
    shares[x] = index - (lefts[x] as number)
  }
  for (let y = 0; y < height; y++) {
    const index = Math.min(rows - 1, Math.max(0, (y - half) / coarseness))
    const upper = Math.floor(index) * columns
    const lower = Math.min(rows - 1, Math.floor(index) + 1) * columns
    const down = index - Math.floor(index)
    for (let x = 0; x < width; x++) {
      const left = lefts[x] as number
      const right = Math.min(columns - 1, left + 1)
      const share = shares[x] as number
      const above = (coarse[upper + left] as number) * (1 - share) + (coarse[upper + right] as number) * share
      const below = (coarse[lower + left] as number) * (1 - share) + (coarse[lower + right] as number) * share
      plane[y * width + x] = above * (1 - down) + below * down
    }
  }
  return plane
}

function blurExactly(plane: Float32Array, width: number, height: number, sigma: number): Float32Array {
  const intermediate = new Float32Array(plane.length)
  for (const radius of boxRadii(sigma)) {
    if (radius === 0) continue
    boxRows(plane, intermediate, width, height, radius)
    boxColumns(intermediate, plane, width, height, radius)
  }
  return plane
}

function boxRows(from: Float32Array, to: Float32Array, width: number, height: number, radius: number): void {
  const scale = 1 / (2 * radius + 1)
  for (let y = 0; y < height; y++) {
    const start = y * width
    const first = from[start] as number
    const last = from[start + width - 1] as number
    let sum = first * radius
    for (let x = 0; x < radius; x++) sum += from[start + Math.min(x, width - 1)] as number
    for (let x = 0; x < width; x++) {
      sum += x + radius < width ? (from[start + x + radius] as number) : last
      to[start + x] = sum * scale
      sum -= x - radius >= 0 ? (from[start + x - radius] as number) : first
    }
  }
}

/** Blurs columns. It goes row by row, with a sum per column, so that memory is read sequentially. */
function boxColumns(from: Float32Array, to: Float32Array, width: number, height: number, radius: number): void {
  const scale = 1 / (2 * radius + 1)
  const sums = new Float64Array(width)
  for (let x = 0; x < width; x++) sums[x] = (from[x] as number) * radius
  for (let y = 0; y < radius; y++) {
    const row = Math.min(y, height - 1) * width
    for (let x = 0; x < width; x++) sums[x] = (sums[x] as number) + (from[row + x] as number)
  }
  for (let y = 0; y < height; y++) {
    const entering = Math.min(y + radius, height - 1) * width
    const leaving = Math.max(y - radius, 0) * width
    const row = y * width
    for (let x = 0; x < width; x++) {
      const sum = (sums[x] as number) + (from[entering + x] as number)
      to[row + x] = sum * scale
      sums[x] = sum - (from[leaving + x] as number)
    }
  }
}

/** Opacity of every pixel, 0 to 1; null when all are opaque. */
function opacityOf({ data, width, height }: Raster): Float32Array | null {
  let isOpaque = true
  for (let p = 3; p < data.length && isOpaque; p += 4) isOpaque = data[p] === 255
  if (isOpaque) return null
  const opacity = new Float32Array(width * height)
  for (let i = 0; i < opacity.length; i++) opacity[i] = opacityAt(data, i * 4)
  return opacity
}

/**
 * Averages planes of a picture's values without transparent pixels bleeding into others. `shares` has the opacity of what
 * each mean is of, 0 to 1; null when all pixels are opaque.
 * @param average means of a plane's windows; it may change the plane.
 */
export function visibleMeans<Planes extends Float32Array[]>(
  raster: Raster,
  planes: Planes,
  average: (plane: Float32Array) => Float32Array,
): { means: Planes; shares: Float32Array | null } {
  const opacity = opacityOf(raster)
  if (opacity === null) return { means: planes.map(average) as Planes, shares: null }
  for (const plane of planes) {
    for (let i = 0; i < plane.length; i++) plane[i] = (plane[i] as number) * (opacity[i] as number)
  }
  const means = planes.map(average) as Planes
  const shares = average(opacity)
  for (const plane of means) {
    for (let i = 0; i < plane.length; i++) {
      const share = shares[i] as number
      plane[i] = share > MIN_OPACITY ? (plane[i] as number) / share : 0
    }
  }
  return { means, shares }
}

/** Blurred brightness, 0 to 255, without transparent pixels bleeding into others. */
export function blurLuma(raster: Raster, sigma: number): Float32Array {
  const { width, height } = raster
  const { means } = visibleMeans(raster, [lumaOf(raster)], (plane) => blurPlane(plane, width, height, sigma))
  return means[0] as Float32Array
}

/**
 * Blurs red, green and blue, without transparent pixels bleeding into others. `decode` maps values first, for example to
 * linear light.
 */
export function blurColours(
  raster: Raster,
  sigma: number,
  decode?: ArrayLike<number>,
): [Float32Array, Float32Array, Float32Array] {
  const { width, height } = raster
  const planes = planesOf(raster)
  if (decode) {
    for (const plane of planes) {
      for (let i = 0; i < plane.length; i++) plane[i] = decode[plane[i] as number] as number
    }
  }
  return visibleMeans(raster, planes, (plane) => blurPlane(plane, width, height, sigma)).means
}

/** Sobel gradients of a plane in both directions; for values of 0 to 255, each is up to about 1020. */
export function slopesOf(
  plane: Float32Array,
  width: number,
  height: number,
): { across: Float32Array; down: Float32Array } {
  const across = new Float32Array(plane.length)
  const down = new Float32Array(plane.length)
  for (let y = 0; y < height; y++) {
    const row = y * width
    const above = Math.max(0, y - 1) * width
    const below = Math.min(height - 1, y + 1) * width
    for (let x = 0; x < width; x++) {
      const left = x > 0 ? x - 1 : 0
      const right = x < width - 1 ? x + 1 : x
      const topLeft = plane[above + left] as number
      const topRight = plane[above + right] as number
      const bottomLeft = plane[below + left] as number
      const bottomRight = plane[below + right] as number
      across[row + x] =
        topRight +
        bottomRight -
        topLeft -
        bottomLeft +
        2 * ((plane[row + right] as number) - (plane[row + left] as number))
      down[row + x] =
        bottomLeft +
        bottomRight -
        topLeft -
        topRight +
        2 * ((plane[below + x] as number) - (plane[above + x] as number))
    }
  }
  return { across, down }
}
