import type { EffectKind } from '../effect-kind.ts'
import { opacityAt, shareOf } from '../pixels.ts'

const blockOf = (intensity: number, unit: number) => Math.max(2, Math.round(11 * unit * (0.5 + 0.5 * intensity)))
/** Threshold matrix of the dithering, 4 × 4. */
const bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
const LEVELS = 9
const HUE_STEP = 14
const SATURATION = 1.3

/** Large square pixels of a small palette, with ordered dithering (Bayer, 1973). */
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
    const originalShare = 1 - share
    const step = 255 / (LEVELS - 1)
    for (let row = Math.floor(top / block); row * block < top + height; row++) {
      const first = Math.max(0, row * block - top)
      const last = Math.min(height, Math.min(fullHeight, (row + 1) * block) - top)
      for (let column = 0; column * block < width; column++) {
        const left = column * block
        const right = Math.min(width, left + block)
        let count = 0
        let redSum = 0
        let greenSum = 0
        let blueSum = 0
        for (let y = first; y < last; y++) {
          for (let p = (y * width + left) * 4; p < (y * width + right) * 4; p += 4) {
            const weight = opacityAt(data, p)
            redSum += (data[p] as number) * weight
            greenSum += (data[p + 1] as number) * weight
            blueSum += (data[p + 2] as number) * weight
            count += weight
          }
        }
        if (count === 0) continue
        const nudge = (((bayer[(row & 3) * 4 + (column & 3)] as number) + 0.5) / 16 - 0.5) * step * 0.5
        const grey = (redSum * 0.3 + greenSum * 0.59 + blueSum * 0.11) / count
        // Brightness and hue are quantised separately: quantising the channels would turn greys pink and green.
        const level = Math.round((grey + nudge) / step) * step
        const redder = Math.round(((redSum / count - grey) * SATURATION) / HUE_STEP) * HUE_STEP
        const bluer = Math.round(((blueSum / count - grey) * SATURATION) / HUE_STEP) * HUE_STEP
        const greener = -(redder * 0.3 + bluer * 0.11) / 0.59
        const paintOf = (more: number) => share * Math.min(255, Math.max(0, level + more))
        const [red, green, blue] = [paintOf(redder), paintOf(greener), paintOf(bluer)]
        for (let y = first; y < last; y++) {
          for (let p = (y * width + left) * 4; p < (y * width + right) * 4; p += 4) {
            output[p] = (data[p] as number) * originalShare + red
            output[p + 1] = (data[p + 1] as number) * originalShare + green
            output[p + 2] = (data[p + 2] as number) * originalShare + blue
            output[p + 3] = data[p + 3] as number
          }
        }
      }
    }
    return output
  },
}
