import { ApiError, type createMira } from '@mira/client'

const INTERVAL_MS = 500
const TIMEOUT_MS = 10_000

/** Repeats a small write and records the successes, in times of `performance.now()`. */
export function probeWrites(mira: ReturnType<typeof createMira>) {
  const successes: { startedAt: number; endedAt: number }[] = []
  const pending = new Set<Promise<void>>()
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
    const attempt = write().finally(() => pending.delete(attempt))
    pending.add(attempt)
  }, INTERVAL_MS)
  return {
    /** True when a write started after this time of `performance.now()` has succeeded. */
    isServing: (since: number) => successes.some(({ startedAt }) => startedAt >= since),

    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      return successes
    },
  }
}
