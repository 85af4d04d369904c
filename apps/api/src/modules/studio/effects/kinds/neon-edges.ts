import { blurPlane, blurReach, slopesOf } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, shareOf, smoothstep } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(0.7, 1.2 * unit)
/** Weaker slopes aren't lines. */
const MIN_SLOPE = 14
const glowOf = (unit: number) => Math.max(1.5, 6 * unit)

interface Hue {
  cos: number
  sin: number
}
type Planes = [Float32Array, Float32Array, Float32Array]

/** Cosine and sine factors that colour a line by its direction; red, green and blue are a third of a turn apart. */
const [redHue, greenHue, blueHue] = [0, 1, 2].map((channel) => {
  const phase = (channel * 2 * Math.PI) / 3 + 2.4
  return { cos: 0.42 * Math.cos(phase), sin: 0.42 * Math.sin(phase) }
}) as [Hue, Hue, Hue]

/** Edges (Sobel) that shine in the colour of their direction, with a glow around them, on black. */
export const neonEdges: EffectKind = {
  displayName: 'Neon Edges',
  description: 'Glowing outlines in the dark.',
  category: 'stylized',
  reach: (_, unit) => blurReach(sigmaOf(unit)) + blurReach(glowOf(unit)) + 1,
  render({ band, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const { across, down } = slopesOf(blurPlane(lumaOf(band), width, height, sigmaOf(unit)), width, height)
    const [red, green, blue] = [0, 1, 2].map(() => new Float32Array(across.length)) as Planes
    const gain = 2.4 * (0.4 + 0.6 * intensity)
    // Scales slopes to those at a unit of one, since an edge covers more pixels in a larger picture.
    const perUnit = sigmaOf(unit) / sigmaOf(1)
    for (let i = 0; i < across.length; i++) {
      const dx = (across[i] as number) * perUnit
      const dy = (down[i] as number) * perUnit
      const squared = dx * dx + dy * dy
      // Most pixels aren't on a line.
      if (squared <= MIN_SLOPE * MIN_SLOPE) continue
      const edge = Math.min(255, (Math.sqrt(squared) - MIN_SLOPE) * gain)
      // Cosine and sine of twice the angle, so that opposite sides of a line have the same colour.
      const cos = (dx * dx - dy * dy) / squared
      const sin = (2 * dx * dy) / squared
      red[i] = edge * (0.58 + cos * redHue.cos + sin * redHue.sin)
      green[i] = edge * (0.58 + cos * greenHue.cos + sin * greenHue.sin)
      blue[i] = edge * (0.58 + cos * blueHue.cos + sin * blueHue.sin)
    }
    const glow = (plane: Float32Array) => blurPlane(plane.slice(), width, height, glowOf(unit))
    const [redGlow, greenGlow, blueGlow] = [glow(red), glow(green), glow(blue)]
    const share = shareOf(0.3 + 0.7 * intensity)
    const glowGain = 1.1 + 0.5 * intensity
    // A little of the original picture stays visible.
    const baseShare = 1 - share + 0.07 * share
    for (let i = 0, p = 0; i < across.length; i++, p += 4) {
      // Crowded lines are dimmed, since they would otherwise add up to white.
      const redAround = redGlow[i] as number
      const greenAround = greenGlow[i] as number
      const blueAround = blueGlow[i] as number
      const crowd = smoothstep(30, 130, (redAround + greenAround + blueAround) / 3)
      const lineShare = (1 - 0.7 * crowd) * share
      const glowShare = glowGain * (1 - 0.75 * crowd) * share
      output[p] = (data[p] as number) * baseShare + (red[i] as number) * lineShare + redAround * glowShare
      output[p + 1] = (data[p + 1] as number) * baseShare + (green[i] as number) * lineShare + greenAround * glowShare
      output[p + 2] = (data[p + 2] as number) * baseShare + (blue[i] as number) * lineShare + blueAround * glowShare
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
