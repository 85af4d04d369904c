import type { DeletedData, ExportTicketJson, Preferences, StorageUse, UpdatePreferences } from '@mira/shared'
import { call } from './client.ts'

/** Makes an address from which the browser loads everything that is the caller's, within five minutes. */
export async function prepareExport(): Promise<ExportTicketJson> {
  return call('POST /me/export')
}

/** Deletes everything that is the caller's, but not the account; what there was. */
export async function deleteMyData(password: string): Promise<DeletedData['deleted']> {
  const { deleted } = await call('DELETE /me/data', { json: { password } })
  return deleted
}

/** Own storage use and quota. */
export function fetchStorageUse(signal?: AbortSignal): Promise<StorageUse> {
  return call('GET /me/storage', { signal })
}

/** Preferences that apply to all of the user's devices. */
export function fetchPreferences(signal?: AbortSignal): Promise<Preferences> {
  return call('GET /me/preferences', { signal })
}

/** Changes what is given. */
export function updatePreferences(changes: UpdatePreferences): Promise<Preferences> {
  return call('PATCH /me/preferences', { json: changes, keepalive: true })
}
