import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createReporter } from './reporter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('progress is reported twice a second, also when the clock is set back', () => {
  const report = vi.fn()
  const reporter = createReporter(report)
  reporter.report()
  vi.advanceTimersByTime(0)
  expect(report).toHaveBeenCalledTimes(1)
  vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
  reporter.report()
  vi.advanceTimersByTime(499)
  expect(report).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  expect(report).toHaveBeenCalledTimes(2)
})
