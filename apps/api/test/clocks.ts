import { vi } from 'vitest'

/** Advances the monotonic clock, and sets the time of day back by two hours. */
export function setClockBack(passedMs: number): void {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + passedMs)
  vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
}

export function resetClocks(): void {
  vi.restoreAllMocks()
  vi.useRealTimers()
}
