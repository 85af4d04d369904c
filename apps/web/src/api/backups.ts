import type { BackupJson, BackupsResponseJson, BackupTicketJson, OffsiteTestResponse } from '@mira/shared'
import { call } from './client.ts'

/** Archives of the instance, newest first. */
export async function fetchBackups(signal?: AbortSignal): Promise<BackupsResponseJson> {
  return call('GET /admin/backups', { signal })
}

/** Has an archive of the instance made. */
export async function beginBackup(): Promise<BackupJson> {
  return call('POST /admin/backups')
}

/** Makes an address that a browser downloads an archive from, begun within a minute. */
export async function prepareBackupDownload(id: string): Promise<BackupTicketJson> {
  return call('POST /admin/backups/:id/ticket', { params: { id } })
}

/** Has a restore of an archive tried in the background. */
export async function proveBackup(id: string): Promise<void> {
  await call('POST /admin/backups/:id/proof', { params: { id } })
}

/** Deletes an archive. */
export async function deleteBackup(id: string): Promise<void> {
  await call('DELETE /admin/backups/:id', { params: { id } })
}

/** Opens an address as the next off-site copy would. */
export async function testOffsite(address: string): Promise<OffsiteTestResponse> {
  return call('POST /admin/backups/offsite/test', { json: { address }, timeoutMs: OFFSITE_TEST_TIMEOUT_MS })
}

const OFFSITE_TEST_TIMEOUT_MS = 60_000
