import type { MediaSort, ProcessingStatus } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { type MediaType, mediaTypes } from '@mira/shared/constants/media'
import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { fetchLibrary, takeEarlyLibrary } from '../../lib/api/library.ts'
import { type GridPage, toGridPage } from './library-items.ts'

/** Filters and order of the library. */
export interface LibraryFilters {
  /** Words to find in names, captions, texts and tags; empty for all items. */
  query: string
  /** Null for all types. */
  type: MediaType | null
  /** Null for any tags or none. */
  tag: string | null
  /** Null for all states. */
  status: ProcessingStatus | null
  sort: MediaSort
}

/** All items, the newest first. */
const defaultFilters: Readonly<LibraryFilters> = { query: '', type: null, tag: null, status: null, sort: 'newest' }

/** Change that clears all filters. */
export const clearedFilters: Pick<LibraryFilters, 'query' | 'type' | 'tag' | 'status'> = {
  query: '',
  type: null,
  tag: null,
  status: null,
}

/** Processing states in the order of the menu. */
export const statuses = ['completed', 'processing', 'pending', 'failed'] as const satisfies readonly ProcessingStatus[]
/** Sort orders in the order of the menu. */
export const sorts = [
  'newest',
  'oldest',
  'taken',
  'added',
  'name',
  'largest',
  'longest',
] as const satisfies readonly MediaSort[]

function oneOf<Value extends string>(values: readonly Value[], parameter: string | null): Value | null {
  return values.find((value) => value === parameter) ?? null
}

/** Parses the filters of the page's address; ignores invalid values. */
export function readFilters(parameters: URLSearchParams): LibraryFilters {
  return {
    query: cutText(parameters.get('query') ?? '', 500),
    type: oneOf(mediaTypes, parameters.get('type')),
    tag: cutText(parameters.get('tag')?.trim() ?? '', 50) || null,
    status: oneOf(statuses, parameters.get('status')),
    sort: oneOf(sorts, parameters.get('sort')) ?? defaultFilters.sort,
  }
}

/** Query string of the filters, without defaults. */
export function writeFilters(filters: LibraryFilters): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) {
    if (value !== null && value !== defaultFilters[name as keyof LibraryFilters]) parameters.set(name, value)
  }
  return parameters
}

/** True when a filter is active. */
export function isFiltered({ query, type, tag, status }: LibraryFilters): boolean {
  return query.trim() !== '' || type !== null || tag !== null || status !== null
}

/** The filters in the page's address, and a function to change some of them. */
export function useLibraryFilters(): [LibraryFilters, (change: Partial<LibraryFilters>) => void] {
  const [parameters, setParameters] = useSearchParams()
  const address = writeFilters(readFilters(parameters)).toString()
  const filters = useMemo(() => readFilters(new URLSearchParams(address)), [address])
  // The address is updated asynchronously. Until it is, neither the next change nor the old address may undo this change.
  const latest = useRef(filters)
  const writtenAddress = useRef<string | null>(null)
  const shownAddress = useRef(address)
  useLayoutEffect(() => {
    shownAddress.current = address
    if (writtenAddress.current !== null && writtenAddress.current !== address) return
    writtenAddress.current = null
    latest.current = filters
  }, [filters, address])
  const change = useCallback(
    (changes: Partial<LibraryFilters>) => {
      latest.current = { ...latest.current, ...changes }
      const next = writeFilters(latest.current)
      const nextAddress = writeFilters(readFilters(next)).toString()
      // setting the current address again causes no update to wait for
      writtenAddress.current = nextAddress === shownAddress.current ? null : nextAddress
      setParameters(next, { replace: true })
    },
    [setParameters],
  )
  return [filters, change]
}

const PAGE_SIZE = 100

/** Prefix of the query keys of all lists of items. */
export const libraryKey = ['gallery', 'library']

/** The library, page by page while scrolling. Events report changes, so nothing is refetched automatically. */
export function libraryQuery({ query, type, tag, status, sort }: LibraryFilters) {
  return infiniteQueryOptions({
    queryKey: [...libraryKey, query.trim(), type, tag, status, sort],
    queryFn: async ({ pageParam, signal }): Promise<GridPage> => {
      const request = {
        query: query.trim(),
        media_type: type ?? undefined,
        tag: tag ?? undefined,
        status: status ?? undefined,
        sort,
        // before-first-paint.js makes the same request before the app runs
        limit: PAGE_SIZE,
        cursor: pageParam,
      }
      return toGridPage((await takeEarlyLibrary(request)) ?? (await fetchLibrary(request, signal)))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** Maximum number of pages of a list that's refetched in full; longer lists are updated by events. */
export const MAX_REFETCHED_PAGES = 4

/** Refetches the lists of items after a change; lists that aren't shown are refetched when they are. */
export async function refetchLists(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: libraryKey, refetchType: 'none' })
  await queryClient.refetchQueries({
    queryKey: libraryKey,
    type: 'active',
    predicate: ({ state }) =>
      ((state.data as InfiniteData<GridPage> | undefined)?.pages.length ?? 0) <= MAX_REFETCHED_PAGES,
  })
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

/** An item with all its results. */
export function itemQuery(id: string) {
  return queryOptions({
    queryKey: ['gallery', 'item', id],
    queryFn: ({ signal }) => call('GET /media/:id', { params: { id }, signal }),
  })
}
