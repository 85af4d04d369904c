import type { EffectKind } from '../effect-kind.ts'
import { mixInto } from '../pixels.ts'

/** Factor that dims the result of the matrix, which turns white into a red of 1.35. */
const DIMMING = 0.8

/** The sepia matrix of the W3C Filter Effects specification, dimmed so that highlights don't clip; browner above intensity 1. */
export const sepia: EffectKind = {
  displayName: 'Sepia',
  description: 'The warm brown of an old photograph.',
  category: 'filter',
  reach: () => 0,
  render({ band: { data }, intensity }) {
    const output = new Uint8ClampedArray(data.length)
    const share = Math.min(1, intensity)
    const more = Math.max(0, intensity - 1)
    const redGain = 1 - 0.07 * more
    const greenGain = 1 - 0.17 * more
    const blueGain = 1 - 0.22 * more
    for (let p = 0; p < data.length; p += 4) {
      const r = data[p] as number
      const g = data[p + 1] as number
      const b = data[p + 2] as number
      mixInto(
        output,
        data,
        p,
        (0.393 * r + 0.769 * g + 0.189 * b) * DIMMING * redGain,
        (0.349 * r + 0.686 * g + 0.168 * b) * DIMMING * greenGain,
        (0.272 * r + 0.534 * g + 0.131 * b) * DIMMING * blueGain,
        share,
      )
    }
    return output
  },
}
