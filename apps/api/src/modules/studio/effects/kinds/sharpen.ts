import { blurLuma, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(0.8, 1.1 * unit)

/** An unsharp mask of the brightness alone, so that there are no colour fringes; noise in flat areas isn't amplified. */
export const sharpen: EffectKind = {
  displayName: 'Sharpen',
  description: 'Crisp edges without coloured fringes.',
  category: 'filter',
  reach: (_, unit) => blurReach(sigmaOf(unit)) + 1,
  render({ band, intensity, unit }) {
    const { data } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const smooth = blurLuma(band, sigmaOf(unit))
    for (let i = 0, p = 0; p < data.length; i++, p += 4) {
      const detail = (luma[i] as number) - (smooth[i] as number)
      const size = Math.abs(detail)
      const amount = size < 2 ? (detail * size) / 2 : detail
      const change = 1.5 * intensity * amount
      output[p] = (data[p] as number) + change
      output[p + 1] = (data[p + 1] as number) + change
      output[p + 2] = (data[p + 2] as number) + change
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
