import type { EffectKind } from '../effect-kind.ts'
import { clamp, lightOf, smoothstep, toValue } from '../pixels.ts'

/** Light falloff towards the corners, like a lens's, in linear light. */
export const vignette: EffectKind = {
  displayName: 'Vignette',
  description: 'Dark corners that lead the eye inwards.',
  category: 'filter',
  reach: () => 0,
  render({ band: { data, width, height }, top, fullWidth, fullHeight, intensity }) {
    const output = new Uint8ClampedArray(data.length)
    const depth = clamp(0.68 * intensity, 0, 0.97)
    const inner = clamp(0.42 - 0.12 * (intensity - 1), 0.1, 0.6)
    for (let y = 0; y < height; y++) {
      const dy = (top + y + 0.5 - fullHeight / 2) / (fullHeight / 2)
      for (let x = 0; x < width; x++) {
        const dx = (x + 0.5 - fullWidth / 2) / (fullWidth / 2)
        const gain = 1 - depth * smoothstep(inner, 1.38, Math.sqrt(dx * dx + dy * dy))
        const p = (y * width + x) * 4
        output[p] = toValue((lightOf[data[p] as number] as number) * gain)
        output[p + 1] = toValue((lightOf[data[p + 1] as number] as number) * gain)
        output[p + 2] = toValue((lightOf[data[p + 2] as number] as number) * gain)
        output[p + 3] = data[p + 3] as number
      }
    }
    return output
  },
}
