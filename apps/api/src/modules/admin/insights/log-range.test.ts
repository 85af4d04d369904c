import { expect, test } from 'vitest'
import { beginOfRange } from './memory-logs.service.ts'

test.each([
  // now, zone, today, month: around changes of the clocks, short months and the date line
  ['2026-03-09T03:30:00Z', 'America/New_York', '2026-03-08T05:00:00Z', '2026-02-08T05:00:00Z'],
  ['2026-03-08T16:00:00Z', 'America/New_York', '2026-03-08T05:00:00Z', '2026-02-08T05:00:00Z'],
  ['2026-03-09T16:00:00Z', 'America/New_York', '2026-03-09T04:00:00Z', '2026-02-09T05:00:00Z'],
  ['2026-03-31T12:00:00Z', 'UTC', '2026-03-31T00:00:00Z', '2026-02-28T00:00:00Z'],
  ['2026-10-25T23:30:00Z', 'Europe/Berlin', '2026-10-25T23:00:00Z', '2026-09-25T22:00:00Z'],
  ['2026-01-15T10:30:00Z', 'Pacific/Auckland', '2026-01-14T11:00:00Z', '2025-12-14T11:00:00Z'],
  // midnight does not exist there on that day
  ['2026-09-06T12:00:00Z', 'America/Santiago', '2026-09-06T04:00:00Z', '2026-08-06T04:00:00Z'],
])('at %s in %s, today begins at %s and the month at %s', (now, zone, today, month) => {
  const at = new Date(now)
  expect(beginOfRange('today', at, zone)).toEqual(new Date(today))
  expect(beginOfRange('month', at, zone)).toEqual(new Date(month))
  expect(beginOfRange('week', at, zone)).toEqual(new Date(at.getTime() - 7 * 86_400_000))
  expect(beginOfRange('all', at, zone)).toBeNull()
})
