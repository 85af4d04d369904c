import { blurPlane, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, mixInto, shareOf } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(0.6, 0.9 * unit)

/** Light from the upper left on a relief of the brightness (a directional derivative on grey). */
export const emboss: EffectKind = {
  displayName: 'Emboss',
  description: 'Pressed into metal, lit from the upper left.',
  category: 'stylized',
  reach: (_, unit) => blurReach(sigmaOf(unit)) + Math.ceil(unit) + 1,
  render({ band, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const relief = blurPlane(lumaOf(band), width, height, sigmaOf(unit))
    const step = Math.max(1, Math.round(unit))
    const share = shareOf(0.35 + 0.65 * intensity)
    const depth = 1.6 * (0.4 + 0.6 * intensity)
    for (let y = 0; y < height; y++) {
      const above = Math.max(0, y - step) * width
      const below = Math.min(height - 1, y + step) * width
      for (let x = 0; x < width; x++) {
        const left = Math.max(0, x - step)
        const right = Math.min(width - 1, x + step)
        const slope = (relief[below + right] as number) - (relief[above + left] as number)
        const p = (y * width + x) * 4
        const value = 128 + depth * slope
        mixInto(output, data, p, value, value, value, share)
      }
    }
    return output
  },
}
