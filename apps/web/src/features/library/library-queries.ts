import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query'
import { call } from '../../lib/api/client.ts'
import { fetchLibrary, takeEarlyLibrary } from '../../lib/api/library.ts'
import type { LibraryFilters } from './library-filters.ts'
import { type GridPage, toLibraryPage } from './library-items.ts'

const PAGE_SIZE = 100
/** So long after the first list changes are surely heard of. */
const EVENTS_FOLLOWED_MS = 3_000

/** The beginning of the keys of all lists of items. */
export const libraryKey = ['gallery', 'library']

/** The library, part by part as one scrolls. What changes in it is told by events, so nothing is fetched again by itself. */
export function libraryQuery({ query, type, tag, status, sort }: LibraryFilters) {
  return infiniteQueryOptions({
    queryKey: [...libraryKey, query.trim(), type, tag, status, sort],
    queryFn: async ({ pageParam, signal, client, queryKey }): Promise<GridPage> => {
      const request = {
        query: query.trim(),
        media_type: type ?? undefined,
        tag: tag ?? undefined,
        status: status ?? undefined,
        sort,
        // before-first-paint.js asks for the same before the app runs
        limit: PAGE_SIZE,
        cursor: pageParam,
      }
      const early = await takeEarlyLibrary(request)
      if (early !== null) setTimeout(() => askAgain(client, queryKey), EVENTS_FOLLOWED_MS)
      return toLibraryPage(early ?? (await fetchLibrary(request, signal)))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** Asks again for a list that was asked for before anybody heard of changes; not for one that was scrolled on, all parts of which would come. */
function askAgain(client: QueryClient, queryKey: QueryKey): void {
  const list = client.getQueryState<InfiniteData<GridPage>>(queryKey)
  // a part that is just being fetched would be given up and asked for again
  const isIdle = list?.fetchStatus === 'idle'
  if (isIdle && list.data?.pages.length === 1) void client.invalidateQueries({ queryKey, exact: true })
}

/** The user's own totals. */
export const statsQuery = queryOptions({
  queryKey: ['gallery', 'stats'],
  queryFn: ({ signal }) => call('GET /media/stats', { signal }),
})

/** The user's own tags. */
export const tagsQuery = queryOptions({
  queryKey: ['gallery', 'tags'],
  queryFn: ({ signal }) => call('GET /media/tags', { signal }).then(({ tags }) => tags),
})

/** An item with all that was found in it. */
export function itemQuery(id: string) {
  return queryOptions({
    queryKey: ['gallery', 'item', id],
    queryFn: ({ signal }) => call('GET /media/:id', { params: { id }, signal }),
  })
}
