import { path } from '@mira/client/path'
import type {
  ImproveFilter,
  ImproveResponse,
  LibraryJson,
  LibraryQuery,
  ManyMediaChanges,
  MediaArchiveJson,
  MediaChanges,
  MediaDetailJson,
  MediaItemJson,
  MediaStats,
  PaperPreview,
  ProcessingStepName,
} from '@mira/shared'
import { apiUrl, call, requestJson } from './client.ts'
import { takeEarlyAnswer } from './early-answers.ts'

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

/** The user's own totals. */
export async function fetchMediaStats(signal?: AbortSignal): Promise<MediaStats> {
  return call('GET /media/stats', { signal })
}

/** The user's own tags, the most used first. */
export async function fetchMediaTags(signal?: AbortSignal): Promise<{ tag: string; count: number }[]> {
  const { tags } = await call('GET /media/tags', { signal })
  return tags
}

/** An item with all that was found in it. */
export async function fetchMediaItem(id: string, signal?: AbortSignal): Promise<MediaDetailJson> {
  return call('GET /media/:id', { params: { id }, signal })
}

/** Preview of a document that browsers can't display. */
export async function fetchPaper(id: string, signal?: AbortSignal): Promise<PaperPreview> {
  return requestJson(path`/media/${id}/preview`, { signal })
}

/** Keeps what is given as the person's own; null takes a correction back. */
export async function changeMediaItem(id: string, changes: MediaChanges): Promise<MediaItemJson> {
  return call('PATCH /media/:id', { params: { id }, json: changes })
}

/** Does steps of an item again, or all of them. */
export async function reprocessMediaItem(id: string, steps?: readonly ProcessingStepName[]): Promise<void> {
  await call('POST /media/:id/reprocess', { params: { id }, json: { steps } })
}

/** Does everything again of the items that a filter lets through, in the background. */
export async function improveMedia(filter: ImproveFilter): Promise<ImproveResponse> {
  return call('POST /media/reprocess', { json: { filter } })
}

/** Progress of the background reprocessing. */
export async function fetchImprovement(signal?: AbortSignal): Promise<ImproveResponse> {
  return call('GET /media/reprocess', { signal })
}

/** Makes an address that the browser loads the files of items from, as one archive. */
export async function prepareArchive(ids: readonly string[]): Promise<MediaArchiveJson> {
  return call('POST /media/archive', { json: { ids } })
}

/** Moves items to the trash. */
export async function trashMediaItems(ids: readonly string[]): Promise<void> {
  await inParts(ids, (part) => call('POST /media/trash', { json: { ids: part } }))
}

/** Takes items out of the trash as they were. */
export async function restoreMediaItems(ids: readonly string[]): Promise<void> {
  await inParts(ids, (part) => call('POST /media/restore', { json: { ids: part } }))
}

/** Deletes items for good, in the trash or not, with everything made of them. */
export async function deleteMediaItems(ids: readonly string[]): Promise<void> {
  await inParts(ids, (part) => call('POST /media/delete', { json: { ids: part } }))
}

/** Gives tags to items and takes others from them. */
export async function changeMediaTags(
  ids: readonly string[],
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<void> {
  await inParts(ids, (part) => call('POST /media/tags', { json: { ids: part, add, remove } }))
}

/** Corrects items: when and where they were taken. */
export async function changeMediaItems(ids: readonly string[], changes: Omit<ManyMediaChanges, 'ids'>): Promise<void> {
  await inParts(ids, (part) => call('POST /media/changes', { json: { ids: part, ...changes } }))
}

async function inParts(ids: readonly string[], call: (ids: readonly string[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_IDS) await call(ids.slice(at, at + MAX_IDS))
}
