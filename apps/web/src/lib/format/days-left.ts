const DAY_MS = 24 * 3600 * 1000

/** Whole days until a moment, begun ones counted; 0 once it is there. */
export function daysLeft(until: string): number {
  return Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / DAY_MS))
}
