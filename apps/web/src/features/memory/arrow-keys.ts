/**
 * Where an arrow leads in a grid of things whose upper edges are given in their order.
 *
 * @returns an index; -1 for above the first row; null when the key leads nowhere.
 */
export function nextByArrow(key: string, current: number, tops: readonly number[]): number | null {
  const last = tops.length - 1
  const perRow = Math.max(1, tops.filter((top) => top === tops[0]).length)
  if (key === 'ArrowRight') return current < last ? current + 1 : null
  if (key === 'ArrowLeft') return current > 0 ? current - 1 : null
  if (key === 'ArrowUp') return current >= perRow ? current - perRow : -1
  if (key === 'ArrowDown') {
    if (current + perRow <= last) return current + perRow
    // From a full row into a shorter last one.
    return tops[current] !== tops[last] ? last : null
  }
  if (key === 'Home') return current === 0 ? null : 0
  if (key === 'End') return current === last ? null : last
  if (key === 'Escape') return -1
  return null
}
