import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import type { LibraryFilters } from './library-filters.ts'
import { uniqueItems } from './library-items.ts'
import { libraryQuery } from './library-queries.ts'
import { useLiveLibrary } from './use-live-library.ts'

/** Signed addresses end with the day: that pictures of an old list fail is a reason to ask again. */
const OLD_LIST_MS = 10 * 60_000

/** The part of the library that is fetched, kept up to date. */
export function useLibrary(filters: LibraryFilters) {
  const queryClient = useQueryClient()
  const options = libraryQuery(filters)
  const key = JSON.stringify(options.queryKey)
  const query = useInfiniteQuery(options)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is another list, an equal one is the same
  const queryKey = useMemo(() => options.queryKey, [key])
  const live = useLiveLibrary(queryKey)
  const pages = query.data?.pages
  const items = useMemo(() => uniqueItems(pages ?? []), [pages])

  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query
  const onNearEnd = useCallback(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])

  const fetchedAt = useRef(0)
  fetchedAt.current = query.dataUpdatedAt
  const onPictureFailed = useCallback(() => {
    if (Date.now() - fetchedAt.current < OLD_LIST_MS) return
    fetchedAt.current = Date.now()
    void queryClient.invalidateQueries({ queryKey })
  }, [queryClient, queryKey])

  return {
    query,
    items,
    total: Math.max(items.length, pages?.at(-1)?.total ?? 0),
    onNearEnd,
    onPictureFailed,
    ...live,
  }
}
