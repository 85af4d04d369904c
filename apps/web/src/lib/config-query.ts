import { queryOptions } from '@tanstack/react-query'
import { fetchConfig } from '../api/system.ts'

/** What the server says of itself to everybody. */
export const configQuery = queryOptions({ queryKey: ['config'], queryFn: ({ signal }) => fetchConfig(signal) })
