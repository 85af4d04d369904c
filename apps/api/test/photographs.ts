import sharp from 'sharp'
import { createRandom } from './chance.ts'

const COARSEST = 3
const OCTAVES = 9
/** Strength of an octave relative to the previous one, about as in outdoor photographs. */
const PERSISTENCE = 0.7

/**
 * An image with as much detail as a photograph at every scale: strong large shapes and weaker small ones, slightly coloured. It
 * compresses like a photograph, whereas a plain colour is a fraction and noise a multiple of that size.
 */
export async function createPhotoLikeImage(width: number, height: number, seed: number): Promise<Buffer> {
  const random = createRandom(seed)
  const tones = new Float32Array(width * height)
  const tints = [new Float32Array(width * height), new Float32Array(width * height)] as const
  for (let octave = 0; octave < OCTAVES; octave++) {
    const cells = COARSEST * 2 ** octave
    addWaves(tones, width, cells, PERSISTENCE ** octave, random)
    if (octave < 4) for (const tint of tints) addWaves(tint, width, cells, 0.35 * PERSISTENCE ** octave, random)
  }
  const pixels = Buffer.alloc(width * height * 3)
  for (let index = 0; index < tones.length; index++) {
    const tone = 128 + 150 * (tones[index] ?? 0)
    const [warm = 0, green = 0] = tints.map((tint) => 150 * (tint[index] ?? 0))
    for (const [channel, value] of [tone + warm, tone + green, tone - warm].entries()) {
      pixels[index * 3 + channel] = Math.min(255, Math.max(0, value))
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer()
}

/** Adds smooth random heights from a grid that is `cells` wide. */
function addWaves(to: Float32Array, width: number, cells: number, strength: number, random: () => number): void {
  const height = to.length / width
  const columns = cells + 2
  const rows = Math.ceil((cells * height) / width) + 2
  const heights = Float32Array.from({ length: columns * rows }, () => (random() - 0.5) * 2 * strength)
  const scale = cells / width
  for (let y = 0; y < height; y++) {
    const [row, below] = splitPosition(y * scale)
    for (let x = 0; x < width; x++) {
      const [column, right] = splitPosition(x * scale)
      const corner = row * columns + column
      const top = mix(heights[corner] ?? 0, heights[corner + 1] ?? 0, right)
      const bottom = mix(heights[corner + columns] ?? 0, heights[corner + columns + 1] ?? 0, right)
      const index = y * width + x
      to[index] = (to[index] ?? 0) + mix(top, bottom, below)
    }
  }
}

const mix = (one: number, other: number, share: number) => one + (other - one) * share

/** Splits a position into its cell and the fraction within it, eased so that cell edges aren't visible. */
function splitPosition(position: number): [number, number] {
  const cell = Math.floor(position)
  const share = position - cell
  return [cell, share * share * (3 - 2 * share)]
}
