import { infiniteQueryOptions } from '@tanstack/react-query'
import { fetchImports } from '../../../api/imports.ts'

/** The beginning of the keys of everything about imports. */
export const importsKey = ['imports']

/** The person's imports, page by page. */
export const importsQuery = infiniteQueryOptions({
  queryKey: [...importsKey, 'list'],
  queryFn: ({ pageParam, signal }) => fetchImports(pageParam, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
