import type { LogRange } from '@mira/shared'
import { DateTime } from 'luxon'

/** The moment at which a range of the memory logs begins for a person in this IANA zone; null for "all". */
export function beginOfRange(range: LogRange | 'all', now: Date, timeZone: string): Date | null {
  const here = DateTime.fromJSDate(now, { zone: timeZone })
  switch (range) {
    case 'all':
      return null
    case 'today':
      return here.startOf('day').toJSDate()
    case 'week':
      // seven times 24 hours, also where the clocks were changed meanwhile
      return DateTime.fromJSDate(now).toUTC().minus({ days: 7 }).toJSDate()
    case 'month':
      // in a month without that day, its last one
      return here.minus({ months: 1 }).startOf('day').toJSDate()
  }
}
