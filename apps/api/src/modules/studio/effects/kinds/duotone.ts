import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, mixInto, shareOf, smoothstep } from '../pixels.ts'

/** Deep indigo and warm peach, as two inks. */
const dark = [26, 16, 92] as const
const light = [255, 196, 148] as const

/** Brightness mapped to the shades from one ink to another, with more contrast above intensity 1. */
export const duotone: EffectKind = {
  displayName: 'Duotone',
  description: 'Two inks, from indigo to peach.',
  category: 'filter',
  reach: () => 0,
  render({ band, intensity }) {
    const { data } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const share = shareOf(intensity)
    const contrast = Math.min(1, 0.35 + 0.65 * Math.max(0, intensity - 1))
    for (let i = 0, p = 0; p < data.length; i++, p += 4) {
      const tone = (luma[i] as number) / 255
      const t = tone + contrast * (smoothstep(0.04, 0.96, tone) - tone)
      mixInto(
        output,
        data,
        p,
        dark[0] + (light[0] - dark[0]) * t,
        dark[1] + (light[1] - dark[1]) * t,
        dark[2] + (light[2] - dark[2]) * t,
        share,
      )
    }
    return output
  },
}
