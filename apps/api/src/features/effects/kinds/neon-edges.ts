import { blurPlane, blurReach, slopesOf } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, shareOf, smoothstep } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(0.7, 1.2 * unit)
/** Slopes that are no line. */
const FAINTEST = 14
const glowOf = (unit: number) => Math.max(1.5, 6 * unit)

/** How red, green and blue follow the direction of a line: a third of a turn apart. */
const hues = [0, 1, 2].map((channel) => {
  const phase = (channel * 2 * Math.PI) / 3 + 2.4
  return { cos: 0.42 * Math.cos(phase), sin: 0.42 * Math.sin(phase) }
})

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
    const planes = [new Float32Array(across.length), new Float32Array(across.length), new Float32Array(across.length)]
    const gain = 2.4 * (0.4 + 0.6 * intensity)
    // as steep as at a unit of one, however many pixels an edge is spread over
    const perUnit = sigmaOf(unit) / sigmaOf(1)
    for (let i = 0; i < across.length; i++) {
      const dx = (across[i] as number) * perUnit
      const dy = (down[i] as number) * perUnit
      const squared = dx * dx + dy * dy
      // in most places there is no line
      if (squared <= FAINTEST * FAINTEST) continue
      const edge = Math.min(255, (Math.sqrt(squared) - FAINTEST) * gain)
      // opposite sides of a line shine alike: cosine and sine of twice the angle
      const cos = (dx * dx - dy * dy) / squared
      const sin = (2 * dx * dy) / squared
      for (let channel = 0; channel < 3; channel++) {
        const hue = hues[channel] as { cos: number; sin: number }
        const plane = planes[channel] as Float32Array
        plane[i] = edge * (0.58 + cos * hue.cos + sin * hue.sin)
      }
    }
    const glows = planes.map((plane) => blurPlane(plane.slice(), width, height, glowOf(unit)))
    const share = shareOf(0.3 + 0.7 * intensity)
    const glowGain = 1.1 + 0.5 * intensity
    for (let i = 0, p = 0; i < across.length; i++, p += 4) {
      // where lines lie side by side they would add up to white
      const crowd = smoothstep(30, 130, ((glows[0]?.[i] ?? 0) + (glows[1]?.[i] ?? 0) + (glows[2]?.[i] ?? 0)) / 3)
      const lineShare = 1 - 0.7 * crowd
      const glowShare = glowGain * (1 - 0.75 * crowd)
      for (let channel = 0; channel < 3; channel++) {
        const line = (planes[channel] as Float32Array)[i] as number
        const glow = (glows[channel] as Float32Array)[i] as number
        const value = data[p + channel] as number
        const shine = line * lineShare + glow * glowShare + 0.07 * value
        output[p + channel] = value + (shine - value) * share
      }
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
