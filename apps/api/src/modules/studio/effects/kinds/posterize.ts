import type { EffectKind } from '../effect-kind.ts'
import { tableOf, throughTables } from '../pixels.ts'

/** Fewer levels for each channel: from 60 at the lowest intensity to 3 at the highest. */
export const posterize: EffectKind = {
  displayName: 'Posterize',
  description: 'Flat areas of few colours, as on a screen print.',
  category: 'stylized',
  reach: () => 0,
  render({ band, intensity }) {
    // 6 levels at intensity 1, 3 at 2; fractional levels are interpolated, so that the slider is smooth.
    const levels = Math.max(3, 6 / intensity)
    const few = Math.floor(levels)
    const rest = levels - few
    const step = (value: number, count: number) =>
      (Math.min(count - 1, Math.floor((value / 256) * count)) * 255) / (count - 1)
    const table = tableOf((value) => step(value, few) * (1 - rest) + step(value, few + 1) * rest)
    return throughTables(band, table, table, table)
  },
}
