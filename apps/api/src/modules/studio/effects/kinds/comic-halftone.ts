import { blurColours, blurLuma, blurReach } from '../blurring.ts'
import { drawnLines, widestSigma } from '../drawn-lines.ts'
import type { EffectKind } from '../effect-kind.ts'
import { mixInto, shareOf, smoothstep } from '../pixels.ts'

/** Factor for the colours: comics were printed in loud ones. */
const SATURATION = 1.45
const dotOf = (unit: number) => Math.max(3, 6.5 * unit)
const lineOf = (unit: number) => Math.max(0.7, 1.2 * unit)
/** Screen angles of cyan, magenta and yellow, as printers set them. */
const angles = [15, 75, 0].map((degrees) => (degrees * Math.PI) / 180)

/** Dots of cyan, magenta and yellow on white, each screen at its own angle (amplitude-modulated halftoning), and ink lines. */
export const comicHalftone: EffectKind = {
  displayName: 'Comic Halftone',
  description: 'Printed dots and ink, as in an old comic.',
  category: 'stylized',
  reach: (_, unit) => blurReach(Math.max(dotOf(unit) / 2.4, widestSigma(lineOf(unit)))),
  render({ band, top, intensity, unit }) {
    const { data, width } = band
    const output = new Uint8ClampedArray(data.length)
    const dot = dotOf(unit)
    const smooth = blurColours(band, dot / 2.4)
    const lines = drawnLines((sigma) => blurLuma(band, sigma), { sigma: lineOf(unit), threshold: 3.5, softness: 6 })
    const share = shareOf(0.3 + 0.7 * intensity)
    const turns = angles.map((angle) => ({ cos: Math.cos(angle) / dot, sin: Math.sin(angle) / dot }))
    const soft = 0.5 / dot
    const press = 0.85 + 0.15 * intensity
    const printed = [0, 0, 0]
    for (let i = 0, p = 0; i < lines.length; i++, p += 4) {
      const x = i % width
      const y = top + ((i / width) | 0)
      const black = 1 - (lines[i] as number)
      const grey =
        (((smooth[0] as Float32Array)[i] as number) +
          ((smooth[1] as Float32Array)[i] as number) +
          ((smooth[2] as Float32Array)[i] as number)) /
        3
      for (let channel = 0; channel < 3; channel++) {
        const { cos, sin } = turns[channel] as { cos: number; sin: number }
        const u = x * cos + y * sin
        const v = y * cos - x * sin
        const du = u - Math.round(u)
        const dv = v - Math.round(v)
        const distance = Math.sqrt(du * du + dv * dv)
        const value = grey + (((smooth[channel] as Float32Array)[i] as number) - grey) * SATURATION
        const inkShare = Math.min(1, Math.max(0, (1 - value / 255) * press))
        // The dot's area is the ink's share; above about a half, dots merge.
        const radius = inkShare < 0.02 ? -1 : Math.sqrt(inkShare / Math.PI) * (1 + 0.28 * inkShare ** 6)
        const cover = smoothstep(-soft, soft, radius - distance)
        printed[channel] = (252 - 226 * cover) * black
      }
      mixInto(output, data, p, printed[0] as number, printed[1] as number, printed[2] as number, share)
    }
    return output
  },
}
