import { blurLuma, blurReach } from '../blurring.ts'
import type { EffectKind } from '../effect-kind.ts'
import { mixInto, noiseAt, shareOf, smoothstep } from '../pixels.ts'

const cellOf = (unit: number) => Math.max(2, 2.7 * unit)

/**
 * Ink dots whose number follows the darkness: one candidate in each cell of a fine grid, moved randomly (jittered
 * sampling, Cook 1986), drawn where the picture is darker than the candidate's threshold. Nearby thresholds differ
 * (the R2 sequence, Roberts 2018), so that dots keep their distance as if drawn by hand.
 */
export const stippling: EffectKind = {
  displayName: 'Stippling',
  description: 'A drawing of thousands of ink dots.',
  category: 'artistic',
  reach: (_, unit) => blurReach(cellOf(unit) / 2) + Math.ceil(cellOf(unit) * 2) + 1,
  render({ band, top, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const cell = cellOf(unit)
    const smooth = blurLuma(band, cell / 2)
    const share = shareOf(0.3 + 0.7 * intensity)
    const ink = new Float32Array(width * height)
    const max = Math.ceil((top + height) / cell)
    for (let row = Math.floor(top / cell) - 1; row <= max; row++) {
      for (let column = -1; column <= Math.ceil(width / cell); column++) {
        const x = (column + 0.15 + 0.7 * noiseAt(column, row, 91)) * cell
        const y = (row + 0.15 + 0.7 * noiseAt(column, row, 92)) * cell - top
        const index =
          Math.min(height - 1, Math.max(0, Math.round(y))) * width + Math.min(width - 1, Math.max(0, Math.round(x)))
        const dark = 1 - (smooth[index] as number) / 255
        const coverage = Math.min(1, dark ** 1.15 * (0.9 + 0.3 * intensity))
        if (coverage < 0.03 + 0.94 * thresholdOf(column, row)) continue
        stamp({ ink, width, height }, { x, y, radius: cell * (0.3 + 0.32 * dark) })
      }
    }
    for (let i = 0, p = 0; i < ink.length; i++, p += 4) {
      const value = 250 - 232 * (ink[i] as number)
      mixInto(output, data, p, value, value, value + 3, share)
    }
    return output
  },
}

function thresholdOf(column: number, row: number): number {
  const along = column * 0.7548776662466927 + row * 0.5698402909980532 + 0.12 * noiseAt(column, row, 93)
  return along - Math.floor(along)
}

interface Sheet {
  ink: Float32Array
  width: number
  height: number
}

/** Draws a dot of ink on a sheet. */
function stamp({ ink, width, height }: Sheet, { x, y, radius }: { x: number; y: number; radius: number }): void {
  const first = Math.max(0, Math.floor(y - radius - 1))
  const last = Math.min(height - 1, Math.ceil(y + radius + 1))
  const left = Math.max(0, Math.floor(x - radius - 1))
  const right = Math.min(width - 1, Math.ceil(x + radius + 1))
  for (let row = first; row <= last; row++) {
    for (let column = left; column <= right; column++) {
      const dotDistance = Math.sqrt((column - x) ** 2 + (row - y) ** 2)
      const cover = 1 - smoothstep(radius - 0.6, radius + 0.6, dotDistance)
      const i = row * width + column
      if (cover > (ink[i] as number)) ink[i] = cover
    }
  }
}
