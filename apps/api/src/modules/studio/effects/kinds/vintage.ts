import type { EffectInput, EffectKind } from '../effect-kind.ts'
import { clamp, noiseAt, smoothstep, tableOf } from '../pixels.ts'

/**
 * Faded colour film: lifted blacks, a curve for each channel (cross-processing: warm highlights, greenish blue shadows), less
 * colour, a little grain and dark corners.
 */
export const vintage: EffectKind = {
  displayName: 'Vintage',
  description: 'Faded film with lifted blacks and warm lights.',
  category: 'filter',
  reach: () => 0,
  render({ band: { data, width }, top, fullWidth, fullHeight, intensity, unit }: EffectInput) {
    const output = new Uint8ClampedArray(data.length)
    const lift = 26 * intensity
    const red = tableOf((v) => v + intensity * (14 * Math.sin((v / 255) * Math.PI) + 8 * (v / 255)))
    const green = tableOf((v) => v + intensity * 4 * Math.sin((v / 255) * Math.PI))
    const blue = tableOf((v) => v + intensity * (18 * (1 - v / 255) - 30 * (v / 255)))
    const colour = 1 - 0.28 * Math.min(intensity, 2)
    const grainSize = Math.max(1, unit)
    const halfDiagonal = Math.hypot(fullWidth, fullHeight) / 2
    for (let p = 0, i = 0; p < data.length; p += 4, i++) {
      const x = i % width
      const y = top + ((i / width) | 0)
      let r = red[data[p] as number] as number
      let g = green[data[p + 1] as number] as number
      let b = blue[data[p + 2] as number] as number
      const grey = 0.3 * r + 0.59 * g + 0.11 * b
      const grain = (noiseAt(x / grainSize, y / grainSize, 7) - 0.5) * 14 * intensity
      const dx = x - fullWidth / 2
      const dy = y - fullHeight / 2
      const distance = Math.sqrt(dx * dx + dy * dy) / halfDiagonal
      const corner = 1 - clamp(0.3 * intensity, 0, 0.6) * smoothstep(0.5, 1.05, distance)
      r = (grey + (r - grey) * colour) * corner
      g = (grey + (g - grey) * colour) * corner
      b = (grey + (b - grey) * colour) * corner
      output[p] = lift + (r * (255 - lift)) / 255 + grain
      output[p + 1] = lift + (g * (255 - lift)) / 255 + grain
      output[p + 2] = lift + (b * (255 - lift)) / 255 + grain
      output[p + 3] = data[p + 3] as number
    }
    return output
  },
}
