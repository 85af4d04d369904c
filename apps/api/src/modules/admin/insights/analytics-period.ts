import type { AnalyticsPeriod } from '@mira/shared'
import { DateTime, type DurationLike } from 'luxon'

/** Local time in a zone. */
interface ClockTime {
  /** Such as 2026-11-25. */
  date: string
  hour: number
  /** 0 is Monday. */
  weekday: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The first day that times are counted from was a Thursday. */
const FIRST_WEEKDAY = 3

/**
 * Makes what reads the clocks of a time zone at many moments: how far they are from UTC is looked up where a day of UTC
 * begins, and in between only when it has changed by its end, because each look takes far longer than all else.
 */
export function createZoneClock(timeZone: string): (moment: Date) => ClockTime {
  const begins = new Map<number, number>()
  const dates = new Map<number, string>()
  const offsetAt = (milliseconds: number) => DateTime.fromMillis(milliseconds, { zone: timeZone }).offset
  const offsetWhere = (day: number) => {
    const offset = begins.get(day) ?? offsetAt(day * DAY_MS)
    begins.set(day, offset)
    return offset
  }
  const dateOf = (day: number) => {
    const date = dates.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, 10)
    dates.set(day, date)
    return date
  }

  return (moment) => {
    const milliseconds = moment.getTime()
    const day = Math.floor(milliseconds / DAY_MS)
    const offset = offsetWhere(day) === offsetWhere(day + 1) ? offsetWhere(day) : offsetAt(milliseconds)
    const local = milliseconds + offset * MINUTE_MS
    const localDay = Math.floor(local / DAY_MS)
    return {
      date: dateOf(localDay),
      hour: Math.floor((local - localDay * DAY_MS) / HOUR_MS),
      weekday: (((localDay + FIRST_WEEKDAY) % 7) + 7) % 7,
    }
  }
}

/** A stretch of time between two full hours of UTC. */
export interface Range {
  from: Date
  /** Not included. */
  until: Date
}

/** A period in a time zone and what it is compared with. */
export interface PeriodRanges {
  current: Range
  /** The same stretch, one period earlier. */
  previous: Range
  /** Begins of what the line of usage has a point for: hours of the last day, else days. */
  points: DateTime[]
  pointOf(hour: Date): string
}

const daysBack: Record<Exclude<AnalyticsPeriod, 'day'>, { length: DurationLike }> = {
  week: { length: { days: 7 } },
  month: { length: { days: 30 } },
  quarter: { length: { months: 3 } },
}

/**
 * The last 24 hours are this hour and the 23 before it. Longer periods are whole days of the time zone up to today: 7, 30,
 * or since the day after this date three months ago. What a period is compared with ended at this hour one period ago, so
 * a day that has only begun is compared with as much of another.
 *
 * Hours are those of UTC. Where clocks are a quarter or half an hour off, an hour belongs to the day and the hour of the
 * clock in which it begins: in India what happens from 00:00 to 00:30 counts for 23:30 of the day before.
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
      pointOf: (hour) => nameOf(DateTime.fromJSDate(hour, { zone: timeZone })),
    }
  }
  const { length } = daysBack[period]
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const first = today.minus(length).plus({ days: 1 })
  const beforeThat = DateTime.fromJSDate(until, { zone: timeZone }).minus(length)
  const clock = createZoneClock(timeZone)
  return {
    current: { from: fullHour(first), until },
    previous: { from: fullHour(first.minus(length)), until: fullHour(beforeThat) },
    points: Array.from({ length: Math.round(today.diff(first, 'days').days) + 1 }, (_, n) => first.plus({ days: n })),
    pointOf: (hour) => clock(hour).date,
  }
}

/** The whole days of UTC in a range; none, where it ends, when there are none. */
export function wholeDaysOf({ from, until }: Range): Range {
  const first = Math.ceil(from.getTime() / DAY_MS) * DAY_MS
  const end = Math.floor(until.getTime() / DAY_MS) * DAY_MS
  return first < end ? { from: new Date(first), until: new Date(end) } : { from: until, until }
}

/** Key of an hour in the usage chart. */
export const nameOf = (hour: DateTime): string => hour.toISO({ suppressMilliseconds: true }) ?? ''

/** The first hour of UTC that begins then or later. */
function fullHour(moment: DateTime): Date {
  return new Date(Math.ceil(moment.toMillis() / HOUR_MS) * HOUR_MS)
}
