import type { EffectKind } from '../effect-kind.ts'
import { paintAreas, paintAreasReach } from '../painted-areas.ts'
import { lumaOfPlanes, mixInto, shareOf, smoothNoiseAt } from '../pixels.ts'

const radiusOf = (intensity: number, unit: number) => Math.max(2, Math.round(5.5 * unit * (0.5 + 0.5 * intensity)))
const bristleOf = (unit: number) => Math.max(1, 1.1 * unit)

/**
 * Uniform strokes with firm borders (generalised Kuwahara filter, Papari, Petkov and Campisi, 2007), and bristles along
 * them that catch the light: noise drawn out along the edges (line integral convolution, Cabral and Leedom, 1993).
 */
export const oilPainting: EffectKind = {
  displayName: 'Oil Painting',
  description: 'Thick strokes that follow the shapes.',
  category: 'artistic',
  reach: (intensity, unit) => paintAreasReach(radiusOf(intensity, unit)) + Math.ceil(10 * bristleOf(unit)) + 2,
  render({ band, top, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const planes = paintAreas(band, radiusOf(intensity, unit), 7)
    const [red, green, blue] = planes
    const luma = lumaOfPlanes(planes)
    const share = shareOf(0.25 + 0.75 * intensity)
    const bristle = bristleOf(unit)
    const depth = 26 * (0.5 + 0.5 * intensity)
    const step = Math.max(1, Math.round(2 * unit))
    for (let y = 0; y < height; y++) {
      const above = Math.max(0, y - step) * width
      const below = Math.min(height - 1, y + step) * width
      const row = y * width
      for (let x = 0; x < width; x++) {
        const i = row + x
        const dx = (luma[row + Math.min(width - 1, x + step)] as number) - (luma[row + Math.max(0, x - step)] as number)
        const dy = (luma[below + x] as number) - (luma[above + x] as number)
        const steepness = Math.sqrt(dx * dx + dy * dy)
        // Along the edge; where there's none, strokes are diagonal.
        const alongX = steepness > 3 ? -dy / steepness : 0.8
        const alongY = steepness > 3 ? dx / steepness : 0.6
        let hair = 0
        for (let k = -2; k <= 2; k++) {
          const reach = k * 2.2 * bristle
          hair += smoothNoiseAt((x + alongX * reach) / bristle, (top + y + alongY * reach) / bristle, 31)
        }
        const relief = (hair / 5 - 0.5) * depth * 2
        const p = i * 4
        mixInto(
          output,
          data,
          p,
          (red[i] as number) + relief,
          (green[i] as number) + relief,
          (blue[i] as number) + relief,
          share,
        )
      }
    }
    return output
  },
}
