import { useCallback, useState } from 'react'

/**
 * Goes through a list that tells only where its next page begins.
 *
 * `of` is what is listed: another object begins at the first page again.
 */
export function usePages(of: object): Pages {
  const [visited, setVisited] = useState<Visited>({ of, cursors: [null] })
  const cursors = visited.of === of ? visited.cursors : firstPage
  return {
    page: cursors.length,
    cursor: cursors[cursors.length - 1] ?? null,
    forward: (cursor) => setVisited({ of, cursors: [...cursors, cursor] }),
    back: useCallback(
      () =>
        setVisited((current) =>
          current.of === of && current.cursors.length > 1 ? { of, cursors: current.cursors.slice(0, -1) } : current,
        ),
      [of],
    ),
  }
}

const firstPage: readonly null[] = [null]

/** Cursors of the pages visited so far, the current one last. */
interface Visited {
  of: object
  cursors: readonly (string | null)[]
}

/** The current page, from 1, and its cursor. */
export interface Pages {
  page: number
  cursor: string | null
  forward: (cursor: string) => void
  back: () => void
}
