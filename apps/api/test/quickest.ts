/**
 * The least time that work took of five tries, in milliseconds: a machine that stops for a while spoils one of them, not
 * all, and work that is slow by itself is slow each time.
 */
export async function quickestMs(work: () => unknown): Promise<number> {
  return quickestOf(async () => {
    const begin = performance.now()
    await work()
    return performance.now() - begin
  })
}

/** The least of what the tries measured of themselves, in milliseconds; fewer than five for what takes seconds. */
export async function quickestOf(measure: () => Promise<number>, tries = 5): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries; n++) quickest = Math.min(quickest, await measure())
  return quickest
}
