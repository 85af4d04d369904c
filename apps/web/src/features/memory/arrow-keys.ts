/**
 * Moves through a grid by arrow key, by the top edges of its cells in order.
 *
 * @returns an index; -1 for above the first row; null when the key leads nowhere.
 */
export function nextByArrow(key: string, current: number, tops: readonly number[]): number | null {
  const last = tops.length - 1
  const rowOf = (at: number) => tops.indexOf(tops[at] ?? 0)
  const column = current - rowOf(current)
  if (key === 'ArrowRight') return current < last ? current + 1 : null
  if (key === 'ArrowLeft') return current > 0 ? current - 1 : null
  if (key === 'ArrowUp') {
    const above = rowOf(current) - 1
    return above < 0 ? -1 : Math.min(rowOf(above) + column, above)
  }
  if (key === 'ArrowDown') {
    const below = tops.lastIndexOf(tops[current] ?? 0) + 1
    // into the last of a shorter row
    return below > last ? null : Math.min(below + column, tops.lastIndexOf(tops[below] ?? 0))
  }
  if (key === 'Home') return current === 0 ? null : 0
  if (key === 'End') return current === last ? null : last
  if (key === 'Escape') return -1
  return null
}
