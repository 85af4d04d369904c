/**
 * Measures the fastest of five runs, in milliseconds: a pause of the machine spoils one run, not all, and slow work is slow
 * each time.
 */
export async function quickestMs(work: () => unknown): Promise<number> {
  return quickestOf(async () => {
    const begin = performance.now()
    await work()
    return performance.now() - begin
  })
}

/** Takes the minimum of several measurements, in milliseconds; use fewer than five for work that takes seconds. */
export async function quickestOf(measure: () => Promise<number>, tries = 5): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries; n++) quickest = Math.min(quickest, await measure())
  return quickest
}
