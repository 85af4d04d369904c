import { useSyncExternalStore } from 'react'
import { readStored, watchStored, writeStored } from '../../lib/browser/browser-storage.ts'

const MAX_KEPT = 8

/** The searches that a person made last in this browser, the latest first. */
export interface RecentSearches {
  queries: readonly string[]
  remember: (query: string) => void
  clear: () => void
}

const listeners = new Set<() => void>()

/** Reads what is stored; what is not a list of texts counts as nothing. */
export function parseRecent(stored: string | null): string[] {
  try {
    const value: unknown = JSON.parse(stored ?? '[]')
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string').slice(0, MAX_KEPT) : []
  } catch {
    // Somebody else wrote there; the next search replaces it.
    return []
  }
}

/** The list with one more search at its beginning. */
export function withSearch(queries: readonly string[], query: string): string[] {
  const isOther = (one: string) => one.toLowerCase() !== query.toLowerCase()
  return [query, ...queries.filter(isOther)].slice(0, MAX_KEPT)
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
