import { path } from '@mira/client/path'
import type {
  NewWatchedFolderJson,
  WatchedFilesResponseJson,
  WatchedFolderJson,
  WatchedFoldersResponseJson,
} from '@mira/shared'
import { request, requestJson } from './client.ts'

/** The watched folders, and below which folder they may be. */
export function fetchWatchedFolders(signal?: AbortSignal): Promise<WatchedFoldersResponseJson> {
  return requestJson('/admin/watched-folders', { signal })
}

/** Watches a folder for a person. */
export function addWatchedFolder(folder: NewWatchedFolderJson): Promise<WatchedFolderJson> {
  return requestJson('/admin/watched-folders', { method: 'POST', json: folder })
}

/** Turns a folder on or off. */
export function turnWatchedFolder(id: string, enabled: boolean): Promise<WatchedFolderJson> {
  return requestJson(path`/admin/watched-folders/${id}`, { method: 'PATCH', json: { enabled } })
}

/** Watches a folder no longer; what was copied in stays. */
export async function removeWatchedFolder(id: string): Promise<void> {
  await request(path`/admin/watched-folders/${id}`, { method: 'DELETE' })
}

/** Has a folder looked through now. */
export function scanWatchedFolder(id: string): Promise<WatchedFolderJson> {
  return requestJson(path`/admin/watched-folders/${id}/scan`, { method: 'POST' })
}

/** Files of a folder that could not be copied in, or are gone there. */
export function fetchWatchedFiles(
  id: string,
  state: 'failed' | 'gone',
  signal?: AbortSignal,
): Promise<WatchedFilesResponseJson> {
  return requestJson(path`/admin/watched-folders/${id}/files`, { signal, query: { state, limit: 50 } })
}
