import type { BackupJson, BackupsAnswerJson } from '@mira/shared'
import { request, requestJson } from './client.ts'

/** Archives of the instance, newest first. */
export async function fetchBackups(signal?: AbortSignal): Promise<BackupsAnswerJson> {
  return requestJson('/admin/backups', { signal })
}

/** Has an archive of the instance made. */
export async function beginBackup(): Promise<BackupJson> {
  return requestJson('/admin/backups', { method: 'POST' })
}

/** Deletes an archive. */
export async function deleteBackup(id: string): Promise<void> {
  await request(`/admin/backups/${id}`, { method: 'DELETE' })
}
