import type { Raster } from './effect-kind.ts'

/** Rec. 709 weights of red, green and blue. */
export const RED_WEIGHT = 0.2126
export const GREEN_WEIGHT = 0.7152
export const BLUE_WEIGHT = 0.0722

/** Linear light of an sRGB value, 0 to 1 (IEC 61966-2-1). */
export const lightOf: Float32Array = Float32Array.from({ length: 256 }, (_, value) => {
  const v = value / 255
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
})

const VALUE_STEPS = 4096
const values = Float32Array.from({ length: VALUE_STEPS + 1 }, (_, step) => {
  const light = step / VALUE_STEPS
  return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)
})

/** sRGB value (0 to 255, not rounded) of linear light from 0 to 1; more light is white. */
export function toValue(light: number): number {
  if (light <= 0) return 0
  if (light >= 1) return 255
  // Near black, the curve is too steep for the table.
  if (light < 0.004) return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)
  const index = light * VALUE_STEPS
  const step = index | 0
  const low = values[step] as number
  return low + ((values[step + 1] as number) - low) * (index - step)
}

/** Brightness of every pixel, 0 to 255. */
export function lumaOf({ data, width, height }: Raster): Float32Array {
  const luma = new Float32Array(width * height)
  for (let i = 0, p = 0; i < luma.length; i++, p += 4) {
    luma[i] =
      RED_WEIGHT * (data[p] as number) + GREEN_WEIGHT * (data[p + 1] as number) + BLUE_WEIGHT * (data[p + 2] as number)
  }
  return luma
}

/** Red, green and blue, each in an array of its own. */
export function planesOf({ data, width, height }: Raster): [Float32Array, Float32Array, Float32Array] {
  const size = width * height
  const [red, green, blue] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)]
  for (let i = 0, p = 0; i < size; i++, p += 4) {
    red[i] = data[p] as number
    green[i] = data[p + 1] as number
    blue[i] = data[p + 2] as number
  }
  return [red, green, blue]
}

/** Opacity of the pixel at an offset, 0 to 1: its weight in means, since transparent pixels have any colour, mostly black. */
export function opacityAt(data: Uint8ClampedArray, p: number): number {
  return (data[p + 3] as number) / 255
}

/** Hash of a position and a seed, 0 to 1: deterministic, and uncorrelated between neighbours. */
export function noiseAt(x: number, y: number, seed: number): number {
  let h = (Math.imul(x | 0, 0x27d4eb2d) ^ Math.imul(y | 0, 0x165667b1) ^ Math.imul(seed | 0, 0x9e3779b1)) >>> 0
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

/** Value noise with cells of size 1, 0 to 1. */
export function smoothNoiseAt(x: number, y: number, seed: number): number {
  const cellX = Math.floor(x)
  const cellY = Math.floor(y)
  const fx = ease(x - cellX)
  const fy = ease(y - cellY)
  const top = noiseAt(cellX, cellY, seed) * (1 - fx) + noiseAt(cellX + 1, cellY, seed) * fx
  const bottom = noiseAt(cellX, cellY + 1, seed) * (1 - fx) + noiseAt(cellX + 1, cellY + 1, seed) * fx
  return top * (1 - fy) + bottom * fy
}

const ease = (t: number) => t * t * (3 - 2 * t)

/**
 * Value noise of whole rows with cells of `size` pixels: smoothNoiseAt(x / size, y / size, seed) for each x. Consecutive rows
 * in the same cells reuse their noise. The returned array is overwritten by the next call.
 */
export function smoothNoiseRows(width: number, size: number, seed: number): (y: number) => Float64Array {
  const cells = new Int32Array(width)
  const shares = new Float64Array(width)
  for (let x = 0; x < width; x++) {
    const cell = Math.floor(x / size)
    cells[x] = cell
    shares[x] = ease(x / size - cell)
  }
  const corners = (cells[width - 1] as number) + 2
  const upper = new Float64Array(corners)
  const lower = new Float64Array(corners)
  const row = new Float64Array(width)
  let currentRow = Number.NaN
  return (y) => {
    const cellRow = Math.floor(y / size)
    if (cellRow !== currentRow) {
      currentRow = cellRow
      for (let corner = 0; corner < corners; corner++) {
        upper[corner] = noiseAt(corner, cellRow, seed)
        lower[corner] = noiseAt(corner, cellRow + 1, seed)
      }
    }
    const down = ease(y / size - cellRow)
    for (let x = 0; x < width; x++) {
      const cell = cells[x] as number
      const share = shares[x] as number
      const top = (upper[cell] as number) * (1 - share) + (upper[cell + 1] as number) * share
      const bottom = (lower[cell] as number) * (1 - share) + (lower[cell + 1] as number) * share
      row[x] = top * (1 - down) + bottom * down
    }
    return row
  }
}

/** 0 below the first edge, 1 above the second, smooth in between. */
export function smoothstep(from: number, to: number, value: number): number {
  if (value <= from) return 0
  if (value >= to) return 1
  return ease((value - from) / (to - from))
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

/**
 * Blends a colour over a pixel with the weight `share` (0 to 1), keeping its alpha. Its arguments are plain numbers
 * because it's called for every pixel: allocating objects would cost more than the work.
 */
export function mixInto(
  output: Uint8ClampedArray,
  input: Uint8ClampedArray,
  p: number,
  red: number,
  green: number,
  blue: number,
  share: number,
): void {
  const r = input[p] as number
  const g = input[p + 1] as number
  const b = input[p + 2] as number
  output[p] = r + (red - r) * share
  output[p + 1] = g + (green - g) * share
  output[p + 2] = b + (blue - b) * share
  output[p + 3] = input[p + 3] as number
}

/** Maps each channel through its own table; fast, for effects that read no neighbours. */
export function throughTables(
  { data }: Raster,
  red: ArrayLike<number>,
  green: ArrayLike<number>,
  blue: ArrayLike<number>,
): Uint8ClampedArray {
  const output = new Uint8ClampedArray(data.length)
  for (let p = 0; p < data.length; p += 4) {
    output[p] = red[data[p] as number] as number
    output[p + 1] = green[data[p + 1] as number] as number
    output[p + 2] = blue[data[p + 2] as number] as number
    output[p + 3] = data[p + 3] as number
  }
  return output
}

/** Table of a function's results for the values 0 to 255. */
export function tableOf(change: (value: number) => number): Uint8ClampedArray {
  return Uint8ClampedArray.from({ length: 256 }, (_, value) => change(value))
}

/** Share of the effect in the result: 1 from intensity 1 on. */
export function shareOf(intensity: number): number {
  return Math.min(1, intensity)
}

/** Brightness of planes, 0 to 255. */
export function lumaOfPlanes([red, green, blue]: [Float32Array, Float32Array, Float32Array]): Float32Array {
  const luma = new Float32Array(red.length)
  for (let i = 0; i < luma.length; i++) {
    luma[i] = 0.2126 * (red[i] as number) + 0.7152 * (green[i] as number) + 0.0722 * (blue[i] as number)
  }
  return luma
}
