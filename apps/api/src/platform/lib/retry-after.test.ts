import { afterEach, expect, test, vi } from 'vitest'
import { retryAfterMsOf } from './retry-after.ts'

afterEach(() => {
  vi.useRealTimers()
})

test.each([
  ['90', 90_000],
  ['0', 0],
  ['Mon, 30 Nov 2026 12:01:30 GMT', 90_000],
  ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
  ['later', null],
  ['', null],
  [undefined, null],
])('reads the delay of Retry-After: %s', (header, delayMs) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-30T12:00:00Z') })
  expect(retryAfterMsOf(header)).toBe(delayMs)
})
