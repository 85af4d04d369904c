import type { MediaType, SearchResponseJson } from '@mira/shared'
import { call } from './client.ts'

/** A search in all of the user's uploads. */
export interface MemorySearch {
  query: string
  limit: number
  includeFrames: boolean
  /** All types when there is none. */
  mediaTypes: readonly MediaType[]
  /** ISO 8601. */
  from?: string
  to?: string
  /** Phrases of the query that are words to look for, whatever time or kind they seem to name. */
  literal: readonly string[]
  /** True to match words as typed. */
  isExact: boolean
}

/** Searches the user's media in plain words. */
export async function searchMemory(search: MemorySearch, signal?: AbortSignal): Promise<SearchResponseJson> {
  return call('GET /media/search', {
    signal,
    query: {
      query: search.query,
      limit: search.limit,
      include_frames: search.includeFrames,
      media_types: search.mediaTypes,
      from: search.from,
      to: search.to,
      literal: search.literal,
      ...(search.isExact && { exact: true }),
    },
  })
}

/** Tells the server which result of a search was opened. */
export async function reportOpened(searchId: string, resultId: string): Promise<void> {
  await call('POST /memory/opened', { json: { search_id: searchId, result_id: resultId } })
}
