import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { fetchLibrary, fetchMediaItem, fetchMediaStats, fetchMediaTags } from '../../api/media.ts'
import type { LibraryFilters } from './library-filters.ts'
import { type GridPage, toLibraryPage } from './library-items.ts'

const PAGE_SIZE = 100

/** The beginning of the keys of all lists of items. */
export const libraryKey = ['gallery', 'library']

/** The library, part by part as one scrolls. What changes in it is told by events, so nothing is fetched again by itself. */
export function libraryQuery({ query, type, tag, status, sort }: LibraryFilters) {
  return infiniteQueryOptions({
    queryKey: [...libraryKey, query.trim(), type, tag, status, sort],
    queryFn: async ({ pageParam, signal }): Promise<GridPage> =>
      toLibraryPage(
        await fetchLibrary(
          {
            query: query.trim(),
            media_type: type ?? undefined,
            tag: tag ?? undefined,
            status: status ?? undefined,
            sort,
            limit: PAGE_SIZE,
            cursor: pageParam,
          },
          signal,
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** The user's own totals. */
export const statsQuery = queryOptions({
  queryKey: ['gallery', 'stats'],
  queryFn: ({ signal }) => fetchMediaStats(signal),
})

/** The user's own tags. */
export const tagsQuery = queryOptions({
  queryKey: ['gallery', 'tags'],
  queryFn: ({ signal }) => fetchMediaTags(signal),
})

/** An item with all that was found in it. */
export function itemQuery(id: string) {
  return queryOptions({
    queryKey: ['gallery', 'item', id],
    queryFn: ({ signal }) => fetchMediaItem(id, signal),
  })
}
