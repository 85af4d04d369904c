import type { Recurrence } from '@mira/shared'
import { DateTime } from 'luxon'

/** Recurrence counted from its first time: a reminder on the 31st returns to the 31st after February. */
export type Series = Recurrence & {
  /** ISO 8601. */
  starts_at: string
}

/** Longer ago than this, occurrences are counted from here on; a limit for series that nobody can mean. */
const MAX_STEPS = 100_000
const YEAR_OF_NO_RETURN = 9000
const milliseconds = { minute: 60_000, hour: 3_600_000 }

/**
 * The moment at which clocks of a zone show a time of a day. A time that a change of clocks leaves out is as much later as
 * the change is; one that it repeats is the first of the two.
 */
export function atWallTime(day: DateTime, hour: number, minute: number): DateTime {
  const { year, month, day: dayOfMonth } = day
  const found = DateTime.fromObject({ year, month, day: dayOfMonth, hour, minute }, { zone: day.zone })
  return DateTime.min(found, ...found.getPossibleOffsets())
}

/** Begins a series at the first of its occurrences that is not before a time. */
export function beginSeries(
  recurrence: Recurrence,
  timeZone: string,
  notBefore: Date,
): { series: Series; first: Date } {
  const { unit, time } = recurrence
  const isAbsolute = unit === 'minute' || unit === 'hour'
  const exactly = DateTime.fromJSDate(notBefore, { zone: timeZone })
  // a time of day has no seconds
  const from = isAbsolute || time !== undefined ? exactly : exactly.startOf('minute')
  const [hour = 0, minute = 0] = time?.split(':').map(Number) ?? [from.hour, from.minute]
  const start = isAbsolute ? from : atWallTime(from, hour, minute)
  const whole: Series = {
    ...recurrence,
    ...(isAbsolute ? {} : { time: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}` }),
    starts_at: start.toUTC().toISO() ?? '',
  }
  const first = nextOccurrence(whole, timeZone, new Date(from.toMillis() - 1))
  // the day after, when the time of this day is over: a series of months begins there as well
  if (unit === 'week' || isAbsolute || start >= from) return { series: whole, first }
  const later = atWallTime(from.plus({ days: 1 }), hour, minute)
  return { series: { ...whole, starts_at: later.toUTC().toISO() ?? '' }, first: later.toJSDate() }
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
  // one step before what is surely too early
  let step = Math.max(0, Math.floor(afterDay.diff(startDay, units).as(units) / every) - 1)
  for (let tries = 0; tries < MAX_STEPS; tries++, step++) {
    const day = startDay.plus({ [units]: step * every })
    if (day.year > YEAR_OF_NO_RETURN) break
    const at = atWallTime(day, hour, minute).toJSDate()
    if (at > after) return at
  }
  throw new RangeError('This series has no next occurrence.')
}

function nextWeekday(
  { every, weekdays }: Series,
  at: { startDay: DateTime; afterDay: DateTime; hour: number; minute: number; after: Date },
): Date {
  const { startDay, afterDay, hour, minute, after } = at
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
