import { DateTime } from 'luxon'

/** Local time in a zone. */
export interface ClockTime {
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
