import { blurColours, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lightOf, toValue } from '../pixels.ts'

const sigmaOf = (intensity: number, unit: number) => Math.max(0.6, 6 * intensity * unit)

/** A Gaussian blur in linear light, so that lights stay bright. */
export const blur: EffectKind = {
  displayName: 'Blur',
  description: 'An even, photographic softness.',
  category: 'filter',
  reach: (intensity, unit) => blurReach(sigmaOf(intensity, unit)),
  render({ band, intensity, unit }) {
    const { data } = band
    const output = new Uint8ClampedArray(data.length)
    const [red, green, blue] = blurColours(band, sigmaOf(intensity, unit), lightOf)
    for (let i = 0, p = 0; p < data.length; i++, p += 4) {
      output[p] = toValue(red[i] as number)
      output[p + 1] = toValue(green[i] as number)
      output[p + 2] = toValue(blue[i] as number)
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
