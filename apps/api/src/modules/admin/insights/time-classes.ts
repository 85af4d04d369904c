/**
 * Durations are counted in classes that grow by a constant ratio: class n holds what rounds to RATIO to the power of n
 * milliseconds. A percentile read from the counts is at most 5 % away from the exact one, however long it took.
 */
export const TIME_CLASS_RATIO = 1.1

/** SQL for the class of a column of milliseconds; what took less than one counts as one. */
export const timeClassSql = (column: string) =>
  `round(ln(greatest(${column}, 1)::float8) / ln(${TIME_CLASS_RATIO}::float8))::int`

/** Number of durations in each class. */
export type ClassCounts = ReadonlyMap<number, number>

/**
 * The duration, in milliseconds, that the given share (0 to 1) of all did not exceed, by nearest rank; null when there
 * is none.
 */
export function percentileMs(counts: ClassCounts, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const rank = Math.max(1, Math.ceil(share * total))
  let seenCount = 0
  for (const [timeClass, count] of [...counts].sort(([one], [other]) => one - other)) {
    seenCount += count
    if (seenCount >= rank) return TIME_CLASS_RATIO ** timeClass
  }
  return null
}
