import type { EffectKind } from '../effect-kind.ts'
import { lumaOf, mixInto, shareOf, tableOf } from '../pixels.ts'

/** Points of an "ironbow" palette, dark to hot. */
const palette: readonly (readonly [number, number, number])[] = [
  [0, 0, 12],
  [38, 0, 110],
  [128, 0, 150],
  [206, 34, 96],
  [244, 108, 16],
  [255, 190, 10],
  [255, 255, 232],
]

function channelTable(channel: 0 | 1 | 2, contrast: number): Uint8ClampedArray {
  return tableOf((value) => {
    const stretched = Math.min(255, Math.max(0, (value - 128) * contrast + 128))
    const position = (stretched / 255) * (palette.length - 1)
    const index = Math.min(palette.length - 2, Math.floor(position))
    const low = palette[index]?.[channel] ?? 0
    const high = palette[index + 1]?.[channel] ?? 0
    return low + (high - low) * (position - index)
  })
}

/** Brightness in the colours of a thermal camera. */
export const thermal: EffectKind = {
  displayName: 'Thermal',
  description: 'Brightness in the colours of a heat camera.',
  category: 'stylized',
  reach: () => 0,
  render({ band, intensity }) {
    const { data } = band
    const output = new Uint8ClampedArray(data.length)
    const luma = lumaOf(band)
    const share = shareOf(intensity)
    const contrast = 1 + 0.5 * Math.max(0, intensity - 1)
    const red = channelTable(0, contrast)
    const green = channelTable(1, contrast)
    const blue = channelTable(2, contrast)
    for (let i = 0, p = 0; p < data.length; i++, p += 4) {
      const tone = Math.round(luma[i] as number)
      mixInto(output, data, p, red[tone] as number, green[tone] as number, blue[tone] as number, share)
    }
    return output
  },
}
