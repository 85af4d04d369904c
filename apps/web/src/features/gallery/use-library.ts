import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'
import { useHiddenIds } from './deletion.ts'
import type { LibraryFilters } from './library-filters.ts'
import { uniqueItems } from './library-items.ts'
import { libraryQuery } from './library-queries.ts'
import { useLiveLibrary } from './use-live-library.ts'

/** Signed addresses end with the day: that pictures of an old list fail is a reason to ask again. */
const OLD_LIST_MS = 10 * 60_000

/** The part of the library that is fetched, kept up to date, without what is being deleted. */
export function useLibrary(filters: LibraryFilters) {
  const queryClient = useQueryClient()
  const options = libraryQuery(filters)
  const key = JSON.stringify(options.queryKey)
  const query = useInfiniteQuery(options)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is another list, an equal one is the same
  const queryKey = useMemo(() => options.queryKey, [key])
  const live = useLiveLibrary(queryKey)
  const hiddenIds = useHiddenIds()
  const pages = query.data?.pages
  const items = useMemo(() => uniqueItems(pages ?? [], hiddenIds), [pages, hiddenIds])

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

  const hiddenHere = (pages ?? []).reduce(
    (count, page) => count + page.items.filter(({ id }) => hiddenIds.has(id)).length,
    0,
  )
  return {
    query,
    items,
    total: Math.max(items.length, (pages?.at(-1)?.total ?? 0) - hiddenHere),
    onNearEnd,
    onPictureFailed,
    ...live,
  }
}
