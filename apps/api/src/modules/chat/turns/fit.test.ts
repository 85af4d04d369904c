import { expect, test } from 'vitest'
import { dayIn } from './fit.ts'

test('returns the day in the time zone', () => {
  const moment = new Date('2026-11-20T23:30:00Z')
  expect(dayIn('UTC', moment)).toBe('Friday, November 20, 2026')
  expect(dayIn('Asia/Tokyo', moment)).toBe('Saturday, November 21, 2026')
  expect(dayIn('UTC', moment)).toBe('Friday, November 20, 2026')
})
