import { expect, test, vi } from 'vitest'
import { TooManyRequestsError } from '../../errors.ts'
import { createAddressRateLimit } from './rate-limits.ts'

const SENTENCE = 'Too many. Try again in a minute.'

test('an address may make a limited number of calls a minute, independently of others', () => {
  let now = 60_000
  const limit = createAddressRateLimit({ maxCalls: 2, sentence: SENTENCE, now: () => now })
  limit('203.0.113.7')
  limit('203.0.113.7')
  expect(() => limit('203.0.113.7')).toThrow(TooManyRequestsError)
  limit('203.0.113.8')
  now += 60_000
  limit('203.0.113.7')
})

test('IPv6 addresses of one network count as one', () => {
  const limit = createAddressRateLimit({ maxCalls: 1, sentence: SENTENCE, now: () => 0 })
  limit('2001:db8::1')
  expect(() => limit('2001:db8::2')).toThrow(TooManyRequestsError)
})

test('calls from many other addresses within the minute do not lift a limit', () => {
  const limit = createAddressRateLimit({ maxCalls: 1, sentence: SENTENCE, now: () => 0 })
  limit('203.0.113.7')
  for (let index = 0; index < 20_000; index++) limit(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
  expect(() => limit('203.0.113.7')).toThrow(TooManyRequestsError)
})

test('setting the clock back does not prolong a limit', () => {
  vi.useFakeTimers()
  const limit = createAddressRateLimit({ maxCalls: 1, sentence: SENTENCE })
  limit('203.0.113.7')
  vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
  vi.advanceTimersByTime(60_000)
  limit('203.0.113.7')
  vi.useRealTimers()
})
