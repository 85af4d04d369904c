import type { NotificationsResponseJson, NotificationsShownResponseJson } from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 20

/** A page of what is behind the person's bell, newest first. */
export function fetchNotifications(
  { cursor = null, unread = false }: { cursor?: string | null; unread?: boolean },
  signal?: AbortSignal,
): Promise<NotificationsResponseJson> {
  return call('GET /notifications', { signal, query: { limit: PAGE_SIZE, cursor, unread } })
}

/** Claims what no device of the person has shown by itself yet: of one reminder, or all. */
export function claimShown(subjectId?: string): Promise<NotificationsShownResponseJson> {
  const json = subjectId === undefined ? {} : { subject_id: subjectId }
  return call('POST /notifications/shown', { json })
}

/** Marks these as read, or all. */
export async function markNotificationsRead(ids?: string[]): Promise<void> {
  await call('POST /notifications/read', { json: ids === undefined ? {} : { ids } })
}
