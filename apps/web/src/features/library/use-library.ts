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
  MAX_REFETCHED_PAGES,
  statsQuery,
  tagsQuery,
} from './library-queries.ts'

type LibraryData = InfiniteData<GridPage, string | null>

/** Time for which changes are collected before refetching. */
const UPDATE_DELAY_MS = 800
const MAX_REFETCHED_ITEMS = 20

/**
 * Keeps the library up to date without moving what the user is looking at: refetches short lists, and changed items of
 * long ones. New items aren't inserted into a long list; `isOutdated` lets the user refresh it.
 */
function useLiveLibrary(queryKey: readonly unknown[]): { isOutdated: boolean; refresh: () => void } {
  const queryClient = useQueryClient()
  const [outdatedKey, setOutdatedKey] = useState<readonly unknown[] | null>(null)
  const changedIds = useRef(new Set<string>())
  const hasMissedEvents = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const changeCached = (ids: ReadonlySet<string>, change: (item: GridItem) => GridItem | null) => {
    queryClient.setQueriesData<LibraryData>({ queryKey: libraryKey }, (data) => {
      if (!data) return data
      const pages = changeItems(data.pages, ids, change)
      return pages === data.pages ? data : { ...data, pages }
    })
  }

  const update = async () => {
    const ids = new Set(changedIds.current)
    changedIds.current.clear()
    const hasMissed = hasMissedEvents.current
    hasMissedEvents.current = false
    void queryClient.invalidateQueries({ queryKey: statsQuery.queryKey })
    void queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey })
    // Lists that aren't shown are refetched when they're shown again.
    await queryClient.invalidateQueries({ queryKey: libraryKey, refetchType: 'none' })
    const data = queryClient.getQueryData<LibraryData>(queryKey)
    if (!data || data.pages.length <= MAX_REFETCHED_PAGES) {
      await queryClient.invalidateQueries({ queryKey, exact: true })
      return
    }
    const idsInList = new Set(data.pages.flatMap((page) => page.items.map(({ id }) => id)))
    const listedIds = [...ids].filter((id) => idsInList.has(id))
    if (hasMissed || listedIds.length < ids.size || listedIds.length > MAX_REFETCHED_ITEMS) setOutdatedKey(queryKey)
    for (const id of listedIds.slice(0, MAX_REFETCHED_ITEMS)) {
      const item = await call('GET /media/:id', { params: { id } }).then(toGridItem, (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      })
      changeCached(new Set([id]), () => item)
    }
  }

  const updateSoon = () => {
    // Throttled, not debounced: while a hundred files are processed, changes never pause.
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      update().catch((error) => console.error('Failed to update the library', error))
    }, UPDATE_DELAY_MS)
  }

  useUserEvents((event) => {
    if (event.type === 'events.resumed') {
      hasMissedEvents.current = true
      updateSoon()
    } else if (event.type === 'media.updated') {
      if (event.deleted) changeCached(new Set(event.ids), () => null)
      for (const id of event.ids) {
        if (event.deleted) changedIds.current.delete(id)
        else changedIds.current.add(id)
      }
      updateSoon()
    } else if (event.type === 'media.done' || event.type === 'media.failed') {
      changedIds.current.add(event.id)
      updateSoon()
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

/** Age from which a failed picture causes a refetch: signed URLs expire at the end of the day. */
const OLD_LIST_MS = 10 * 60_000

/** The fetched part of the library, kept up to date. */
export function useLibrary(filters: LibraryFilters) {
  const queryClient = useQueryClient()
  const options = libraryQuery(filters)
  const key = JSON.stringify(options.queryKey)
  const query = useInfiniteQuery(options)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key stands for another list, an equal key for the same list
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
