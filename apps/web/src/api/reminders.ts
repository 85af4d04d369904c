import { path } from '@mira/client/path'
import type { ReminderJson, RemindersResponseJson, UpdateReminderJson } from '@mira/shared'
import { request, requestJson } from './client.ts'

const PAGE_SIZE = 50

/** A page of the person's active reminders, the next one first. */
export function fetchReminders(cursor: string | null, signal?: AbortSignal): Promise<RemindersResponseJson> {
  return requestJson('/reminders', { signal, query: { limit: PAGE_SIZE, cursor } })
}

/** Changes what is given. */
export function updateReminder(id: string, changes: UpdateReminderJson): Promise<ReminderJson> {
  return requestJson(path`/reminders/${id}`, { method: 'PATCH', json: changes })
}

/** Deletes one, with all its times when it recurs. */
export async function deleteReminder(id: string): Promise<void> {
  await request(path`/reminders/${id}`, { method: 'DELETE' })
}

/** Has it told again some minutes from now. */
export function snoozeReminder(id: string, minutes: number): Promise<ReminderJson> {
  return requestJson(path`/reminders/${id}/snooze`, { method: 'POST', json: { minutes } })
}

/** Ends one; one that recurs goes on to its next time. */
export function completeReminder(id: string): Promise<ReminderJson> {
  return requestJson(path`/reminders/${id}/complete`, { method: 'POST' })
}
