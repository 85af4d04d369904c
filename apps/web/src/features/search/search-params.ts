import { type MediaType, mediaTypes } from '@mira/shared/constants/media'
import { useSyncExternalStore } from 'react'
import { readStored, watchStored, writeStored } from '../../lib/browser/browser-storage.ts'
import { fromZonedField } from '../../lib/format/time-zones.ts'

const MAX_RECENT = 8

/** Recent searches in this browser, the latest first. */
export interface RecentSearches {
  queries: readonly string[]
  remember: (query: string) => void
  clear: () => void
}

const listeners = new Set<() => void>()

/** Parses the stored list; empty when it's invalid. */
export function parseRecent(stored: string | null): string[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]')
    return Array.isArray(value)
      ? value.filter((one): one is string => typeof one === 'string').slice(0, MAX_RECENT)
      : []
  } catch {
    // The entry isn't Mira's; the next search replaces it.
    return []
  }
}

/** Puts a search at the beginning of the list, removing an earlier occurrence of it. */
export function withSearch(queries: readonly string[], query: string): string[] {
  const isOther = (one: string) => one.toLowerCase() !== query.toLowerCase()
  return [query, ...queries.filter(isOther)].slice(0, MAX_RECENT)
}

/** The recent searches of this user, which never leave the browser. */
export function useRecentSearches(userId: string): RecentSearches {
  const key = `memory-searches-${userId}`
  const stored = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      const stop = watchStored(key, listener)
      return () => {
        listeners.delete(listener)
        stop()
      }
    },
    () => readStored(key),
  )
  const write = (queries: readonly string[]) => {
    writeStored(key, queries.length === 0 ? null : JSON.stringify(queries))
    for (const listener of [...listeners]) listener()
  }
  return {
    queries: parseRecent(stored),
    remember: (query) => write(withSearch(parseRecent(readStored(key)), query)),
    clear: () => write([]),
  }
}

/** Search parameters, as in the form and the page's address. */
export interface SearchState {
  query: string
  /** Empty for all types. */
  types: readonly MediaType[]
  includesFrames: boolean
  /** First and last day, `2026-11-20`; empty when unbounded. */
  from: string
  to: string
  /** Phrases searched as plain words although they name a time or type. */
  literal: readonly string[]
  /** True to match words as typed. */
  isExact: boolean
  /** Maximum number of results. */
  limit: number
}

/** The server's limit. */
const MAX_LITERAL_PHRASES = 10

/** Maximum numbers of results: the initial one, and those after each request for more. */
const limits = [20, 50, 100] as const

/** The next larger number of results; null at the maximum. */
export function nextLimit(limit: number): number | null {
  return limits.find((one) => one > limit) ?? null
}

/** Bounds of searchable days: `Date.UTC` reads years below 100 as 19xx, and the day after the last one needs four digits, too. */
export const FIRST_DAY = '1000-01-01'
export const LAST_DAY = '9998-12-31'

/** Parses the search in the page's address; ignores invalid values. */
export function readSearch(params: URLSearchParams): SearchState {
  const types = (params.get('types') ?? '').split(',')
  const limit = Number(params.get('limit'))
  return {
    query: (params.get('q') ?? '').trim(),
    types: mediaTypes.filter((type) => types.includes(type)),
    includesFrames: params.get('frames') !== 'no',
    from: readDay(params.get('from')),
    to: readDay(params.get('to')),
    literal: params.getAll('literal').slice(0, MAX_LITERAL_PHRASES),
    isExact: params.get('exact') === 'yes',
    limit: limits.find((one) => one === limit) ?? limits[0],
  }
}

/** Query string of a search, without defaults. */
export function writeSearch(search: SearchState): URLSearchParams {
  const { query, types, includesFrames, from, to, literal, isExact, limit } = search
  const params = new URLSearchParams()
  if (query.trim() !== '') params.set('q', query.trim())
  if (types.length > 0) params.set('types', types.join(','))
  if (!includesFrames) params.set('frames', 'no')
  if (from !== '') params.set('from', from)
  if (to !== '') params.set('to', to)
  for (const phrase of literal) params.append('literal', phrase)
  if (isExact) params.set('exact', 'yes')
  if (limit !== limits[0]) params.set('limit', String(limit))
  return params
}

/** The same search with the initial number of results. */
export function withInitialLimit(search: SearchState): SearchState {
  return { ...search, limit: limits[0] }
}

/** True when the first day is after the last one. */
export function hasWrongDates({ from, to }: Pick<SearchState, 'from' | 'to'>): boolean {
  return from !== '' && to !== '' && from > to
}

/** Start and end of a range of days in a time zone as ISO 8601 times, both inclusive; undefined when unbounded. */
export function timeRangeOf(
  { from, to }: Pick<SearchState, 'from' | 'to'>,
  timeZone: string,
): { from?: string; to?: string } {
  return {
    from: from === '' ? undefined : fromZonedField(`${from}T00:00`, timeZone).toISOString(),
    to: to === '' ? undefined : new Date(fromZonedField(`${dayAfter(to)}T00:00`, timeZone).getTime() - 1).toISOString(),
  }
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + 1)
  return date.toISOString().slice(0, 10)
}

/** False while the year of a bound is still being typed. */
export function hasWholeDates({ from, to }: Pick<SearchState, 'from' | 'to'>): boolean {
  return from === readDay(from) && to === readDay(to)
}

function readDay(text: string | null): string {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text) || text < FIRST_DAY || text > LAST_DAY) return ''
  const date = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text ? '' : text
}
