import { path } from '@mira/client/path'
import type { BackupJson, BackupsResponseJson, BackupTicketJson, OffsiteTestResponse } from '@mira/shared'
import { request, requestJson } from './client.ts'

/** Archives of the instance, newest first. */
export async function fetchBackups(signal?: AbortSignal): Promise<BackupsResponseJson> {
  return requestJson('/admin/backups', { signal })
}

/** Has an archive of the instance made. */
export async function beginBackup(): Promise<BackupJson> {
  return requestJson('/admin/backups', { method: 'POST' })
}

/** Makes an address that a browser downloads an archive from, begun within a minute. */
export async function prepareBackupDownload(id: string): Promise<BackupTicketJson> {
  return requestJson(path`/admin/backups/${id}/ticket`, { method: 'POST' })
}

/** Has a restore of an archive tried in the background. */
export async function proveBackup(id: string): Promise<void> {
  await request(path`/admin/backups/${id}/proof`, { method: 'POST' })
}

/** Deletes an archive. */
export async function deleteBackup(id: string): Promise<void> {
  await request(path`/admin/backups/${id}`, { method: 'DELETE' })
}

/** Opens an address as the next off-site copy would. */
export async function testOffsite(address: string): Promise<OffsiteTestResponse> {
  return requestJson('/admin/backups/offsite/test', {
    method: 'POST',
    json: { address },
    timeoutMs: OFFSITE_TEST_TIMEOUT_MS,
  })
}

const OFFSITE_TEST_TIMEOUT_MS = 60_000
