import sharp from 'sharp'
import { chanceFrom } from './chance.ts'

const COARSEST = 3
const OCTAVES = 9
/** By how much each octave is weaker than the one before: about as in photographs of scenes outdoors. */
const PERSISTENCE = 0.7

/**
 * A picture with as much detail as photographs have, at every size: strong shapes and ever weaker ones, coloured a little. Compressed
 * it is as large as they are, of which pictures of one colour are a fraction and pictures of noise a multiple.
 */
export async function likeAPhotograph(width: number, height: number, seed: number): Promise<Buffer> {
  const random = chanceFrom(seed)
  const tones = new Float32Array(width * height)
  const tints = [new Float32Array(width * height), new Float32Array(width * height)] as const
  for (let octave = 0; octave < OCTAVES; octave++) {
    const cells = COARSEST * 2 ** octave
    addWaves(tones, width, cells, PERSISTENCE ** octave, random)
    if (octave < 4) for (const tint of tints) addWaves(tint, width, cells, 0.35 * PERSISTENCE ** octave, random)
  }
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < tones.length; at++) {
    const tone = 128 + 150 * (tones[at] ?? 0)
    const [warm = 0, green = 0] = tints.map((tint) => 150 * (tint[at] ?? 0))
    for (const [channel, value] of [tone + warm, tone + green, tone - warm].entries()) {
      pixels[at * 3 + channel] = Math.min(255, Math.max(0, value))
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer()
}

/** Adds smooth random heights, so many of them beside each other. */
function addWaves(to: Float32Array, width: number, cells: number, strength: number, random: () => number): void {
  const height = to.length / width
  const columns = cells + 2
  const rows = Math.ceil((cells * height) / width) + 2
  const heights = Float32Array.from({ length: columns * rows }, () => (random() - 0.5) * 2 * strength)
  const scale = cells / width
  for (let y = 0; y < height; y++) {
    const [row, below] = parted(y * scale)
    for (let x = 0; x < width; x++) {
      const [column, right] = parted(x * scale)
      const corner = row * columns + column
      const top = mix(heights[corner] ?? 0, heights[corner + 1] ?? 0, right)
      const bottom = mix(heights[corner + columns] ?? 0, heights[corner + columns + 1] ?? 0, right)
      const at = y * width + x
      to[at] = (to[at] ?? 0) + mix(top, bottom, below)
    }
  }
}

const mix = (one: number, other: number, share: number) => one + (other - one) * share

/** A place as its cell and how far it is into that, eased so that no edges of cells are seen. */
function parted(place: number): [number, number] {
  const cell = Math.floor(place)
  const share = place - cell
  return [cell, share * share * (3 - 2 * share)]
}
