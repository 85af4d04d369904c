import { blurPlane, blurReach, slopesOf } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, mixInto, noiseAt, shareOf, smoothNoiseRows, smoothstep } from '../pixels.ts'

const sigmaOf = (unit: number) => Math.max(0.8, 1.5 * unit)
const smudgeOf = (unit: number) => Math.max(1, 3 * unit)

/** Broad dark edges (Sobel), smudged shadows, and the tooth of the paper that the stick skips over. */
export const charcoal: EffectKind = {
  displayName: 'Charcoal',
  description: 'Broad dark strokes, smudged on rough paper.',
  category: 'artistic',
  reach: (_, unit) => blurReach(sigmaOf(unit)) + blurReach(smudgeOf(unit)) + 1,
  render({ band, top, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const smooth = blurPlane(lumaOf(band), width, height, sigmaOf(unit))
    const { across, down } = slopesOf(smooth, width, height)
    const edges = across
    // Scales slopes to those at a unit of one, since an edge covers more pixels in a larger picture.
    const perUnit = sigmaOf(unit) / sigmaOf(1)
    for (let i = 0; i < edges.length; i++) {
      const dx = across[i] as number
      const dy = down[i] as number
      edges[i] = Math.sqrt(dx * dx + dy * dy) * perUnit
    }
    const smudged = blurPlane(edges.slice(), width, height, smudgeOf(unit))
    const share = shareOf(0.3 + 0.7 * intensity)
    const tooth = Math.max(1.2, 1.9 * unit)
    const press = 0.55 + 0.45 * intensity
    const toothRow = smoothNoiseRows(width, tooth, 71)
    let coarse = toothRow(top)
    for (let i = 0, p = 0; i < edges.length; i++, p += 4) {
      const x = i % width
      const y = top + ((i / width) | 0)
      if (x === 0) coarse = toothRow(y)
      const paper = 0.7 * (coarse[x] as number) + 0.3 * noiseAt(x, y, 72)
      const edge = edges[i] as number
      const around = smudged[i] as number
      // An edge counts by how much it stands out; otherwise foliage and masonry, full of edges, would turn black.
      const line = Math.min(1, press * ((1.5 * edge) / (edge + 95 + 1.1 * around) + (0.3 * around) / (around + 160)))
      const tone = 1 - (smooth[i] as number) / 255
      const shadow = Math.min(1, smoothstep(0.35, 1, tone) * 0.85 * press)
      const lineInk = Math.min(1, line * (0.7 + 0.5 * paper))
      const dark = 1 - (1 - lineInk) * (1 - shadow * smoothstep(0.12, 0.78, paper + 0.35 * tone))
      const value = 244 - 226 * dark - 8 * paper
      mixInto(output, data, p, value, value, value - 2, share)
    }
    return output
  },
}
