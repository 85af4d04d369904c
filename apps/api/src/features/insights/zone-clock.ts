import { DateTime } from 'luxon'

/** What the clocks of a time zone show. */
export interface ClockTime {
  /** Such as 2026-11-25. */
  date: string
  hour: number
  /** 0 is Monday. */
  weekday: number
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/**
 * Makes what reads the clocks of a time zone at many moments: how far they are from UTC is looked up where a day of UTC
 * begins, and in between only when it has changed by its end, because each look takes far longer than all else.
 */
export function createZoneClock(timeZone: string): (moment: Date) => ClockTime {
  const begins = new Map<number, number>()
  const offsetAt = (milliseconds: number) => DateTime.fromMillis(milliseconds, { zone: timeZone }).offset
  const offsetWhere = (day: number) => {
    const offset = begins.get(day) ?? offsetAt(day * DAY_MS)
    begins.set(day, offset)
    return offset
  }

  return (moment) => {
    const milliseconds = moment.getTime()
    const day = Math.floor(milliseconds / DAY_MS)
    const offset = offsetWhere(day) === offsetWhere(day + 1) ? offsetWhere(day) : offsetAt(milliseconds)
    const local = new Date(milliseconds + offset * MINUTE_MS)
    return {
      date: local.toISOString().slice(0, 10),
      hour: local.getUTCHours(),
      weekday: (local.getUTCDay() + 6) % 7,
    }
  }
}
