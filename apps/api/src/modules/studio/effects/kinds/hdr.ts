import { blurLuma, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(2, 28 * unit)

/** Lifts shadows and lowers highlights a little; black and white stay unchanged. */
function openTone(tone: number, intensity: number): number {
  const lifted = tone ** (1 / (1 + 0.42 * intensity))
  const toned = lifted - 0.34 * intensity * lifted * lifted * lifted * (1 - lifted)
  return toned
}

/**
 * Local tone mapping: the large shapes of brightness are compressed towards the middle, the details on them are
 * strengthened (base and detail as in Durand and Dorsey, 2002, with a Gaussian base).
 */
export const hdr: EffectKind = {
  displayName: 'HDR',
  description: 'Open shadows, tame highlights, crisp detail.',
  category: 'filter',
  reach: (_, unit) => blurReach(sigmaOf(unit)),
  render({ band, intensity, unit }) {
    const { data } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const base = blurLuma(band, sigmaOf(unit))
    const tones = Float32Array.from({ length: 257 }, (_, value) => openTone(value / 255, intensity) * 255)
    const detailGain = 1 + 0.65 * intensity
    const colour = 1 + 0.18 * intensity
    for (let i = 0, p = 0; i < luma.length; i++, p += 4) {
      const before = luma[i] as number
      const shape = base[i] as number
      // Weaker at strong edges, which would get halos otherwise.
      const detail = before - shape
      const bounded = (detail * detailGain) / (1 + (Math.abs(detail) / 90) ** 2 * 0.6 * intensity)
      const after = (tones[Math.round(shape)] as number) + bounded
      const ratio = (after + 4) / (before + 4)
      for (let channel = 0; channel < 3; channel++) {
        const value = data[p + channel] as number
        output[p + channel] = after + (value * ratio - after) * colour
      }
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
