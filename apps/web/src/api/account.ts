import type { DeletedData, ExportTicketJson, Preferences, StorageUse, UpdatePreferences } from '@mira/shared'
import { requestJson } from './client.ts'

/** Makes an address from which the browser loads everything that is the caller's, within five minutes. */
export async function prepareExport(): Promise<ExportTicketJson> {
  return requestJson('/me/export', { method: 'POST' })
}

/** Deletes everything that is the caller's, but not the account; what there was. */
export async function deleteMyData(password: string): Promise<DeletedData['deleted']> {
  const { deleted } = await requestJson<DeletedData>('/me/data', { method: 'DELETE', json: { password } })
  return deleted
}

/** Own storage use and quota. */
export function fetchStorageUse(signal?: AbortSignal): Promise<StorageUse> {
  return requestJson('/me/storage', { signal })
}

/** Preferences that apply to all of the user's devices. */
export function fetchPreferences(signal?: AbortSignal): Promise<Preferences> {
  return requestJson('/me/preferences', { signal })
}

/** Changes what is given. */
export function updatePreferences(changes: UpdatePreferences): Promise<Preferences> {
  return requestJson('/me/preferences', { method: 'PATCH', json: changes, keepalive: true })
}
