import type { ProcessingStatus } from '@mira/shared'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError, call } from '../../lib/api/client.ts'
import { useUserEvents } from '../../lib/loading/event-stream.ts'
import { changeItems, type GridItem, type GridPage, toGridItem, uniqueItems } from './library-items.ts'
import {
  type LibraryFilters,
  libraryKey,
  libraryQuery,
  MAX_PAGES_AGAIN,
  statsQuery,
  tagsQuery,
} from './library-queries.ts'

type LibraryData = InfiniteData<GridPage, string | null>

/** Several changes soon after each other are answered together. */
const SETTLE_MS = 800
const MAX_ITEMS_AGAIN = 20

/**
 * Keeps the shown library as it is on the server, without moving what is looked at: short lists are fetched again,
 * in long ones the changed items are. What is new in a long one is not squeezed in: `isOutdated` offers it.
 */
function useLiveLibrary(queryKey: readonly unknown[]): { isOutdated: boolean; refresh: () => void } {
  const queryClient = useQueryClient()
  const [outdatedKey, setOutdatedKey] = useState<readonly unknown[] | null>(null)
  const changedIds = useRef(new Set<string>())
  const hasMissedSome = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const changeCached = (ids: ReadonlySet<string>, change: (item: GridItem) => GridItem | null) => {
    queryClient.setQueriesData<LibraryData>({ queryKey: libraryKey }, (data) => {
      if (!data) return data
      const pages = changeItems(data.pages, ids, change)
      return pages === data.pages ? data : { ...data, pages }
    })
  }

  const settle = async () => {
    const ids = new Set(changedIds.current)
    changedIds.current.clear()
    const hasMissed = hasMissedSome.current
    hasMissedSome.current = false
    void queryClient.invalidateQueries({ queryKey: statsQuery.queryKey })
    void queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey })
    // Lists that are not shown are fetched again when they are.
    await queryClient.invalidateQueries({ queryKey: libraryKey, refetchType: 'none' })
    const data = queryClient.getQueryData<LibraryData>(queryKey)
    if (!data || data.pages.length <= MAX_PAGES_AGAIN) {
      await queryClient.invalidateQueries({ queryKey, exact: true })
      return
    }
    const listed = new Set(data.pages.flatMap((page) => page.items.map(({ id }) => id)))
    const listedIds = [...ids].filter((id) => listed.has(id))
    if (hasMissed || listedIds.length < ids.size || listedIds.length > MAX_ITEMS_AGAIN) setOutdatedKey(queryKey)
    for (const id of listedIds.slice(0, MAX_ITEMS_AGAIN)) {
      const item = await call('GET /media/:id', { params: { id } }).then(toGridItem, (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      })
      changeCached(new Set([id]), () => item)
    }
  }

  const settleSoon = () => {
    // Not put off by each change: while a hundred files are processed there is always another one.
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      settle().catch((error) => console.error('The library could not be brought up to date', error))
    }, SETTLE_MS)
  }

  useUserEvents((event) => {
    if (event.type === 'events.resumed') {
      hasMissedSome.current = true
      settleSoon()
    } else if (event.type === 'media.updated') {
      if (event.deleted) changeCached(new Set(event.ids), () => null)
      for (const id of event.ids) {
        if (event.deleted) changedIds.current.delete(id)
        else changedIds.current.add(id)
      }
      settleSoon()
    } else if (event.type === 'media.done' || event.type === 'media.failed') {
      changedIds.current.add(event.id)
      settleSoon()
    } else if (event.type === 'media.progress') {
      changeCached(new Set([event.id]), (item) => withStatus(item, 'processing'))
    }
  })

  return {
    isOutdated: outdatedKey === queryKey,
    refresh: () => {
      setOutdatedKey(null)
      void queryClient.resetQueries({ queryKey, exact: true })
    },
  }
}

function withStatus(item: GridItem, status: ProcessingStatus): GridItem {
  return item.status === status ? item : { ...item, status }
}

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
