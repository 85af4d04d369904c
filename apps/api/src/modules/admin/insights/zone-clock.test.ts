import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { createZoneClock } from './analytics-period.ts'

const HOUR_MS = 3_600_000

/** Clocks that change by an hour and by half of one, that are off by quarters, and the zone that left a whole day out. */
const years = [
  ['America/New_York', 2025],
  ['Europe/Berlin', 2025],
  ['Australia/Lord_Howe', 2025],
  ['Asia/Kathmandu', 2025],
  ['America/St_Johns', 2025],
  ['Pacific/Apia', 2011],
  ['UTC', 2025],
] as const

test.each(years)('every hour of a year is read as its clocks show it: %s', (timeZone, year) => {
  const clock = createZoneClock(timeZone)
  const from = Date.UTC(year, 0, 1)
  const hours = Array.from({ length: 365 * 24 }, (_, hour) => new Date(from + hour * HOUR_MS))
  const localHours = hours.map((hour) => DateTime.fromJSDate(hour, { zone: timeZone }))
  expect(hours.map(clock)).toEqual(
    localHours.map((local) => ({ date: local.toISODate(), hour: local.hour, weekday: local.weekday - 1 })),
  )
})
