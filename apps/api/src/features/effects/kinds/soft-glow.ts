import { blurColours, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lightOf, toValue } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(1.5, 14 * unit)

/** The Orton effect: a blurred copy, brightened, laid over as a screen, in linear light. */
export const softGlow: EffectKind = {
  displayName: 'Soft Glow',
  description: 'A dreamy glow around everything bright.',
  category: 'filter',
  reach: (_, unit) => blurReach(sigmaOf(unit)),
  render({ band, intensity, unit }) {
    const { data } = band
    const output = new Uint8ClampedArray(data.length)
    const planes = blurColours(band, sigmaOf(unit), lightOf)
    const strength = 0.5 * intensity
    const table = lightOf
    for (let i = 0, p = 0; p < data.length; i++, p += 4) {
      for (let channel = 0; channel < 3; channel++) {
        const light = table[data[p + channel] as number] as number
        const glow = ((planes[channel] as Float32Array)[i] as number) * strength
        output[p + channel] = toValue(1 - (1 - light) * (1 - Math.min(1, glow)))
      }
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
