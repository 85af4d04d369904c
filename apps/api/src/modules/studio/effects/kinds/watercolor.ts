import { blurPlane, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { paintAreas, paintAreasReach } from '../painted-areas.ts'
import { lumaOfPlanes, mixInto, noiseAt, shareOf, smoothNoiseRows } from '../pixels.ts'

const radiusOf = (unit: number) => Math.max(2, Math.round(7 * unit))
const edgeOf = (unit: number) => Math.max(0.8, 1.6 * unit)

/**
 * Washes of pigment on paper after Bousseau, Kaplan, Thollot and Sillion, "Interactive watercolor rendering", 2006: even
 * areas, pigment that gathers at their borders, flow and grain, all as changes of density.
 */
export const watercolor: EffectKind = {
  displayName: 'Watercolor',
  description: 'Light washes that gather at their edges, on paper.',
  category: 'artistic',
  reach: (_, unit) => paintAreasReach(radiusOf(unit)) + blurReach(edgeOf(unit)) + 2,
  render({ band, top, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const planes = paintAreas(band, radiusOf(unit), 5)
    const luma = lumaOfPlanes(planes)
    const smooth = blurPlane(luma.slice(), width, height, edgeOf(unit))
    const share = shareOf(0.2 + 0.8 * intensity)
    const strength = 0.4 + 0.6 * intensity
    const paperSize = Math.max(1.1, 1.7 * unit)
    const broadRow = smoothNoiseRows(width, 90 * unit, 41)
    const narrowRow = smoothNoiseRows(width, 26 * unit, 42)
    const toothRow = smoothNoiseRows(width, paperSize, 43)
    for (let y = 0; y < height; y++) {
      const above = Math.max(0, y - 1) * width
      const below = Math.min(height - 1, y + 1) * width
      const row = y * width
      const broad = broadRow(top + y)
      const narrow = narrowRow(top + y)
      const tooth = toothRow(top + y)
      for (let x = 0; x < width; x++) {
        const i = row + x
        const dx = (smooth[row + Math.min(width - 1, x + 1)] as number) - (smooth[row + Math.max(0, x - 1)] as number)
        const dy = (smooth[below + x] as number) - (smooth[above + x] as number)
        const border = Math.min(1, (Math.sqrt(dx * dx + dy * dy) * edgeOf(unit)) / 42)
        const flow = 0.6 * (broad[x] as number) + 0.4 * (narrow[x] as number)
        const paper = 0.65 * (tooth[x] as number) + 0.35 * noiseAt(x, top + y, 44)
        const density = 1 + strength * (0.75 * border + 0.75 * (flow - 0.5) + 0.3 * (paper - 0.5))
        const p = i * 4
        // Water lightens every colour before pigment is added.
        const wash = (plane: Float32Array) => {
          const value = 255 - (255 - (plane[i] as number)) * (1 - 0.17 * strength)
          const c = value / 255
          return 255 * (c - (c - c * c) * (density - 1))
        }
        mixInto(output, data, p, wash(planes[0]), wash(planes[1]), wash(planes[2]), share)
      }
    }
    return output
  },
}
