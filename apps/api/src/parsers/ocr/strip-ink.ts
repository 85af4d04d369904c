import type { ColourPicture } from '../image/readable-pixels.ts'
import type { GreyPicture } from './ocr-picture.ts'

/** Method of rendering a line dark on light. */
export type InkMethod = 'by contrast' | 'by colour' | 'by rarity'

type Colour = readonly [number, number, number]

/** Histogram bins of each channel. */
const BINS = 16
/** Rim: share of a strip's height at the top, and at the bottom, that is surely background. */
const RIM = 0.1
/** Share of the middle that is background, between the letters. */
const BACKGROUND_SHARE = 0.75
/** Distances from the letters' colour, relative to the background's: nearer colours are letters, further ones background. */
const [NEAR, FAR] = [0.25, 0.75]
/** Smaller distances between letters and background may be grain alone. */
const MIN_DISTANCE = 40

/**
 * Renders a strip with dark letters on light: letters have one colour, which is rarer on the rim of the strip than in its
 * middle. `by colour` finds them on any background and removes their shadows; `by contrast` keeps their edges soft, which suits
 * plain backgrounds; `by rarity` makes everything dark that the rim lacks, whatever its colours.
 */
export function renderInk(strip: ColourPicture, method: InkMethod): GreyPicture {
  const { width, height, data } = strip
  const counts = countColours(strip)
  if (method === 'by rarity') return { width, height, data: rarityOf(data, counts) }
  const letters = colourOfLetters(counts)
  const backgroundColour = colourOfRest(data, letters)
  const axis = letters.map((letter, channel) => letter - (backgroundColour[channel] as number))
  const axisSquared = axis.reduce((sum, one) => sum + one * one, 0) || 1
  const colourDistance = Math.max(MIN_DISTANCE, Math.sqrt(axisSquared))
  const grey = Buffer.allocUnsafe(width * height)
  for (let index = 0; index < grey.length; index++) {
    if (method === 'by contrast') {
      let along = 0
      for (let channel = 0; channel < 3; channel++) {
        along +=
          ((data[index * 3 + channel] as number) - (backgroundColour[channel] as number)) * (axis[channel] as number)
      }
      grey[index] = 235 - 215 * Math.min(1.08, Math.max(-0.09, along / axisSquared))
    } else {
      const part = (distance(data, index * 3, letters) / colourDistance - NEAR) / (FAR - NEAR)
      grey[index] = 255 * Math.min(1, Math.max(0, part))
    }
  }
  return { width, height, data: grey }
}

/** Colour histograms of the rim and the middle, as fractions. */
interface Counts {
  background: Float32Array
  middle: Float32Array
}

function countColours({ width, height, data }: ColourPicture): Counts {
  const rim = Math.max(1, Math.round(height * RIM))
  const [background, middle] = [new Float32Array(BINS ** 3), new Float32Array(BINS ** 3)]
  for (let row = 0; row < height; row++) {
    const counts = row < rim || row >= height - rim ? background : middle
    const part = 1 / ((counts === background ? 2 * rim : height - 2 * rim) * width)
    for (let index = row * width * 3, end = index + width * 3; index < end; index += 3) {
      const bin = binOf(data, index)
      counts[bin] = (counts[bin] as number) + part
    }
  }
  return { background, middle }
}

function rarityOf(data: Buffer, { background, middle }: Counts): Buffer {
  const sums = (counts: Float32Array) =>
    counts.map((_, bin) => neighboursOf(bin).reduce((sum, near) => sum + (counts[near] as number), 0))
  const [onRim, between] = [sums(background), sums(middle)]
  const grey = Buffer.allocUnsafe(data.length / 3)
  for (let index = 0; index < grey.length; index++) {
    const bin = binOf(data, index * 3)
    grey[index] =
      255 * Math.min(1, (BACKGROUND_SHARE * (onRim[bin] as number)) / Math.max(1e-9, between[bin] as number))
  }
  return grey
}

/** Colour that is common in the middle of a strip and rare on its rim. */
function colourOfLetters({ background, middle }: Counts): Colour {
  const excess = middle.map((among, bin) => among - BACKGROUND_SHARE * (background[bin] as number))
  let [best, max] = [0, -Infinity]
  for (let bin = 0; bin < excess.length; bin++) {
    // light and grain spread one colour over several bins
    const mass = neighboursOf(bin).reduce((sum, near) => sum + (excess[near] as number), 0)
    if (mass > max) [best, max] = [bin, mass]
  }
  const middleOf = (step: number) => ((step + 0.5) * 256) / BINS
  const around = neighboursOf(best).filter((bin) => (excess[bin] as number) > 0)
  const total = around.reduce((sum, bin) => sum + (excess[bin] as number), 0) || 1
  return [BINS ** 2, BINS, 1].map(
    (unit) =>
      around.reduce((sum, bin) => sum + (excess[bin] as number) * middleOf(Math.floor(bin / unit) % BINS), 0) / total,
  ) as unknown as Colour
}

const binOf = (data: Buffer, index: number) =>
  ((data[index] as number) >> 4) * BINS ** 2 +
  ((data[index + 1] as number) >> 4) * BINS +
  ((data[index + 2] as number) >> 4)

/** A bin and its neighbours. */
function neighboursOf(bin: number): number[] {
  const [red, green, blue] = [Math.floor(bin / BINS ** 2), Math.floor(bin / BINS) % BINS, bin % BINS]
  const nearbySteps = (step: number) => [step - 1, step, step + 1].filter((one) => one >= 0 && one < BINS)
  return nearbySteps(red).flatMap((r) =>
    nearbySteps(green).flatMap((g) => nearbySteps(blue).map((b) => r * BINS ** 2 + g * BINS + b)),
  )
}

/** Colour of the background: the mean of all pixels, weighted by their distance from the letters' colour. */
function colourOfRest(data: Buffer, letters: Colour): Colour {
  const sums = [0, 0, 0]
  let totalWeight = 1e-6
  for (let index = 0; index < data.length; index += 3) {
    const weight = distance(data, index, letters)
    totalWeight += weight
    for (let channel = 0; channel < 3; channel++) {
      sums[channel] = (sums[channel] as number) + weight * (data[index + channel] as number)
    }
  }
  return sums.map((sum) => sum / totalWeight) as unknown as Colour
}

function distance(data: Buffer, index: number, [red, green, blue]: Colour): number {
  return Math.hypot(
    (data[index] as number) - red,
    (data[index + 1] as number) - green,
    (data[index + 2] as number) - blue,
  )
}
