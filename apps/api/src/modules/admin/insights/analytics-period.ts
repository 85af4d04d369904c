import type { AnalyticsPeriod } from '@mira/shared'
import { DateTime, type DurationLike } from 'luxon'

/** Local time in a zone. */
interface ClockTime {
  /** ISO date, such as 2026-11-25. */
  date: string
  hour: number
  /** 0 is Monday. */
  weekday: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Weekday of 1 January 1970, a Thursday. */
const EPOCH_WEEKDAY = 3

/**
 * Converts many moments to local time. The offset is looked up at the start of each UTC day, and in between only when it
 * changes during that day, because a lookup takes far longer than everything else.
 */
export function createZoneClock(timeZone: string): (moment: Date) => ClockTime {
  const offsetsByDay = new Map<number, number>()
  const datesByDay = new Map<number, string>()
  const offsetAt = (milliseconds: number) => DateTime.fromMillis(milliseconds, { zone: timeZone }).offset
  const offsetAtStartOf = (day: number) => {
    const offset = offsetsByDay.get(day) ?? offsetAt(day * DAY_MS)
    offsetsByDay.set(day, offset)
    return offset
  }
  const dateOf = (day: number) => {
    const date = datesByDay.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, 10)
    datesByDay.set(day, date)
    return date
  }

  return (moment) => {
    const milliseconds = moment.getTime()
    const day = Math.floor(milliseconds / DAY_MS)
    const offset = offsetAtStartOf(day) === offsetAtStartOf(day + 1) ? offsetAtStartOf(day) : offsetAt(milliseconds)
    const local = milliseconds + offset * MINUTE_MS
    const localDay = Math.floor(local / DAY_MS)
    return {
      date: dateOf(localDay),
      hour: Math.floor((local - localDay * DAY_MS) / HOUR_MS),
      weekday: (((localDay + EPOCH_WEEKDAY) % 7) + 7) % 7,
    }
  }
}

/** Time between two full UTC hours. */
export interface Range {
  from: Date
  /** Exclusive. */
  until: Date
}

/** A period in a time zone, and the period that it's compared with. */
export interface PeriodRanges {
  current: Range
  /** The same length of time, one period earlier. */
  previous: Range
  /** Starts of the hours (for `day`) or days that are points of the usage chart. */
  points: DateTime[]
  pointOf(hour: Date): string
}

const periodLengths: Record<Exclude<AnalyticsPeriod, 'day'>, { length: DurationLike }> = {
  week: { length: { days: 7 } },
  month: { length: { days: 30 } },
  quarter: { length: { months: 3 } },
}

/**
 * Ranges of an analytics period and of the period before it. A `day` is this hour and the 23 before it. Longer periods are
 * whole days of the time zone up to today: 7 days, 30 days, or all days after this date three months ago. The previous period
 * ends at this hour one period ago, so that the incomplete day of today is compared with the same part of another day.
 *
 * Hours are UTC hours. In zones offset by a quarter or half an hour, a UTC hour belongs to the local day and hour in which it
 * begins: in India, activity from 00:00 to 00:30 counts for 23:30 of the day before.
 */
export function rangesOf(period: AnalyticsPeriod, timeZone: string, now: Date): PeriodRanges {
  const thisHour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)
  const until = new Date(thisHour.getTime() + HOUR_MS)
  if (period === 'day') {
    const from = new Date(until.getTime() - DAY_MS)
    const points = Array.from({ length: 24 }, (_, n) =>
      DateTime.fromMillis(from.getTime() + n * HOUR_MS, { zone: timeZone }),
    )
    return {
      current: { from, until },
      previous: { from: new Date(from.getTime() - DAY_MS), until: from },
      points,
      pointOf: (hour) => hourKeyOf(DateTime.fromJSDate(hour, { zone: timeZone })),
    }
  }
  const { length } = periodLengths[period]
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const first = today.minus(length).plus({ days: 1 })
  const previousUntil = DateTime.fromJSDate(until, { zone: timeZone }).minus(length)
  const clock = createZoneClock(timeZone)
  return {
    current: { from: fullHour(first), until },
    previous: { from: fullHour(first.minus(length)), until: fullHour(previousUntil) },
    points: Array.from({ length: Math.round(today.diff(first, 'days').days) + 1 }, (_, n) => first.plus({ days: n })),
    pointOf: (hour) => clock(hour).date,
  }
}

/** The whole UTC days within a range. When there are none, an empty range at the end of the given range. */
export function wholeDaysOf({ from, until }: Range): Range {
  const first = Math.ceil(from.getTime() / DAY_MS) * DAY_MS
  const end = Math.floor(until.getTime() / DAY_MS) * DAY_MS
  return first < end ? { from: new Date(first), until: new Date(end) } : { from: until, until }
}

/** Key of an hour in the usage chart. */
export const hourKeyOf = (hour: DateTime): string => hour.toISO({ suppressMilliseconds: true }) ?? ''

/** First UTC hour that begins at or after a moment. */
function fullHour(moment: DateTime): Date {
  return new Date(Math.ceil(moment.toMillis() / HOUR_MS) * HOUR_MS)
}
