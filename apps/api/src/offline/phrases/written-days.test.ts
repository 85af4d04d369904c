import { expect, test } from 'vitest'
import { type DaySpan, fitOfWrittenDays, withEarlierYears } from './written-days.ts'

const march: DaySpan = { first: '2025-03-01', last: '2025-03-31', isYearly: false }
const anyMarch: DaySpan = { first: '2026-03-01', last: '2026-03-31', isYearly: true }

test.each([
  'Message from Ana, 2025-03-04 18:20:00',
  '2025/3/4',
  'am 4.3.2025',
  '03/14/2025',
  'on March 4th, 2025',
  '4 March 2025',
  'the invoice of March 2025',
  'el 4 de marzo de 2025',
  'le 4 mars 2025',
  'am 4. März 2025',
  '2025年3月4日',
  'from 2025-02-27 to 2025-03-02',
])('a text with a day within the span fits it: %s', (text) => {
  expect(fitOfWrittenDays(text, [march])).toBe(1)
})

test.each(['Message from Ana, 2025-04-04 18:20:00', 'on 4 March 2024', 'am 3.4.2025', 'from 2025-02 to 2025-05'])(
  'a text with other days doesn’t fit: %s',
  (text) => {
    expect(fitOfWrittenDays(text, [march])).toBe(0)
  },
)

test.each(['Nothing of any day', 'it may rain', 'call 0170 2025 0304', 'IMG_20250304_101500', 'the march past'])(
  'a text without days has no fit: %s',
  (text) => {
    expect(fitOfWrittenDays(text, [march])).toBeNull()
  },
)

test('a yearly span partly fits other years, and a day without a year partly fits a span', () => {
  expect(fitOfWrittenDays('2025-03-04', [anyMarch])).toBeGreaterThan(0.5)
  expect(fitOfWrittenDays('2025-03-04', [anyMarch])).toBeLessThan(fitOfWrittenDays('2026-03-04', [anyMarch]) ?? 0)
  expect(fitOfWrittenDays('2025-04-04', [anyMarch])).toBe(0)
  expect(fitOfWrittenDays('until March 4th', [march])).toBeGreaterThan(0.5)
})

test('an open-ended span fits all later days, and one of several spans is enough', () => {
  expect(fitOfWrittenDays('2025-03-04', [{ first: '2025-01-01', last: null, isYearly: false }])).toBe(1)
  expect(fitOfWrittenDays('2024-03-04', [{ first: '2025-01-01', last: null, isYearly: false }])).toBe(0)
  expect(fitOfWrittenDays('2024-03-04', [march, { first: '2024-01-01', last: '2024-12-31', isYearly: false }])).toBe(1)
})

test('adds earlier years only to a yearly span', () => {
  expect(withEarlierYears(march)).toEqual([march])
  expect(withEarlierYears(anyMarch).map(({ first }) => first)).toEqual([
    '2026-03-01',
    '2025-03-01',
    '2024-03-01',
    '2023-03-01',
    '2022-03-01',
  ])
})
