import { blurLuma, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, mixInto, shareOf, smoothNoiseAt, smoothstep } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(1.5, 7 * unit)

/**
 * Graphite: brightness divided by its blurred copy (colour dodge) leaves lines; two layers of hatching darken the
 * shadows, as in Hertzmann's survey of stroke-based rendering (2003).
 */
export const pencilSketch: EffectKind = {
  displayName: 'Pencil Sketch',
  description: 'Graphite lines with hatched shadows.',
  category: 'artistic',
  reach: (_, unit) => blurReach(sigmaOf(unit)),
  render({ band, top, intensity, unit }) {
    const { data, width } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const smooth = blurLuma(band, sigmaOf(unit))
    const share = shareOf(0.3 + 0.7 * intensity)
    const force = 1 + 1.1 * intensity
    const lineWidth = Math.max(1, 1.1 * unit)
    for (let i = 0, p = 0; i < luma.length; i++, p += 4) {
      const x = i % width
      const y = top + ((i / width) | 0)
      const lines = Math.min(1, ((luma[i] as number) + 6) / ((smooth[i] as number) + 6)) ** force
      const shade = 1 - (smooth[i] as number) / 255
      // Diagonal strokes: long in one direction, thin across it.
      const first = smoothNoiseAt((x + y) / (26 * lineWidth), (x - y) / (2.1 * lineWidth), 51)
      const second = smoothNoiseAt((x * 0.35 + y) / (24 * lineWidth), (x - y * 0.35) / (2 * lineWidth), 52)
      const hatched =
        0.5 * smoothstep(0.32, 0.95, shade) * smoothstep(0.4, 0.75, first) +
        0.55 * smoothstep(0.6, 1, shade) * smoothstep(0.38, 0.7, second)
      const tone = 1 - Math.min(0.85, hatched * (0.45 + 0.55 * intensity) + 0.16 * shade)
      const value = 250 * lines * tone
      mixInto(output, data, p, value, value, value + 2, share)
    }
    return output
  },
}
