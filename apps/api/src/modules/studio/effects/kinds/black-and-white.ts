import type { EffectKind } from '../effect-kind.ts'
import { BLUE_WEIGHT, GREEN_WEIGHT, lightOf, mixInto, RED_WEIGHT, shareOf, toValue } from '../pixels.ts'

/** Brightness in linear light (IEC 61966-2-1, Rec. 709 weights), mapped by an S-curve that is steeper above intensity 1. */
export const blackAndWhite: EffectKind = {
  displayName: 'Black & White',
  description: 'A rich monochrome print with deep blacks.',
  category: 'filter',
  reach: () => 0,
  render({ band: { data }, intensity }) {
    const output = new Uint8ClampedArray(data.length)
    const share = shareOf(intensity)
    const contrast = 0.25 + 0.5 * Math.max(0, intensity - 1)
    const curve = Uint8ClampedArray.from({ length: 256 }, (_, value) => {
      const v = value / 255
      return 255 * (v + contrast * (v * v * (3 - 2 * v) - v))
    })
    for (let p = 0; p < data.length; p += 4) {
      const light =
        RED_WEIGHT * (lightOf[data[p] as number] as number) +
        GREEN_WEIGHT * (lightOf[data[p + 1] as number] as number) +
        BLUE_WEIGHT * (lightOf[data[p + 2] as number] as number)
      const value = curve[Math.round(toValue(light))] as number
      mixInto(output, data, p, value, value, value, share)
    }
    return output
  },
}
