import type { EffectKind } from '../effect-kind.ts'
import { paintAreas, paintAreasReach } from '../painted-areas.ts'
import { lumaOfPlanes, mixInto, noiseAt, shareOf, smoothNoiseAt, smoothNoiseRows, smoothstep } from '../pixels.ts'

const radiusOf = (unit: number) => Math.max(2, Math.round(5 * unit))

/** Chalk on toned paper: soft light colours, with the paper showing where the chalk didn't reach into its texture. */
export const pastel: EffectKind = {
  displayName: 'Pastel',
  description: 'Soft chalk on toned paper.',
  category: 'artistic',
  reach: (_, unit) => paintAreasReach(radiusOf(unit)),
  render({ band, top, intensity, unit }) {
    const { data, width } = band
    const output = new Uint8ClampedArray(data.length)
    const planes = paintAreas(band, radiusOf(unit), 4)
    const luma = lumaOfPlanes(planes)
    const share = shareOf(0.25 + 0.75 * intensity)
    const tooth = Math.max(1.2, 1.6 * unit)
    const strength = 0.5 + 0.5 * intensity
    const toothRow = smoothNoiseRows(width, tooth, 82)
    let coarse = toothRow(top)
    for (let i = 0, p = 0; i < luma.length; i++, p += 4) {
      const x = i % width
      const y = top + ((i / width) | 0)
      if (x === 0) coarse = toothRow(y)
      const stroke = smoothNoiseAt((x * 0.5 + y) / (22 * tooth), (x - y * 0.5) / (1.6 * tooth), 81)
      const grain = 0.5 * (coarse[x] as number) + 0.2 * noiseAt(x, y, 83) + 0.3 * stroke
      const bare = smoothstep(0.5, 0.86, grain) * 0.42 * strength
      const grey = luma[i] as number
      const chalk = (plane: Float32Array, paper: number) => {
        const vivid = grey + ((plane[i] as number) - grey) * (1 + 0.35 * strength)
        const light = 255 - (255 - vivid) * (1 - 0.2 * strength)
        return light + (paper - light) * bare
      }
      mixInto(output, data, p, chalk(planes[0], 214), chalk(planes[1], 202), chalk(planes[2], 184), share)
    }
    return output
  },
}
