import type { EffectKind } from '../effect-kind.ts'
import { lightOf, tableOf, throughTables, toValue } from '../pixels.ts'

/** Shifts the white point (von Kries). @param gains of red, green and blue light at intensity 1. */
function shiftWhitePoint(gains: [number, number, number]): Pick<EffectKind, 'reach' | 'render'> {
  return {
    reach: () => 0,
    render({ band, intensity }) {
      const table = (gain: number) => tableOf((value) => toValue((lightOf[value] as number) * gain ** intensity))
      return throughTables(band, table(gains[0]), table(gains[1]), table(gains[2]))
    },
  }
}

/** As under a lower sun: about 1 500 kelvin warmer. */
export const warm: EffectKind = {
  displayName: 'Warm',
  description: 'Golden light, as before sunset.',
  category: 'filter',
  ...shiftWhitePoint([1.2, 1.01, 0.7]),
}

/** As under an overcast sky. */
export const cool: EffectKind = {
  displayName: 'Cool',
  description: 'Clear blue light, as on a winter morning.',
  category: 'filter',
  ...shiftWhitePoint([0.78, 0.98, 1.24]),
}
