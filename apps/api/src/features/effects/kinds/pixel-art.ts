import type { EffectKind } from '../effect-kind.ts'
import { mixInto, shareOf } from '../pixels.ts'

const blockOf = (intensity: number, unit: number) => Math.max(2, Math.round(11 * unit * (0.5 + 0.5 * intensity)))
/** Bayer's ordered dither, 1973. */
const bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
const LEVELS = 6

/** Large square pixels of a small palette, dithered in order (Bayer, 1973). */
export const pixelArt: EffectKind = {
  displayName: 'Pixel Art',
  description: 'Large pixels and few colours, like an early game.',
  category: 'stylized',
  reach: (intensity, unit) => blockOf(intensity, unit),
  render({ band, top, fullHeight, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const block = blockOf(intensity, unit)
    const share = shareOf(0.35 + 0.65 * intensity)
    const step = 255 / (LEVELS - 1)
    for (let row = Math.floor(top / block); row * block < top + height; row++) {
      const first = Math.max(0, row * block - top)
      const last = Math.min(height, Math.min(fullHeight, (row + 1) * block) - top)
      for (let column = 0; column * block < width; column++) {
        const left = column * block
        const right = Math.min(width, left + block)
        const sums = [0, 0, 0]
        let count = 0
        for (let y = first; y < last; y++) {
          for (let x = left; x < right; x++) {
            const p = (y * width + x) * 4
            sums[0] = (sums[0] as number) + (data[p] as number)
            sums[1] = (sums[1] as number) + (data[p + 1] as number)
            sums[2] = (sums[2] as number) + (data[p + 2] as number)
            count++
          }
        }
        if (count === 0) continue
        const nudge = (((bayer[(row & 3) * 4 + (column & 3)] as number) + 0.5) / 16 - 0.5) * step * 0.7
        const [grey] = [(sums[0] as number) * 0.3 + (sums[1] as number) * 0.59 + (sums[2] as number) * 0.11]
        const paint = sums.map((sum) => {
          const vivid = (grey + (sum - grey) * 1.25) / count
          return Math.min(255, Math.max(0, Math.round((vivid + nudge) / step) * step))
        })
        for (let y = first; y < last; y++) {
          for (let x = left; x < right; x++) {
            mixInto(
              output,
              data,
              (y * width + x) * 4,
              paint[0] as number,
              paint[1] as number,
              paint[2] as number,
              share,
            )
          }
        }
      }
    }
    return output
  },
}
