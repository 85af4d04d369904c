import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { createZoneClock } from './analytics-period.ts'

const HOUR_MS = 3_600_000

/** Zones that change by an hour or half an hour, with offsets in quarter hours, and one that skipped a whole day. */
const years = [
  ['America/New_York', 2025],
  ['Europe/Berlin', 2025],
  ['Australia/Lord_Howe', 2025],
  ['Asia/Kathmandu', 2025],
  ['America/St_Johns', 2025],
  ['Pacific/Apia', 2011],
  ['UTC', 2025],
] as const

test.each(years)('gives the local date, hour and weekday of every hour of a year: %s', (timeZone, year) => {
  const clock = createZoneClock(timeZone)
  const from = Date.UTC(year, 0, 1)
  const hours = Array.from({ length: 365 * 24 }, (_, hour) => new Date(from + hour * HOUR_MS))
  const localHours = hours.map((hour) => DateTime.fromJSDate(hour, { zone: timeZone }))
  expect(hours.map(clock)).toEqual(
    localHours.map((local) => ({ date: local.toISODate(), hour: local.hour, weekday: local.weekday - 1 })),
  )
})
