import type { ReminderJson, RemindersResponseJson, UpdateReminderJson } from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 50

/** A page of the person's active reminders, the next one first. */
export function fetchReminders(cursor: string | null, signal?: AbortSignal): Promise<RemindersResponseJson> {
  return call('GET /reminders', { signal, query: { limit: PAGE_SIZE, cursor } })
}

/** Changes what is given. */
export function updateReminder(id: string, changes: UpdateReminderJson): Promise<ReminderJson> {
  return call('PATCH /reminders/:id', { params: { id }, json: changes })
}

/** Deletes one, with all its times when it recurs. */
export async function deleteReminder(id: string): Promise<void> {
  await call('DELETE /reminders/:id', { params: { id } })
}

/** Has it told again some minutes from now. */
export function snoozeReminder(id: string, minutes: number): Promise<ReminderJson> {
  return call('POST /reminders/:id/snooze', { params: { id }, json: { minutes } })
}

/** Ends one; one that recurs goes on to its next time. */
export function completeReminder(id: string): Promise<ReminderJson> {
  return call('POST /reminders/:id/complete', { params: { id } })
}
