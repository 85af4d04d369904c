import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/client.ts'

/** The server's public configuration. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => call('GET /config', { signal }),
})
