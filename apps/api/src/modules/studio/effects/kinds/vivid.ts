import type { EffectKind } from '../effect-kind.ts'
import { BLUE_WEIGHT, GREEN_WEIGHT, RED_WEIGHT } from '../pixels.ts'

/** Vibrance: pale colours gain most, skin tones less, and a gentle S-curve. */
export const vivid: EffectKind = {
  displayName: 'Vivid',
  description: 'Colours that pop, without burning skin tones.',
  category: 'filter',
  reach: () => 0,
  render({ band: { data }, intensity }) {
    const output = new Uint8ClampedArray(data.length)
    const contrast = 0.22 * intensity
    const curve = Float32Array.from({ length: 256 }, (_, value) => {
      const v = value / 255
      return 255 * (v + contrast * (v * v * (3 - 2 * v) - v))
    })
    for (let p = 0; p < data.length; p += 4) {
      const r = curve[data[p] as number] as number
      const g = curve[data[p + 1] as number] as number
      const b = curve[data[p + 2] as number] as number
      const high = Math.max(r, g, b)
      const low = Math.min(r, g, b)
      const saturation = high > 0 ? (high - low) / high : 0
      // Skin has more red than green and more green than blue, at low saturation.
      const skinFactor = r > g && g > b && saturation < 0.6 ? 0.55 : 1
      const gain = 1 + 0.75 * intensity * (1 - 0.6 * saturation) * skinFactor
      const grey = RED_WEIGHT * r + GREEN_WEIGHT * g + BLUE_WEIGHT * b
      output[p] = grey + (r - grey) * gain
      output[p + 1] = grey + (g - grey) * gain
      output[p + 2] = grey + (b - grey) * gain
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
