import type { Recurrence } from '@mira/shared'
import { DateTime } from 'luxon'

/** Recurrence counted from its first time: a reminder on the 31st returns to the 31st after February. */
export type Series = Recurrence & {
  /** ISO 8601. */
  starts_at: string
}

/** Bound for absurd series. */
const MAX_STEPS = 100_000
const YEAR_OF_NO_RETURN = 9000
const milliseconds = { minute: 60_000, hour: 3_600_000 }

/**
 * Time at which clocks of a zone show this time of day. A time that a clock change skips is moved by the change; of a
 * repeated one it's the first.
 */
export function atWallTime(day: DateTime, hour: number, minute: number): DateTime {
  const { year, month, day: dayOfMonth } = day
  const time = DateTime.fromObject({ year, month, day: dayOfMonth, hour, minute }, { zone: day.zone })
  return DateTime.min(time, ...time.getPossibleOffsets())
}

/** Begins a series at its first occurrence at or after a time. */
export function beginSeries(
  recurrence: Recurrence,
  timeZone: string,
  notBefore: Date,
): { series: Series; first: Date } {
  const { unit, time } = recurrence
  const isAbsolute = unit === 'minute' || unit === 'hour'
  const exactly = DateTime.fromJSDate(notBefore, { zone: timeZone })
  // A time of day has no seconds.
  const from = isAbsolute || time !== undefined ? exactly : exactly.startOf('minute')
  const [hour = 0, minute = 0] = time?.split(':').map(Number) ?? [from.hour, from.minute]
  const start = isAbsolute ? from : atWallTime(from, hour, minute)
  const series: Series = {
    ...recurrence,
    ...(isAbsolute ? {} : { time: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}` }),
    starts_at: start.toUTC().toISO() ?? '',
  }
  const first = nextOccurrence(series, timeZone, new Date(from.toMillis() - 1))
  // The next day when this day's time is over: a series of months begins there too.
  if (unit === 'week' || isAbsolute || start >= from) return { series, first }
  const later = atWallTime(from.plus({ days: 1 }), hour, minute)
  return { series: { ...series, starts_at: later.toUTC().toISO() ?? '' }, first: later.toJSDate() }
}

/** The first occurrence of a series after a time. */
export function nextOccurrence(series: Series, timeZone: string, after: Date): Date {
  const start = DateTime.fromISO(series.starts_at, { zone: timeZone })
  const { every, unit } = series
  if (unit === 'minute' || unit === 'hour') {
    const stepMs = every * milliseconds[unit]
    const steps = Math.max(0, Math.floor((after.getTime() - start.toMillis()) / stepMs) + 1)
    return new Date(start.toMillis() + steps * stepMs)
  }
  const [hour = 0, minute = 0] = series.time?.split(':').map(Number) ?? [start.hour, start.minute]
  const startDay = start.startOf('day')
  const afterDay = DateTime.fromJSDate(after, { zone: timeZone }).startOf('day')
  if (unit === 'week') return nextWeekday(series, { startDay, afterDay, hour, minute, after })
  const units = `${unit}s` as 'days' | 'months' | 'years'
  // One step earlier than any candidate.
  let step = Math.max(0, Math.floor(afterDay.diff(startDay, units).as(units) / every) - 1)
  for (let tries = 0; tries < MAX_STEPS; tries++, step++) {
    const day = startDay.plus({ [units]: step * every })
    if (day.year > YEAR_OF_NO_RETURN) break
    const time = atWallTime(day, hour, minute).toJSDate()
    if (time > after) return time
  }
  throw new RangeError('This series has no next occurrence.')
}

function nextWeekday(
  { every, weekdays }: Series,
  {
    startDay,
    afterDay,
    hour,
    minute,
    after,
  }: { startDay: DateTime; afterDay: DateTime; hour: number; minute: number; after: Date },
): Date {
  const days = [...(weekdays ?? [startDay.weekday])].sort((a, b) => a - b)
  const firstWeek = startDay.startOf('week')
  let week = Math.max(0, Math.floor(afterDay.startOf('week').diff(firstWeek, 'weeks').weeks / every) * every)
  for (;;) {
    for (const weekday of days) {
      const day = firstWeek.plus({ weeks: week, days: weekday - 1 })
      const time = atWallTime(day, hour, minute).toJSDate()
      if (day >= startDay && time > after) return time
    }
    week += every
  }
}
