import type { EffectKind } from '../effect-kind.ts'
import { mixInto, noiseAt, opacityAt, shareOf, smoothNoiseAt, smoothstep } from '../pixels.ts'

const cellOf = (unit: number) => Math.max(6, 34 * unit)

/** Panes of glass in lead: the cells of scattered points (Voronoi; Worley, "A cellular texture basis function", 1996). */
export const stainedGlass: EffectKind = {
  displayName: 'Stained Glass',
  description: 'Panes of glowing colour, set in lead.',
  category: 'stylized',
  reach: (_, unit) => Math.ceil(cellOf(unit) * 2.6),
  render({ band, top, fullHeight, intensity, unit }) {
    const { data, width, height } = band
    const output = new Uint8ClampedArray(data.length)
    const cell = cellOf(unit)
    const share = shareOf(0.3 + 0.7 * intensity)
    const columns = Math.ceil(width / cell) + 2
    const firstRow = Math.floor(top / cell) - 1
    const rows = Math.ceil((top + height) / cell) + 1 - firstRow + 1
    const points = new Float32Array(columns * rows * 2)
    const colours = new Float32Array(columns * rows * 3)
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const k = row * columns + column
        const x = (column - 1 + 0.12 + 0.76 * noiseAt(column, row + firstRow, 111)) * cell
        const y = (row + firstRow + 0.12 + 0.76 * noiseAt(column, row + firstRow, 112)) * cell
        points[k * 2] = x
        points[k * 2 + 1] = y
        const spread = cell * 0.3
        let count = 0
        for (let dy = -2; dy <= 2; dy++) {
          for (let dx = -2; dx <= 2; dx++) {
            const sampleX = Math.min(width - 1, Math.max(0, Math.round(x + (dx * spread) / 2)))
            const sampleY = Math.min(fullHeight - 1, Math.max(0, Math.round(y + (dy * spread) / 2))) - top
            if (sampleY < 0 || sampleY >= height) continue
            const p = (sampleY * width + sampleX) * 4
            const weight = opacityAt(data, p)
            for (let channel = 0; channel < 3; channel++) {
              colours[k * 3 + channel] = (colours[k * 3 + channel] as number) + (data[p + channel] as number) * weight
            }
            count += weight
          }
        }
        const tint = 1 + (noiseAt(column, row + firstRow, 113) - 0.5) * 0.22
        for (let channel = 0; channel < 3; channel++) {
          colours[k * 3 + channel] = count > 0 ? ((colours[k * 3 + channel] as number) / count) * tint : 0
        }
      }
    }
    const lead = Math.max(0.8, 1.6 * unit) * (0.6 + 0.4 * intensity)
    const colour = 1.1 + 0.35 * intensity
    for (let y = 0; y < height; y++) {
      const absolute = top + y
      const row = Math.floor(absolute / cell) - firstRow
      for (let x = 0; x < width; x++) {
        const column = Math.floor(x / cell) + 1
        let nearest = Number.POSITIVE_INFINITY
        let second = Number.POSITIVE_INFINITY
        let pane = 0
        for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++) {
          for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c++) {
            const k = r * columns + c
            const dx = (points[k * 2] as number) - x
            const dy = (points[k * 2 + 1] as number) - absolute
            const squaredDistance = dx * dx + dy * dy
            if (squaredDistance < nearest) {
              second = nearest
              nearest = squaredDistance
              pane = k
            } else if (squaredDistance < second) second = squaredDistance
          }
        }
        const border = Math.sqrt(second) - Math.sqrt(nearest)
        const glass = smoothstep(lead, lead * 2.2, border)
        const glow = 1.16 - 0.3 * Math.min(1, Math.sqrt(nearest) / cell)
        const wave = 1 + 0.1 * (smoothNoiseAt(x / (5 * unit + 1), absolute / (9 * unit + 1), 114) - 0.5)
        const r = (colours[pane * 3] as number) * glow * wave
        const g = (colours[pane * 3 + 1] as number) * glow * wave
        const b = (colours[pane * 3 + 2] as number) * glow * wave
        const grey = 0.3 * r + 0.59 * g + 0.11 * b
        const shine = (value: number, metal: number) => metal + (grey + (value - grey) * colour - metal) * glass
        mixInto(output, data, (y * width + x) * 4, shine(r, 26), shine(g, 27), shine(b, 31), share)
      }
    }
    return output
  },
}
