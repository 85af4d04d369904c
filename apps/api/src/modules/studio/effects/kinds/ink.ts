import { blurLuma, blurReach } from '../blurring.ts'
import { drawnLines, widestSigma } from '../drawn-lines.ts'
import type { EffectKind } from '../effect-kind.ts'
import { mixInto, shareOf, smoothstep } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(0.7, 1.3 * unit)
const fillOf = (unit: number) => Math.max(1, 2.2 * unit)

/** Black lines and solid shadows on white (XDoG, Winnemöller, Kyprianidis and Olsen, 2012). */
export const ink: EffectKind = {
  displayName: 'Ink',
  description: 'A pen drawing with solid black shadows.',
  category: 'artistic',
  reach: (_, unit) => blurReach(widestSigma(Math.max(sigmaOf(unit), fillOf(unit)))),
  render({ band, intensity, unit }) {
    const { data } = band
    const output = new Uint8ClampedArray(data.length)
    const lines = drawnLines((sigma) => blurLuma(band, sigma), {
      sigma: sigmaOf(unit),
      threshold: 2.4 - 0.8 * Math.min(1.8, intensity),
      softness: 3,
    })
    const smooth = blurLuma(band, fillOf(unit))
    const share = shareOf(0.3 + 0.7 * intensity)
    const black = 44 + 26 * intensity
    for (let i = 0, p = 0; i < lines.length; i++, p += 4) {
      const solid = 1 - smoothstep(black - 10, black + 10, smooth[i] as number)
      const value = 252 * (1 - Math.max(lines[i] as number, solid)) + 8
      mixInto(output, data, p, value, value, value, share)
    }
    return output
  },
}
