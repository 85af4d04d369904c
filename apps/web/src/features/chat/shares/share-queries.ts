import { infiniteQueryOptions } from '@tanstack/react-query'
import { fetchShares } from '../../../api/shares.ts'

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
