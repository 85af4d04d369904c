/** Bounds of the five bands of the heatmap; each band has the shade of its place. */
const bounds = [0.2, 0.4, 0.6, 0.8]

/** The shades from quiet to busy. */
export const shades = ['bg-accent/8', 'bg-accent/25', 'bg-accent/45', 'bg-accent/70', 'bg-accent'] as const

/** The shade of an intensity from 0 to 1. */
export function shadeOf(intensity: number): (typeof shades)[number] {
  const band = bounds.findIndex((bound) => intensity < bound)
  return shades[band] ?? shades[4]
}

/** Cell that an arrow key, Home or End moves to, as an index into 7 rows of 24; null for other keys. */
export function nextCell(cell: number, key: string): number | null {
  const [day, hour] = [Math.floor(cell / 24), cell % 24]
  switch (key) {
    case 'ArrowLeft':
      return day * 24 + Math.max(0, hour - 1)
    case 'ArrowRight':
      return day * 24 + Math.min(23, hour + 1)
    case 'ArrowUp':
      return Math.max(0, day - 1) * 24 + hour
    case 'ArrowDown':
      return Math.min(6, day + 1) * 24 + hour
    case 'Home':
      return day * 24
    case 'End':
      return day * 24 + 23
    default:
      return null
  }
}
