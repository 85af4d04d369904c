import { expect, test, vi } from 'vitest'
import { TooManyRequestsError } from '../../errors.ts'
import { createAddressRateLimit } from './rate-limits.ts'

const SENTENCE = 'Too many. Try again in a minute.'

test('an address may make so many calls a minute, and others are not kept waiting by it', () => {
  let now = 60_000
  const limit = createAddressRateLimit({ maxCalls: 2, sentence: SENTENCE, now: () => now })
  limit('203.0.113.7')
  limit('203.0.113.7')
  expect(() => limit('203.0.113.7')).toThrow(TooManyRequestsError)
  limit('203.0.113.8')
  now += 60_000
  limit('203.0.113.7')
})

test('one connection with many IPv6 addresses counts as one', () => {
  const limit = createAddressRateLimit({ maxCalls: 1, sentence: SENTENCE, now: () => 0 })
  limit('2001:db8::1')
  expect(() => limit('2001:db8::2')).toThrow(TooManyRequestsError)
})

test('what many other addresses do within the minute gives nobody more calls', () => {
  const limit = createAddressRateLimit({ maxCalls: 1, sentence: SENTENCE, now: () => 0 })
  limit('203.0.113.7')
  for (let index = 0; index < 20_000; index++) limit(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
  expect(() => limit('203.0.113.7')).toThrow(TooManyRequestsError)
})

test('a clock that is set back keeps nobody waiting', () => {
  vi.useFakeTimers()
  const limit = createAddressRateLimit({ maxCalls: 1, sentence: SENTENCE })
  limit('203.0.113.7')
  vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
  vi.advanceTimersByTime(60_000)
  limit('203.0.113.7')
  vi.useRealTimers()
})
