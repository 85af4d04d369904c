import type { SharesResponseJson } from '@mira/shared'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

const PAGE_SIZE = 20

/** A page of the person's links, newest first; those of one conversation where it is named. */
function fetchShares(
  { cursor, subjectId }: { cursor: string | null; subjectId?: string },
  signal?: AbortSignal,
): Promise<SharesResponseJson> {
  return call('GET /shares', { signal, query: { limit: PAGE_SIZE, cursor, subject_id: subjectId } })
}

/** The beginning of the keys of everything about links. */
export const sharesKey = ['shares']

/** The person's links, page by page; those of one conversation where it is named. */
export const sharesQuery = (subjectId?: string) =>
  infiniteQueryOptions({
    queryKey: [...sharesKey, subjectId ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      fetchShares({ cursor: pageParam, ...(subjectId === undefined ? {} : { subjectId }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
