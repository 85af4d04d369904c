import type { MediaSort, ProcessingStatus } from '@mira/shared'
import { type MediaType, mediaTypes } from '@mira/shared/constants/media'
import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router-dom'
import { call } from '../../lib/api/client.ts'
import { fetchLibrary, takeEarlyLibrary } from '../../lib/api/library.ts'
import { type GridPage, toLibraryPage } from './library-items.ts'

/** Filters and order of the library. */
export interface LibraryFilters {
  /** Words of names, captions, texts and tags; empty for all. */
  query: string
  /** Null for all, as with the two below. */
  type: MediaType | null
  tag: string | null
  status: ProcessingStatus | null
  sort: MediaSort
}

/** Defaults: all items, the newest first. */
const defaultFilters: Readonly<LibraryFilters> = { query: '', type: null, tag: null, status: null, sort: 'newest' }

/** The change after which nothing is left out. */
export const everything: Pick<LibraryFilters, 'query' | 'type' | 'tag' | 'status'> = {
  query: '',
  type: null,
  tag: null,
  status: null,
}

/** The states of items, in the order in which they are offered. */
export const statuses = ['completed', 'processing', 'pending', 'failed'] as const satisfies readonly ProcessingStatus[]
/** The orders of items, in the order in which they are offered. */
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

/** Reads the filters out of the page's address; what makes no sense there counts as not given. */
export function readFilters(parameters: URLSearchParams): LibraryFilters {
  return {
    query: parameters.get('query')?.slice(0, 500) ?? '',
    type: oneOf(mediaTypes, parameters.get('type')),
    tag: parameters.get('tag')?.trim().slice(0, 50) || null,
    status: oneOf(statuses, parameters.get('status')),
    sort: oneOf(sorts, parameters.get('sort')) ?? defaultFilters.sort,
  }
}

/** Writes the filters as the query of an address, leaving out what needs no saying. */
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

/** The filters in the page's address, and how to change some of them. */
export function useLibraryFilters(): [LibraryFilters, (change: Partial<LibraryFilters>) => void] {
  const [parameters, setParameters] = useSearchParams()
  const address = writeFilters(readFilters(parameters)).toString()
  const filters = useMemo(() => readFilters(new URLSearchParams(address)), [address])
  // The address follows a moment later: a change before that must not undo another, and neither must an address on its way.
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
      // one that's shown already isn't on its way
      writtenAddress.current = nextAddress === shownAddress.current ? null : nextAddress
      setParameters(next, { replace: true })
    },
    [setParameters],
  )
  return [filters, change]
}

const PAGE_SIZE = 100

/** The beginning of the keys of all lists of items. */
export const libraryKey = ['gallery', 'library']

/** The library, part by part as one scrolls. What changes in it is told by events, so nothing is fetched again by itself. */
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
        // before-first-paint.js asks for the same before the app runs
        limit: PAGE_SIZE,
        cursor: pageParam,
      }
      return toLibraryPage((await takeEarlyLibrary(request)) ?? (await fetchLibrary(request, signal)))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** Longer lists are not fetched again as a whole: what changes in them is told by events. */
export const MAX_PAGES_AGAIN = 4

/** Has the lists of items fetched again after a change, those that are not shown once they are. */
export async function readListsAgain(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: libraryKey, refetchType: 'none' })
  await queryClient.refetchQueries({
    queryKey: libraryKey,
    type: 'active',
    predicate: ({ state }) =>
      ((state.data as InfiniteData<GridPage> | undefined)?.pages.length ?? 0) <= MAX_PAGES_AGAIN,
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

/** An item with all that was found in it. */
export function itemQuery(id: string) {
  return queryOptions({
    queryKey: ['gallery', 'item', id],
    queryFn: ({ signal }) => call('GET /media/:id', { params: { id }, signal }),
  })
}
