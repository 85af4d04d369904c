import { useMemo } from 'react'
import { useFormat } from '../../../lib/format/format.ts'
import { useLocale } from '../../../lib/i18n/i18n.ts'

/** Translated names of hours, weekdays and points of the usage chart. */
export interface Names {
  /** Names an hour, 0 to 23: "3 PM". */
  hour: (hour: number) => string
  /** Names a weekday, 0 (Monday) to 6. */
  weekday: (day: number, style?: 'long' | 'short') => string
  /** Names a day (2026-11-20) or an hour with its offset. */
  point: (date: string) => string
}

export function useNames(): Names {
  const locale = useLocale()
  const format = useFormat()
  return useMemo(() => {
    const hours = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', hour: 'numeric' })
    const days = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'short', day: 'numeric' })
    const weekdays = {
      long: new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long' }),
      short: new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'short' }),
    }
    return {
      hour: (hour) => hours.format(Date.UTC(2024, 0, 1, hour)),
      // the first of January 2024 was a Monday
      weekday: (day, style = 'long') => weekdays[style].format(Date.UTC(2024, 0, 1 + day)),
      point: (date) => (date.length > 10 ? format.time(date) : days.format(new Date(`${date}T00:00:00Z`))),
    }
  }, [locale, format])
}
