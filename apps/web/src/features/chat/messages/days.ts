import { useMemo } from 'react'
import { isoDayIn } from '../../../lib/format/time-zones.ts'
import { useLocale, useText } from '../../../lib/i18n/i18n.ts'
import { useSettings } from '../../../lib/session/settings.ts'

const DAY_MS = 24 * 60 * 60_000

/** Distinguishes and names the days of a time zone. */
interface DayNames {
  /** ISO date of a moment, such as "2026-11-20". */
  keyOf: (moment: string | Date) => string
  /** "Today", "Yesterday", "Wednesday, 18 November"; in other years "18 November 2025". */
  nameOf: (moment: string | Date) => string
}

/** Names days in a locale and an IANA time zone, relative to `now`. */
export function createDayNames(
  locale: string,
  timeZone: string,
  now: Date,
  words: { today: string; yesterday: string },
): DayNames {
  const day = { timeZone, weekday: 'long', day: 'numeric', month: 'long' } as const
  const thisYear = new Intl.DateTimeFormat(locale, day)
  const otherYear = new Intl.DateTimeFormat(locale, { ...day, weekday: undefined, year: 'numeric' })
  // Cached, because a list asks for the same moments at every render.
  const keys = new Map<string, string>()
  const keyOf = (moment: string | Date) => {
    const text = typeof moment === 'string' ? moment : moment.toISOString()
    const dayKey = keys.get(text) ?? isoDayIn(moment, timeZone)
    keys.set(text, dayKey)
    return dayKey
  }
  const today = keyOf(now)
  // Calculated in UTC, where no clock change can move it to another day.
  const yesterday = new Date(Date.parse(`${today}T12:00:00Z`) - DAY_MS).toISOString().slice(0, 10)

  return {
    keyOf,
    nameOf(moment) {
      const dayKey = keyOf(moment)
      if (dayKey === today) return words.today
      if (dayKey === yesterday) return words.yesterday
      const format = dayKey.slice(0, 4) === today.slice(0, 4) ? thisYear : otherYear
      return format.format(new Date(moment))
    },
  }
}

/**
 * Groups consecutive items of the same day. Keys are unique, and stay the same when older items are added at the beginning:
 * if a day occurs in several groups, because devices' clocks differ, the groups are numbered from the end.
 */
export function groupByDay<Item>(
  items: readonly Item[],
  momentOf: (item: Item) => string,
  days: DayNames,
): { key: string; name: string; items: Item[] }[] {
  const groups: { key: string; name: string; items: Item[] }[] = []
  for (const item of items) {
    const key = days.keyOf(momentOf(item))
    const last = groups.at(-1)
    if (last?.key === key) last.items.push(item)
    else groups.push({ key, name: days.nameOf(momentOf(item)), items: [item] })
  }
  const occurrences = new Map<string, number>()
  for (const group of groups.toReversed()) {
    const count = (occurrences.get(group.key) ?? 0) + 1
    occurrences.set(group.key, count)
    if (count > 1) group.key += ` ${count}`
  }
  return groups
}

const QUARTER_HOUR_MS = 15 * 60_000

/** Day names in the user's language and time zone. */
export function useDayNames(): DayNames {
  const text = useText('chat')
  const locale = useLocale()
  const { timezone } = useSettings()
  // In all time zones, days begin at a quarter hour of UTC: "today" changes at the first render after that.
  const quarterHour = Math.floor(Date.now() / QUARTER_HOUR_MS)
  return useMemo(
    () =>
      createDayNames(locale, timezone, new Date(quarterHour * QUARTER_HOUR_MS), {
        today: text('days.today'),
        yesterday: text('days.yesterday'),
      }),
    [locale, timezone, text, quarterHour],
  )
}
