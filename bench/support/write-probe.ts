import { ApiError, type createMira } from '@mira/client'

const EVERY_MS = 500
const TIMEOUT_MS = 10_000

/** Writes something small again and again; the successes by the clock of `performance.now()`. */
export function probeWrites(mira: ReturnType<typeof createMira>) {
  const successes: { startedAt: number; endedAt: number }[] = []
  const open = new Set<Promise<void>>()
  let isLight = false
  const write = async () => {
    const startedAt = performance.now()
    isLight = !isLight
    try {
      const json = { theme: isLight ? 'light' : 'dark' } as const
      await mira.call('PATCH /me/preferences', { json, signal: AbortSignal.timeout(TIMEOUT_MS) })
      successes.push({ startedAt, endedAt: performance.now() })
    } catch (error) {
      const isRefused = error instanceof ApiError || (error instanceof Error && error.name === 'TimeoutError')
      if (!isRefused) throw error
    }
  }
  const timer = setInterval(() => {
    const one = write().finally(() => open.delete(one))
    open.add(one)
  }, EVERY_MS)
  return {
    /** True when one that began after this time of `performance.now()` has succeeded. */
    isServing: (since: number) => successes.some(({ startedAt }) => startedAt >= since),

    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      return successes
    },
  }
}
