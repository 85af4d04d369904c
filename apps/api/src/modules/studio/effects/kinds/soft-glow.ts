import { blurColours, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lightOf, toValue } from '../pixels.ts'

const STEPS = 8192
const sigmaOf = (unit: number) => Math.max(1.5, 14 * unit)

/** The Orton effect: a blurred copy blended in screen mode, in linear light, over deepened tones. */
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
    const deepened = 1 + 0.15 * intensity
    const values = Float32Array.from({ length: STEPS + 1 }, (_, step) => toValue((step / STEPS) ** deepened))
    for (let i = 0, p = 0; p < data.length; i++, p += 4) {
      for (let channel = 0; channel < 3; channel++) {
        const light = lightOf[data[p + channel] as number] as number
        const glow = ((planes[channel] as Float32Array)[i] as number) * strength
        const screened = 1 - (1 - light) * (1 - Math.min(1, glow))
        output[p + channel] = values[Math.round(screened * STEPS)] as number
      }
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
