import type { Recurrence } from '@mira/shared'
import type { Text } from '../../lib/i18n.ts'

/** Recurrence of a reminder in words: "every 2 weeks (Mon, Thu), 09:00". */
export function recurrenceText(
  text: Text<'reminders'>,
  locale: string,
  { every, unit, weekdays, time }: Recurrence,
): string {
  const names = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
  // 1 January 2024 was a Monday
  const days = weekdays?.map((day) => names.format(new Date(Date.UTC(2024, 0, day)))).join(', ')
  return `${text(`every.${unit}`, { count: every })}${days ? ` (${days})` : ''}${time ? `, ${time}` : ''}`
}
