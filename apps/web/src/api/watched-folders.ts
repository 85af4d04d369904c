import type {
  NewWatchedFolderJson,
  WatchedFilesResponseJson,
  WatchedFolderJson,
  WatchedFoldersResponseJson,
} from '@mira/shared'
import { call } from './client.ts'

/** The watched folders, and below which folder they may be. */
export function fetchWatchedFolders(signal?: AbortSignal): Promise<WatchedFoldersResponseJson> {
  return call('GET /admin/watched-folders', { signal })
}

/** Watches a folder for a person. */
export function addWatchedFolder(folder: NewWatchedFolderJson): Promise<WatchedFolderJson> {
  return call('POST /admin/watched-folders', { json: folder })
}

/** Turns a folder on or off. */
export function turnWatchedFolder(id: string, enabled: boolean): Promise<WatchedFolderJson> {
  return call('PATCH /admin/watched-folders/:id', { params: { id }, json: { enabled } })
}

/** Watches a folder no longer; what was copied in stays. */
export async function removeWatchedFolder(id: string): Promise<void> {
  await call('DELETE /admin/watched-folders/:id', { params: { id } })
}

/** Has a folder looked through now. */
export function scanWatchedFolder(id: string): Promise<WatchedFolderJson> {
  return call('POST /admin/watched-folders/:id/scan', { params: { id } })
}

/** Files of a folder that could not be copied in, or are gone there. */
export function fetchWatchedFiles(
  id: string,
  state: 'failed' | 'gone',
  signal?: AbortSignal,
): Promise<WatchedFilesResponseJson> {
  return call('GET /admin/watched-folders/:id/files', { params: { id }, signal, query: { state, limit: 50 } })
}
