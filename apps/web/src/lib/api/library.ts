import { path } from '@mira/client/path'
import type { LibraryJson, LibraryQuery, ManyMediaChanges, MediaItemJson, PaperPreview } from '@mira/shared'
import { forgetNoteDrafts } from '../session/unsent-work.ts'
import { apiUrl, call, callForResponse, requestJson, takeEarlyAnswer } from './client.ts'

/** Saved page; `isKnown` when its URL was saved before. */
export interface KeptPage {
  item: MediaItemJson
  isKnown: boolean
}

/** Longer than the server waits for the page. */
const TIMEOUT_MS = 45_000

/** Keeps the page at an address; `again` fetches one that was kept before. */
export async function keepPage(url: string, { again = false } = {}): Promise<KeptPage> {
  const response = await callForResponse('POST /pages', { json: { url, again, wait: 0 }, timeoutMs: TIMEOUT_MS })
  return { item: (await response.json()) as MediaItemJson, isKnown: response.status === 200 }
}

/** The most ids that one call about several items takes. */
const MAX_IDS = 1000

/** Filters and cursor for a page of the library. */
export type LibraryPageQuery = Partial<Omit<LibraryQuery, 'cursor'>> & { cursor: string | null }

/** A page of the user's library, searched, filtered and sorted by the server. */
export async function fetchLibrary(query: LibraryPageQuery, signal?: AbortSignal): Promise<LibraryJson> {
  return call('GET /media/library', { signal, query: libraryParameters(query) })
}

/** The same page, if it was requested while the app was loading; null otherwise. */
export async function takeEarlyLibrary(query: LibraryPageQuery): Promise<LibraryJson | null> {
  return takeEarlyAnswer(apiUrl('/media/library', libraryParameters(query)))
}

const libraryParameters = (query: LibraryPageQuery) => ({ ...query, query: query.query || null })

/** Preview of a document that browsers can't display. */
export async function fetchPaper(id: string, signal?: AbortSignal): Promise<PaperPreview> {
  return requestJson(path`/media/${id}/preview`, { signal })
}

/** Moves items to the trash. */
export async function trashMediaItems(ids: readonly string[]): Promise<void> {
  await inParts(ids, (part) => call('POST /media/trash', { json: { ids: part } }))
}

/** Takes items out of the trash as they were. */
export async function restoreMediaItems(ids: readonly string[]): Promise<void> {
  await inParts(ids, (part) => call('POST /media/restore', { json: { ids: part } }))
}

/** Deletes items for good, in the trash or not, or there alone, with everything made of them. */
export async function deleteMediaItems(ids: readonly string[], place?: 'trash'): Promise<void> {
  await inParts(ids, (part) => call('POST /media/delete', { json: { ids: part, in: place } }))
  forgetNoteDrafts(ids)
}

/** Gives tags to items and takes others from them. */
export async function changeMediaTags(
  ids: readonly string[],
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<void> {
  await inParts(ids, (part) => call('POST /media/tags', { json: { ids: part, add, remove } }))
}

/** Corrects items: when and where they were taken. @returns the number of items that weren't like that before. */
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

/** Calls for as many of these as one call takes, one call after the other. */
export async function inParts<One>(
  all: readonly One[],
  call: (part: readonly One[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < all.length; at += MAX_IDS) await call(all.slice(at, at + MAX_IDS))
}
