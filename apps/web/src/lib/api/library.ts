import { path } from '@mira/client/path'
import type { DocumentPreview, LibraryJson, LibraryQuery, ManyMediaChanges, MediaItemJson } from '@mira/shared'
import { forgetNoteDrafts } from '../session/unsent-work.ts'
import { apiUrl, call, callForResponse, requestJson, takeEarlyResponse } from './client.ts'

/** A saved page; `isKnown` is true when its URL was saved before. */
export interface SavedPage {
  item: MediaItemJson
  isKnown: boolean
}

/** Longer than the server waits for the page. */
const TIMEOUT_MS = 45_000

/** Saves a web page; `again` refetches one that was saved before. */
export async function savePage(url: string, { again = false } = {}): Promise<SavedPage> {
  const response = await callForResponse('POST /pages', { json: { url, again, wait: 0 }, timeoutMs: TIMEOUT_MS })
  return { item: (await response.json()) as MediaItemJson, isKnown: response.status === 200 }
}

/** Maximum number of ids in one call. */
const MAX_IDS = 1000

/** Filters and cursor for a page of the library. */
export type LibraryPageQuery = Partial<Omit<LibraryQuery, 'cursor'>> & { cursor: string | null }

/** A page of the user's library, searched, filtered and sorted by the server. */
export async function fetchLibrary(query: LibraryPageQuery, signal?: AbortSignal): Promise<LibraryJson> {
  return call('GET /media/library', { signal, query: libraryParameters(query) })
}

/** A page of the library, if it was requested while the app was loading; null otherwise. */
export async function takeEarlyLibrary(query: LibraryPageQuery): Promise<LibraryJson | null> {
  return takeEarlyResponse(apiUrl('/media/library', libraryParameters(query)))
}

const libraryParameters = (query: LibraryPageQuery) => ({ ...query, query: query.query || null })

/** Preview of a document that browsers can't display. */
export async function fetchDocumentPreview(id: string, signal?: AbortSignal): Promise<DocumentPreview> {
  return requestJson(path`/media/${id}/preview`, { signal })
}

/** Moves items to the trash. */
export async function trashMediaItems(ids: readonly string[]): Promise<void> {
  await inParts(ids, (part) => call('POST /media/trash', { json: { ids: part } }))
}

/** Restores items from the trash. */
export async function restoreMediaItems(ids: readonly string[]): Promise<void> {
  await inParts(ids, (part) => call('POST /media/restore', { json: { ids: part } }))
}

/** Permanently deletes items and everything made from them; with `place`, only items in the trash. */
export async function deleteMediaItems(ids: readonly string[], place?: 'trash'): Promise<void> {
  await inParts(ids, (part) => call('POST /media/delete', { json: { ids: part, in: place } }))
  forgetNoteDrafts(ids)
}

/** Adds and removes tags of items. */
export async function changeMediaTags(
  ids: readonly string[],
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<void> {
  await inParts(ids, (part) => call('POST /media/tags', { json: { ids: part, add, remove } }))
}

/** Corrects the time and place of items. @returns the number of items that changed. */
export async function changeMediaItems(
  ids: readonly string[],
  changes: Omit<ManyMediaChanges, 'ids'>,
): Promise<number> {
  let count = 0
  await inParts(ids, async (part) => {
    count += (await call('POST /media/changes', { json: { ids: part, ...changes } })).changed
  })
  return count
}

/** Splits a list into parts that fit in one call, and makes the calls one after another. */
export async function inParts<Item>(
  all: readonly Item[],
  call: (part: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < all.length; start += MAX_IDS) await call(all.slice(start, start + MAX_IDS))
}
