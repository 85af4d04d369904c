/**
 * Measures the fastest of five runs, in milliseconds: a pause of the machine spoils one run, not all, and slow work is slow
 * each time.
 */
export async function fastestMs(work: () => unknown): Promise<number> {
  return fastestOf(async () => {
    const begin = performance.now()
    await work()
    return performance.now() - begin
  })
}

/** Takes the minimum of several measurements, in milliseconds; use fewer than five for work that takes seconds. */
export async function fastestOf(measure: () => Promise<number>, tries = 5): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries; n++) fastest = Math.min(fastest, await measure())
  return fastest
}

/** Measures the processor time of this thread that work takes, in milliseconds: pauses of the machine don't count. */
export async function processorMs(work: () => unknown): Promise<number> {
  const begin = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(begin)
  return (user + system) / 1000
}
