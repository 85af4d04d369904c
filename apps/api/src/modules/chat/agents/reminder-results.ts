import type { Language, Recurrence, Reminder, RemindersData } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { escapeMarkdown } from '../../../offline/requests/reading.ts'
import { localeOf, textsIn } from '../../../platform/messages/texts.ts'
import type { AgentContext, AgentResult } from './agent-kind.ts'

const MINUTE_MS = 60_000
const SUMMARY_CHARACTERS = 120

/** Due time in its time zone, remaining time, and recurrence, in the caller's language. */
export function whenOf({ due_at, recurrence, time_zone: timeZone }: Reminder, { language, now }: AgentContext): string {
  const format = new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone,
  })
  const place = (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')
  const minutes = Math.round((due_at.getTime() - now.getTime()) / MINUTE_MS)
  const duration = [minutes >= 60 && `${Math.floor(minutes / 60)} h`, minutes % 60 > 0 && `${minutes % 60} min`]
  const isSoon = minutes > 0 && minutes < 24 * 60
  const remainingTime = isSoon
    ? `, ${textsIn('reminders', language)('until', { length: duration.filter(Boolean).join(' ') })}`
    : ''
  return `${format.format(due_at)} ${place}${remainingTime}${recurrence ? `, ${recurrenceText(recurrence, language)}` : ''}`
}

/** A recurrence as text: "every 2 weeks (Mon, Thu), 09:00". */
function recurrenceText({ every, unit, weekdays, time }: Recurrence, language: Language): string {
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  // 1 January 2024 was a Monday.
  const days = weekdays?.map((day) => names.format(new Date(Date.UTC(2024, 0, day)))).join(', ')
  const text = textsIn('reminders', language)(`every.${unit}`, { count: every })
  return `${text}${days ? ` (${days})` : ''}${time ? `, ${time}` : ''}`
}

export function reminderLines(reminders: Reminder[], caller: AgentContext): string {
  return reminders.map((reminder) => `- **${escapeMarkdown(reminder.text)}** – ${whenOf(reminder, caller)}`).join('\n')
}

export function remindersResult(
  action: RemindersData['action'],
  reminders: Reminder[],
  output: string,
  { language }: AgentContext,
  summary = output.replace(/\*\*|\\/g, ''),
): AgentResult {
  return {
    output,
    summary: cutText(summary, SUMMARY_CHARACTERS),
    data: {
      kind: 'reminders',
      action,
      reminders: reminders.map(({ id, text, due_at, time_zone, recurrence, state }) => ({
        id,
        text,
        state,
        time_zone,
        due_at: due_at.toISOString(),
        recurrence: recurrence && recurrenceText(recurrence, language),
      })),
    },
  }
}
