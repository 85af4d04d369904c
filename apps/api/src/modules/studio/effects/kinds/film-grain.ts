import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, noiseAt, smoothNoiseRows } from '../pixels.ts'

/** Grain of silver film, in two sizes and strongest in the middle tones (in the spirit of Newson et al., 2017). */
export const filmGrain: EffectKind = {
  displayName: 'Film Grain',
  description: 'The lively grain of fast film.',
  category: 'filter',
  reach: () => 0,
  render({ band, top, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const size = Math.max(1.2, 1.6 * unit)
    const coarseRow = smoothNoiseRows(width, size, 11)
    for (let y = 0, i = 0, p = 0; y < height; y++) {
      const coarse = coarseRow(top + y)
      for (let x = 0; x < width; x++, i++, p += 4) {
        const tone = (luma[i] as number) / 255
        const strength = 62 * intensity * (0.25 + 3 * tone * (1 - tone))
        const fine = noiseAt(x, top + y, 12)
        const grain = strength * (0.72 * ((coarse[x] as number) - 0.5) + 0.4 * (fine - 0.5))
        output[p] = (data[p] as number) + grain
        output[p + 1] = (data[p + 1] as number) + grain
        output[p + 2] = (data[p + 2] as number) + grain
        output[p + 3] = data[p + 3] as number
      }
    }
    return output
  },
}
