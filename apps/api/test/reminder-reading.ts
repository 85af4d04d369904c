import type { Language } from '@mira/shared'
import { DateTime } from 'luxon'
import { readReminderTime } from '../src/offline/requests/reminder-times.ts'

/** Language, sentence without its command, and expected result of `readReminder`. */
export type ReminderRow = [Language, string, string]

export const zone = 'Europe/Madrid'
/** A Wednesday. */
const now = DateTime.fromISO('2026-05-06T10:00', { zone }).toJSDate()
const local = (date: Date) => DateTime.fromJSDate(date, { zone }).toFormat("yyyy-MM-dd'T'HH:mm")

/** Parsed time and remaining text, in one line. */
export function readReminder(sentence: string, language: Language, at = now): string {
  const { time, rest } = readReminderTime(sentence, { language, timeZone: zone, now: at })
  const text = rest.replace(/\s+/g, ' ').trim()
  switch (time.kind) {
    case 'at':
      return `${local(time.at)} ${text}`
    case 'recurring': {
      const { every, unit, weekdays, time: clock } = time.recurrence
      const days = weekdays ? ` on ${weekdays.join()}` : ''
      return `every ${every} ${unit}${days}${clock ? ` ${clock}` : ''} from ${local(time.from)} ${text}`
    }
    case 'no_time':
      return time.hasDay ? 'a day without a time' : 'no time'
    case 'skipped':
      return `skipped until ${time.later.toFormat('HH:mm')}`
    case 'past':
      return 'past'
  }
}
