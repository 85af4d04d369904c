import { visibleMeans } from './blurring.ts'
import type { Raster } from './effect-kind.ts'
import { lumaOf, planesOf } from './pixels.ts'

type Planes = [Float32Array, Float32Array, Float32Array]

/** Number of neighbouring rows that paintAreas reads. */
export function paintAreasReach(radius: number): number {
  return 3 * radius + 4
}

/**
 * Paints over fine detail and keeps edges: for each pixel, windows on its eight sides are weighted by their uniformity
 * (the generalised Kuwahara filter of Papari, Petkov and Campisi, 2007, on square windows, whose means are found in
 * constant time).
 * @param sharpness preference for uniform windows: 2 is soft, 8 is hard.
 */
export function paintAreas(raster: Raster, radius: number, sharpness: number): Planes {
  const { width, height } = raster
  const size = width * height
  const luma = lumaOf(raster)
  const squares = new Float32Array(size)
  for (let i = 0; i < size; i++) squares[i] = (luma[i] as number) * (luma[i] as number)
  const half = Math.max(1, Math.round(radius / 2))
  const average = (plane: Float32Array) => windowMeans(plane, width, height, half)
  const { means, shares } = visibleMeans(raster, [luma, squares] as [Float32Array, Float32Array], average)
  const [mean, meanSquares] = means
  const weights = meanSquares
  for (let i = 0; i < size; i++) {
    const variance = (meanSquares[i] as number) - (mean[i] as number) * (mean[i] as number)
    // Uniform windows count, whereas other windows hardly do.
    weights[i] = 1 / (1 + Math.max(0, variance) / 16) ** (sharpness / 2)
  }
  if (shares) for (let i = 0; i < size; i++) weights[i] = (weights[i] as number) * (shares[i] as number)
  const [meanRed, meanGreen, meanBlue] = visibleMeans(raster, planesOf(raster), average).means
  const output: Planes = [new Float32Array(size), new Float32Array(size), new Float32Array(size)]
  const [red, green, blue] = output
  const axialDistance = Math.round(half * 1.3)
  const windowCentres = new Int32Array(8)
  for (let y = 0; y < height; y++) {
    const up = Math.max(0, y - half) * width
    const down = Math.min(height - 1, y + half) * width
    const farUp = Math.max(0, y - axialDistance) * width
    const farDown = Math.min(height - 1, y + axialDistance) * width
    const row = y * width
    for (let x = 0; x < width; x++) {
      const left = x > half ? x - half : 0
      const right = Math.min(width - 1, x + half)
      const farLeft = x > axialDistance ? x - axialDistance : 0
      const farRight = Math.min(width - 1, x + axialDistance)
      windowCentres[0] = up + left
      windowCentres[1] = up + right
      windowCentres[2] = down + left
      windowCentres[3] = down + right
      windowCentres[4] = farUp + x
      windowCentres[5] = farDown + x
      windowCentres[6] = row + farLeft
      windowCentres[7] = row + farRight
      let sum = 0
      let r = 0
      let g = 0
      let b = 0
      for (let window = 0; window < 8; window++) {
        const index = windowCentres[window] as number
        const weight = weights[index] as number
        sum += weight
        r += weight * (meanRed[index] as number)
        g += weight * (meanGreen[index] as number)
        b += weight * (meanBlue[index] as number)
      }
      // A sum of 0 is far from anything visible.
      red[row + x] = sum > 0 ? r / sum : 0
      green[row + x] = sum > 0 ? g / sum : 0
      blue[row + x] = sum > 0 ? b / sum : 0
    }
  }
  return output
}

/** Means of windows of 2 × half + 1 pixels square. */
function windowMeans(plane: Float32Array, width: number, height: number, half: number): Float32Array {
  const rowMeans = new Float32Array(plane.length)
  const means = new Float32Array(plane.length)
  const scale = 1 / (2 * half + 1)
  for (let y = 0; y < height; y++) {
    const start = y * width
    let sum = 0
    for (let x = -half; x < half; x++) sum += plane[start + Math.min(width - 1, Math.max(0, x))] as number
    for (let x = 0; x < width; x++) {
      sum += plane[start + Math.min(width - 1, x + half)] as number
      rowMeans[start + x] = sum * scale
      sum -= plane[start + Math.max(0, x - half)] as number
    }
  }
  const sums = new Float64Array(width)
  for (let y = -half; y < half; y++) {
    const row = Math.min(height - 1, Math.max(0, y)) * width
    for (let x = 0; x < width; x++) sums[x] = (sums[x] as number) + (rowMeans[row + x] as number)
  }
  for (let y = 0; y < height; y++) {
    const entering = Math.min(height - 1, y + half) * width
    const leaving = Math.max(0, y - half) * width
    const row = y * width
    for (let x = 0; x < width; x++) {
      const sum = (sums[x] as number) + (rowMeans[entering + x] as number)
      means[row + x] = sum * scale
      sums[x] = sum - (rowMeans[leaving + x] as number)
    }
  }
  return means
}
