import type { EffectKind } from '../effect-kind.ts'
import { mixInto, noiseAt, opacityAt, shareOf, smoothstep } from '../pixels.ts'

const tileOf = (unit: number) => Math.max(5, Math.round(17 * unit))

/** Square stones of one colour each, bevelled and set in light grout, each slightly lighter or darker than the picture. */
export const mosaic: EffectKind = {
  displayName: 'Mosaic',
  description: 'Small square stones, set by hand.',
  category: 'artistic',
  reach: (_, unit) => tileOf(unit) + 1,
  render({ band, top, fullHeight, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const tile = tileOf(unit)
    const depth = 0.5 + 0.5 * intensity
    const share = shareOf(0.3 + 0.7 * intensity)
    const grout = Math.max(0.08, Math.min(0.14, 1.2 / tile)) * (0.7 + 0.3 * intensity)
    const columns = Math.ceil(width / tile)
    for (let row = Math.floor(top / tile); row * tile < top + height; row++) {
      const first = Math.max(0, row * tile - top)
      const last = Math.min(height, Math.min(fullHeight, (row + 1) * tile) - top)
      for (let column = 0; column < columns; column++) {
        const left = column * tile
        const right = Math.min(width, left + tile)
        let r = 0
        let g = 0
        let b = 0
        let count = 0
        for (let y = first; y < last; y++) {
          for (let x = left; x < right; x++) {
            const p = (y * width + x) * 4
            const weight = opacityAt(data, p)
            r += (data[p] as number) * weight
            g += (data[p + 1] as number) * weight
            b += (data[p + 2] as number) * weight
            count += weight
          }
        }
        if (count === 0) continue
        const glaze = 1 + (noiseAt(column, row, 101) - 0.5) * 0.16 * depth
        const turn = (noiseAt(column, row, 102) - 0.5) * 0.22
        const [red, green, blue] = [(r / count) * glaze, (g / count) * glaze, (b / count) * glaze]
        for (let y = first; y < last; y++) {
          for (let x = left; x < right; x++) {
            const u = (x - left + 0.5) / tile - 0.5
            const v = (y + top - row * tile + 0.5) / tile - 0.5
            const across = u + turn * v
            const along = v - turn * u
            const inside = 0.5 - Math.max(Math.abs(across), Math.abs(along))
            const stone = smoothstep(grout * 0.45, grout * 0.95, inside)
            const bevel = inside < grout * 2.2 ? 1 + (across + along < 0 ? 0.12 : -0.14) * depth : 1
            const p = (y * width + x) * 4
            const set = (value: number, joint: number) => joint + (value * bevel - joint) * stone
            mixInto(output, data, p, set(red, 196), set(green, 190), set(blue, 180), share)
          }
        }
      }
    }
    return output
  },
}
