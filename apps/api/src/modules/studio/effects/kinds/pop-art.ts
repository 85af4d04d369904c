import { blurLuma, blurReach } from '../blurring.ts'
import { drawnLines, widestSigma } from '../drawn-lines.ts'
import type { EffectKind } from '../effect-kind.ts'
import { mixInto, opacityAt, shareOf, smoothstep } from '../pixels.ts'

/** From shadows to highlights. */
const inks: readonly (readonly [number, number, number])[] = [
  [34, 18, 96],
  [222, 22, 108],
  [255, 122, 26],
  [255, 226, 44],
  [255, 250, 222],
]
const smoothOf = (unit: number) => Math.max(1, 2.6 * unit)
const lineOf = (unit: number) => Math.max(0.8, 1.7 * unit)
const dotOf = (unit: number) => Math.max(3, 7 * unit)

/** A screen print in five loud inks, dots where two of them meet (halftone), and black outlines (XDoG). */
export const popArt: EffectKind = {
  displayName: 'Pop Art',
  description: 'A loud screen print with dots and outlines.',
  category: 'stylized',
  reach: (_, unit) => blurReach(Math.max(smoothOf(unit), widestSigma(lineOf(unit)))),
  prepare: (whole) => spreadOf(whole.data),
  render({ band, top, intensity, unit, prepared }) {
    const { data, width } = band
    const { low, high } = prepared as Spread
    const output = new Uint8ClampedArray(data.length)
    const lines = drawnLines((sigma) => blurLuma(band, sigma), { sigma: lineOf(unit), threshold: 2, softness: 4 })
    const smooth = blurLuma(band, smoothOf(unit))
    const share = shareOf(0.3 + 0.7 * intensity)
    const dot = dotOf(unit)
    const contrast = 1 + 0.5 * Math.max(0, intensity - 1)
    const outline = Math.min(1, 0.5 + 0.5 * intensity)
    for (let i = 0, p = 0; i < smooth.length; i++, p += 4) {
      const x = i % width
      const y = top + ((i / width) | 0)
      const tone = Math.min(0.999, Math.max(0, (((smooth[i] as number) - low) / (high - low) - 0.5) * contrast + 0.5))
      const index = tone * (inks.length - 1)
      const level = Math.floor(index)
      // The lighter ink appears as dots that grow until they cover everything.
      const u = ((((x + y) * Math.SQRT1_2) / dot) % 1) - 0.5
      const v = ((((x - y) * Math.SQRT1_2) / dot) % 1) - (x < y ? -0.5 : 0.5)
      const radius = 0.75 * smoothstep(0.25, 0.95, index - level)
      const cover = smoothstep(-0.06, 0.06, radius - Math.sqrt(u * u + v * v))
      const dark = inks[level] ?? inks[0]
      const light = inks[level + 1] ?? dark
      const black = 1 - (lines[i] as number) * outline
      const mixed = (channel: 0 | 1 | 2) => {
        const from = dark?.[channel] ?? 0
        return (from + ((light?.[channel] ?? 0) - from) * cover) * black
      }
      mixInto(output, data, p, mixed(0), mixed(1), mixed(2), share)
    }
    return output
  },
}

interface Spread {
  low: number
  high: number
}

/** 2nd and 98th percentile of the brightness, at least 24 apart. */
function spreadOf(data: Uint8ClampedArray): Spread {
  const counts = new Float64Array(256)
  // A few hundred thousand pixels are enough.
  const step = Math.max(1, Math.floor(data.length / 4 / 400_000))
  let total = 0
  for (let p = 0; p < data.length; p += 4 * step) {
    const tone =
      (0.2126 * (data[p] as number) + 0.7152 * (data[p + 1] as number) + 0.0722 * (data[p + 2] as number)) | 0
    const weight = opacityAt(data, p)
    counts[tone] = (counts[tone] as number) + weight
    total += weight
  }
  const percentile = (share: number) => {
    let sum = 0
    for (let tone = 0; tone < 256; tone++) {
      sum += counts[tone] as number
      if (sum >= total * share) return tone
    }
    return 255
  }
  const low = percentile(0.02)
  return { low, high: Math.max(low + 24, percentile(0.98)) }
}
