import type { ColourPicture } from '../image/readable-pixels.ts'
import type { GreyPicture } from './ocr-picture.ts'

/** Method of rendering a line dark on light. */
export type InkWay = 'by contrast' | 'by colour' | 'by rarity'

type Colour = readonly [number, number, number]

/** Steps of each channel when colours are counted. */
const STEPS = 16
/** Part of a line's box that is background for certain: above and below the letters. */
const RIM = 0.1
/** Part of a line that is background between its letters. */
const GROUND = 0.75
/** Colours closer to the letters' than this share of the distance to the background count as letters. */
const [NEAR, FAR] = [0.25, 0.75]
/** Distance caused by grain alone. */
const MIN_DISTANCE = 40

/**
 * A strip with its letters dark and all else light: letters have one colour, which is rarer on the rim of the strip than
 * between. By colour they are found on any ground, and their shadows go; by contrast their edges stay soft, which suits
 * plain grounds; by rarity all that the rim has not is dark, whatever colours it has.
 */
export function inkOf(strip: ColourPicture, way: InkWay): GreyPicture {
  const { width, height, data } = strip
  const counts = countColours(strip)
  if (way === 'by rarity') return { width, height, data: rarityOf(data, counts) }
  const letters = colourOfLetters(counts)
  const paper = colourOfRest(data, letters)
  const axis = letters.map((letter, channel) => letter - (paper[channel] as number))
  const squared = axis.reduce((sum, one) => sum + one * one, 0) || 1
  const apart = Math.max(MIN_DISTANCE, Math.sqrt(squared))
  const grey = Buffer.allocUnsafe(width * height)
  for (let index = 0; index < grey.length; index++) {
    if (way === 'by contrast') {
      let along = 0
      for (let channel = 0; channel < 3; channel++) {
        along += ((data[index * 3 + channel] as number) - (paper[channel] as number)) * (axis[channel] as number)
      }
      grey[index] = 235 - 215 * Math.min(1.08, Math.max(-0.09, along / squared))
    } else {
      const part = (distance(data, index * 3, letters) / apart - NEAR) / (FAR - NEAR)
      grey[index] = 255 * Math.min(1, Math.max(0, part))
    }
  }
  return { width, height, data: grey }
}

/** Colour histograms of the rim and the middle, as fractions. */
interface Counts {
  ground: Float32Array
  middle: Float32Array
}

function countColours({ width, height, data }: ColourPicture): Counts {
  const rim = Math.max(1, Math.round(height * RIM))
  const [ground, middle] = [new Float32Array(STEPS ** 3), new Float32Array(STEPS ** 3)]
  for (let row = 0; row < height; row++) {
    const counts = row < rim || row >= height - rim ? ground : middle
    const part = 1 / ((counts === ground ? 2 * rim : height - 2 * rim) * width)
    for (let index = row * width * 3, end = index + width * 3; index < end; index += 3) {
      const cell = cellOf(data, index)
      counts[cell] = (counts[cell] as number) + part
    }
  }
  return { ground, middle }
}

function rarityOf(data: Buffer, { ground, middle }: Counts): Buffer {
  const sums = (counts: Float32Array) =>
    counts.map((_, cell) => aroundOf(cell).reduce((sum, near) => sum + (counts[near] as number), 0))
  const [onRim, between] = [sums(ground), sums(middle)]
  const grey = Buffer.allocUnsafe(data.length / 3)
  for (let index = 0; index < grey.length; index++) {
    const cell = cellOf(data, index * 3)
    grey[index] = 255 * Math.min(1, (GROUND * (onRim[cell] as number)) / Math.max(1e-9, between[cell] as number))
  }
  return grey
}

/** Most common inner colour that the border lacks. */
function colourOfLetters({ ground, middle }: Counts): Colour {
  const own = middle.map((among, cell) => among - GROUND * (ground[cell] as number))
  let [best, max] = [0, -Infinity]
  for (let cell = 0; cell < own.length; cell++) {
    // light and grain make many colours of one
    const mass = aroundOf(cell).reduce((sum, near) => sum + (own[near] as number), 0)
    if (mass > max) [best, max] = [cell, mass]
  }
  const middleOf = (step: number) => ((step + 0.5) * 256) / STEPS
  const around = aroundOf(best).filter((cell) => (own[cell] as number) > 0)
  const all = around.reduce((sum, cell) => sum + (own[cell] as number), 0) || 1
  return [STEPS ** 2, STEPS, 1].map(
    (unit) =>
      around.reduce((sum, cell) => sum + (own[cell] as number) * middleOf(Math.floor(cell / unit) % STEPS), 0) / all,
  ) as unknown as Colour
}

const cellOf = (data: Buffer, index: number) =>
  ((data[index] as number) >> 4) * STEPS ** 2 +
  ((data[index + 1] as number) >> 4) * STEPS +
  ((data[index + 2] as number) >> 4)

/** A cell and all that touch it. */
function aroundOf(cell: number): number[] {
  const [red, green, blue] = [Math.floor(cell / STEPS ** 2), Math.floor(cell / STEPS) % STEPS, cell % STEPS]
  const beside = (step: number) => [step - 1, step, step + 1].filter((one) => one >= 0 && one < STEPS)
  return beside(red).flatMap((r) =>
    beside(green).flatMap((g) => beside(blue).map((b) => r * STEPS ** 2 + g * STEPS + b)),
  )
}

/** Mean of the colours unlike the letters'. */
function colourOfRest(data: Buffer, letters: Colour): Colour {
  const sums = [0, 0, 0]
  let all = 1e-6
  for (let index = 0; index < data.length; index += 3) {
    const weight = distance(data, index, letters)
    all += weight
    for (let channel = 0; channel < 3; channel++) {
      sums[channel] = (sums[channel] as number) + weight * (data[index + channel] as number)
    }
  }
  return sums.map((sum) => sum / all) as unknown as Colour
}

function distance(data: Buffer, index: number, [red, green, blue]: Colour): number {
  return Math.hypot(
    (data[index] as number) - red,
    (data[index + 1] as number) - green,
    (data[index + 2] as number) - blue,
  )
}
