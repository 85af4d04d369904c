import { blurColours, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lightOf, smoothstep, toValue } from '../pixels.ts'

const sigmaOf = (intensity: number, unit: number) => Math.max(1, 7 * intensity * unit)
const SATURATION = 0.3

/** A sharp strip across the middle, a blur that grows above and below it in linear light, and toy-like colours. */
export const tiltShift: EffectKind = {
  displayName: 'Tilt-Shift',
  description: 'Turns a scene into a miniature.',
  category: 'filter',
  reach: (intensity, unit) => blurReach(sigmaOf(intensity, unit)),
  render({ band, top, fullHeight, intensity, unit }) {
    const { data, width } = band
    const output = new Uint8ClampedArray(data.length)
    const half = blurColours(band, sigmaOf(intensity, unit) / 3, lightOf)
    const whole = blurColours(band, sigmaOf(intensity, unit), lightOf)
    const colour = 1 + SATURATION * Math.min(1.5, intensity)
    for (let i = 0, p = 0; p < data.length; i++, p += 4) {
      const y = top + ((i / width) | 0)
      const distance = Math.abs(y + 0.5 - fullHeight * 0.55) / fullHeight
      // From sharp to the smaller blur, and from that to the larger one.
      const blurred = smoothstep(0.1, 0.42, distance) * 2
      const toHalf = Math.min(1, blurred)
      const toWhole = Math.max(0, blurred - 1)
      let grey = 0
      const mixed = [0, 0, 0]
      for (let channel = 0; channel < 3; channel++) {
        const sharp = lightOf[data[p + channel] as number] as number
        const near = (half[channel] as Float32Array)[i] as number
        const far = (whole[channel] as Float32Array)[i] as number
        const light = (sharp + (near - sharp) * toHalf) * (1 - toWhole) + far * toWhole
        mixed[channel] = toValue(light)
        grey += (mixed[channel] as number) / 3
      }
      for (let channel = 0; channel < 3; channel++) {
        output[p + channel] = grey + ((mixed[channel] as number) - grey) * colour
      }
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
