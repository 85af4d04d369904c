import { blurLuma, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, mixInto, shareOf, smoothNoiseAt, smoothstep } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(1.5, 7 * unit)

/** Coloured strokes in two directions on white paper, with the outlines of a pencil (colour dodge). */
export const coloredPencil: EffectKind = {
  displayName: 'Colored Pencil',
  description: 'Crossing strokes of colour on white paper.',
  category: 'artistic',
  reach: (_, unit) => blurReach(sigmaOf(unit)),
  render({ band, top, intensity, unit }) {
    const { data, width } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const smooth = blurLuma(band, sigmaOf(unit))
    const share = shareOf(0.25 + 0.75 * intensity)
    const lineWidth = Math.max(1, 1.2 * unit)
    const force = 0.8 + 0.9 * intensity
    for (let i = 0, p = 0; i < luma.length; i++, p += 4) {
      const x = i % width
      const y = top + ((i / width) | 0)
      const lines = Math.min(1, ((luma[i] as number) + 8) / ((smooth[i] as number) + 8)) ** force
      const first = smoothNoiseAt((x + y) / (30 * lineWidth), (x - y) / (1.9 * lineWidth), 61)
      const second = smoothNoiseAt((x - 1.6 * y) / (28 * lineWidth), (1.6 * x + y) / (3.1 * lineWidth), 62)
      const tooth = 0.62 * first + 0.38 * second
      const shade = 1 - (smooth[i] as number) / 255
      // In dark areas, the pencil is pressed harder and covers more of the paper.
      const cover = 0.42 + 0.5 * shade
      const pigment = smoothstep(1 - cover - 0.22, 1 - cover + 0.3, tooth)
      const placed = (value: number) => {
        const rich = 128 + ((value - 128) * 1.1 + (value - (luma[i] as number)) * 0.45)
        return (252 + (rich - 252) * (0.22 + 0.78 * pigment)) * lines
      }
      mixInto(
        output,
        data,
        p,
        placed(data[p] as number),
        placed(data[p + 1] as number),
        placed(data[p + 2] as number),
        share,
      )
    }
    return output
  },
}
