import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, noiseAt, smoothNoiseAt } from '../pixels.ts'

/** Grain of silver film: two sizes of it, strongest in the middle tones (after Newson et al., 2017, in spirit). */
export const filmGrain: EffectKind = {
  displayName: 'Film Grain',
  description: 'The lively grain of fast film.',
  category: 'filter',
  reach: () => 0,
  render({ band, top, intensity, unit }) {
    const { data, width } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const size = Math.max(1.2, 1.6 * unit)
    for (let i = 0, p = 0; i < luma.length; i++, p += 4) {
      const x = i % width
      const y = top + ((i / width) | 0)
      const tone = (luma[i] as number) / 255
      const strength = 62 * intensity * (0.25 + 3 * tone * (1 - tone))
      const grain = strength * (0.72 * (smoothNoiseAt(x / size, y / size, 11) - 0.5) + 0.4 * (noiseAt(x, y, 12) - 0.5))
      output[p] = (data[p] as number) + grain
      output[p + 1] = (data[p + 1] as number) + grain
      output[p + 2] = (data[p + 2] as number) + grain
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
