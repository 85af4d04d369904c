const LOWEST = 0.03

/** Brings levels of 0 to 1 to as many bars, each the loudest of its part; the loudest of all fills its height. */
export function waveBars(levels: readonly number[], count: number): number[] {
  const loudest = Math.max(...levels.map((level) => (Number.isFinite(level) ? level : 0)), 0)
  return Array.from({ length: count }, (_, bar) => {
    const from = Math.floor((bar * levels.length) / count)
    const to = Math.max(from + 1, Math.floor(((bar + 1) * levels.length) / count))
    let level = 0
    for (let at = from; at < to; at += 1) level = Math.max(level, levels[at] ?? 0)
    return loudest === 0 ? LOWEST : Math.max(LOWEST, Math.min(1, level / loudest))
  })
}
