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

/** Where each page begins that was gone through, up to the one that is shown. */
interface Visited {
  of: object
  cursors: readonly (string | null)[]
}

/** Which page is shown, from 1, and where it begins. */
export interface Pages {
  page: number
  cursor: string | null
  forward: (cursor: string) => void
  back: () => void
}
