import type { EffectKind } from '../effect-kind.ts'
import { noiseAt } from '../pixels.ts'

/** A broken video signal: red and blue drift apart, blocks of lines jump sideways, scan lines darken. */
export const glitch: EffectKind = {
  displayName: 'Glitch',
  description: 'A broken signal with shifted colours.',
  category: 'stylized',
  reach: () => 0,
  render({ band: { data, width, height }, top, fullWidth, intensity, unit }) {
    const output = new Uint8ClampedArray(data.length)
    const drift = Math.max(1, Math.round(9 * intensity * unit))
    const lineHeight = Math.max(1, Math.round(1.5 * unit))
    for (let y = 0; y < height; y++) {
      const absolute = top + y
      // Blocks of two sizes, a few of which jump.
      const coarse = Math.floor(absolute / Math.max(2, 46 * unit))
      const fine = Math.floor(absolute / Math.max(2, 11 * unit))
      const isJumping = noiseAt(coarse, 1, 21) < 0.32 && noiseAt(fine, 2, 22) < 0.62
      const jump = isJumping ? Math.round((noiseAt(fine, 3, 23) - 0.5) * 0.16 * intensity * fullWidth) : 0
      const colourShift = drift + (isJumping ? Math.round(noiseAt(fine, 4, 24) * 10 * intensity * unit) : 0)
      const isDark = Math.floor(absolute / lineHeight) % 2 === 1
      const gain = isDark ? 1 - 0.16 * Math.min(1.6, intensity) : 1
      const row = y * width
      for (let x = 0; x < width; x++) {
        const p = (row + x) * 4
        const from = (shift: number) => (row + wrap(x + jump + shift, width)) * 4
        output[p] = (data[from(colourShift)] as number) * gain
        output[p + 1] = (data[from(0) + 1] as number) * gain
        output[p + 2] = (data[from(-colourShift) + 2] as number) * gain
        output[p + 3] = data[p + 3] as number
      }
    }
    return output
  },
}

function wrap(x: number, width: number): number {
  return ((x % width) + width) % width
}
