/**
 * The least time that work took of five tries, in milliseconds: a machine that stops for a while spoils one of them, not
 * all, and work that is slow by itself is slow each time.
 */
export async function quickestMs(work: () => unknown): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY
  for (let n = 0; n < 5; n++) {
    const begin = performance.now()
    await work()
    quickest = Math.min(quickest, performance.now() - begin)
  }
  return quickest
}
