import { blurPlane, blurReach } from '../blurring.ts'
import { drawnLines, widestSigma } from '../drawn-lines.ts'
import type { EffectKind } from '../effect-kind.ts'
import { paintAreas, paintAreasReach } from '../painted-areas.ts'
import { lumaOfPlanes, mixInto, shareOf } from '../pixels.ts'

const radiusOf = (unit: number) => Math.max(2, Math.round(5 * unit))
const lineOf = (unit: number) => Math.max(0.7, 1.35 * unit)
const LEVELS = 7

/** Even areas, brightness in soft steps and dark outlines (Winnemöller, Olsen and Gooch, "Real-time video abstraction", 2006). */
export const cartoon: EffectKind = {
  displayName: 'Cartoon',
  description: 'Flat colours with drawn outlines.',
  category: 'stylized',
  reach: (_, unit) => paintAreasReach(radiusOf(unit)) + blurReach(widestSigma(lineOf(unit))),
  render({ band, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const planes = paintAreas(band, radiusOf(unit), 8)
    const luma = lumaOfPlanes(planes)
    const lines = drawnLines((sigma) => blurPlane(luma.slice(), width, height, sigma), {
      sigma: lineOf(unit),
      threshold: 1.2,
      softness: 3.5,
    })
    const share = shareOf(0.3 + 0.7 * intensity)
    const colour = 1.15 + 0.25 * intensity
    const outline = Math.min(1, 0.45 + 0.5 * intensity)
    const step = 255 / LEVELS
    for (let i = 0, p = 0; i < luma.length; i++, p += 4) {
      const before = luma[i] as number
      const level = Math.round(before / step) * step
      const after = level + (step / 2) * Math.tanh(((before - level) / step) * 3.2)
      const black = 1 - (lines[i] as number) * outline
      const paint = (plane: Float32Array) => (after + ((plane[i] as number) - before) * colour) * black
      mixInto(output, data, p, paint(planes[0]), paint(planes[1]), paint(planes[2]), share)
    }
    return output
  },
}
