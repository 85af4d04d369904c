import type { Recurrence } from '@mira/shared'
import { DateTime } from 'luxon'

/** Recurrence counted from its start, so that a reminder on the 31st returns to the 31st after February. */
export type Series = Recurrence & {
  /** Time that the series counts from (ISO 8601). */
  starts_at: string
}

/** Limit of every series, since databases and date formats expect four-digit years. */
const END_OF_SERIES = Date.UTC(9000, 0, 1)
const milliseconds = { minute: 60_000, hour: 3_600_000 }

/**
 * Instant at which clocks in the time zone of `day` show this time of day. A time that a clock change skips is shifted by
 * that change; of a time that occurs twice, the first is taken.
 */
function atWallTime(day: DateTime, hour: number, minute: number): DateTime {
  const { year, month, day: dayOfMonth } = day
  const time = DateTime.fromObject({ year, month, day: dayOfMonth, hour, minute }, { zone: day.zone })
  return DateTime.min(time, ...time.getPossibleOffsets())
}

/** Begins a series at its first occurrence at or after a time; null when it has none. */
export function beginSeries(
  recurrence: Recurrence,
  timeZone: string,
  notBefore: Date,
): { series: Series; first: Date } | null {
  const { unit, time } = recurrence
  const isAbsolute = unit === 'minute' || unit === 'hour'
  const notBeforeInZone = DateTime.fromJSDate(notBefore, { zone: timeZone })
  // Without a stated time of day, that of `notBefore` is used, without seconds.
  const from = isAbsolute || time !== undefined ? notBeforeInZone : notBeforeInZone.startOf('minute')
  const [hour = 0, minute = 0] = time?.split(':').map(Number) ?? [from.hour, from.minute]
  const start = isAbsolute ? from : atWallTime(from, hour, minute)
  const series: Series = {
    ...recurrence,
    ...(isAbsolute ? {} : { time: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}` }),
    starts_at: start.toUTC().toISO() ?? '',
  }
  const first = nextOccurrence(series, timeZone, new Date(from.toMillis() - 1))
  if (first === null) return null
  // When the time of day has already passed, the series starts on the next day, and its months are counted from there, too.
  if (unit === 'week' || isAbsolute || start >= from) return { series, first }
  const nextDayStart = atWallTime(from.plus({ days: 1 }), hour, minute)
  return { series: { ...series, starts_at: nextDayStart.toUTC().toISO() ?? '' }, first: nextDayStart.toJSDate() }
}

/**
 * Moves a series to a new due time `to` of the occurrence due at `from`. On the same day, only the time of day changes, so that
 * the series keeps its days. On another day, it begins there; a single weekday follows. Without `from`, it always begins there.
 * @returns null when it has no occurrence, `other_weekday` when it has several weekdays and the new day isn't one of them
 */
export function moveSeries(
  { starts_at, time: _time, ...recurrence }: Series,
  timeZone: string,
  { from, to }: { from: Date | null; to: Date },
): { series: Series; first: Date } | 'other_weekday' | null {
  const { unit, weekdays = [] } = recurrence
  const newDue = DateTime.fromJSDate(to, { zone: timeZone }).startOf('minute')
  const isSameDay = from !== null && newDue.hasSame(DateTime.fromJSDate(from, { zone: timeZone }), 'day')
  if (unit === 'minute' || unit === 'hour' || !isSameDay) {
    if (weekdays.length > 1 && !weekdays.includes(newDue.weekday)) return 'other_weekday'
    const newWeekdays = weekdays.length === 1 ? { weekdays: [newDue.weekday] } : {}
    return beginSeries({ ...recurrence, ...newWeekdays }, timeZone, to)
  }
  const start = atWallTime(DateTime.fromISO(starts_at, { zone: timeZone }), newDue.hour, newDue.minute)
  const series = { ...recurrence, time: newDue.toFormat('HH:mm'), starts_at: start.toUTC().toISO() ?? '' }
  return { series, first: newDue.toJSDate() }
}

/** The first occurrence of a series after a time; null when there's none before its end. */
export function nextOccurrence(series: Series, timeZone: string, after: Date): Date | null {
  for (const time of occurrencesAround(series, timeZone, after)) {
    if (!(time.getTime() < END_OF_SERIES)) return null
    if (time > after) return time
  }
  return null
}

/** Endless sequence of occurrences, in order, starting shortly before `after`. */
function* occurrencesAround(series: Series, timeZone: string, after: Date): Generator<Date> {
  const start = DateTime.fromISO(series.starts_at, { zone: timeZone })
  const { every, unit, weekdays } = series
  if (unit === 'minute' || unit === 'hour') {
    const stepMs = every * milliseconds[unit]
    const elapsedMs = after.getTime() - start.toMillis()
    for (let step = Math.max(0, Math.floor(elapsedMs / stepMs)); ; step++)
      yield new Date(start.toMillis() + step * stepMs)
  }
  const [hour = 0, minute = 0] = series.time?.split(':').map(Number) ?? [start.hour, start.minute]
  const startDay = start.startOf('day')
  const afterDay = DateTime.fromJSDate(after, { zone: timeZone }).startOf('day')
  const units = `${unit}s` as 'days' | 'weeks' | 'months' | 'years'
  // Begins a step early, so that no occurrence is skipped.
  let step = Math.max(0, Math.floor(afterDay.diff(startDay, units).as(units) / every) - 1)
  if (unit !== 'week')
    for (; ; step++) yield atWallTime(startDay.plus({ [units]: step * every }), hour, minute).toJSDate()
  const firstWeek = startDay.startOf('week')
  const days = weekdays?.length ? [...weekdays].sort((a, b) => a - b) : [startDay.weekday]
  for (; ; step++) {
    for (const weekday of days) {
      // Days are compared by number: one with two midnights begins at a different one, depending on how it was computed.
      if (step === 0 && weekday < startDay.weekday) continue
      yield atWallTime(firstWeek.plus({ weeks: step * every, days: weekday - 1 }), hour, minute).toJSDate()
    }
  }
}
