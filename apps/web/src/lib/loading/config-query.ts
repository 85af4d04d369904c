import { queryOptions } from '@tanstack/react-query'
import { fetchConfig } from '../../api/system.ts'

/** The server's public configuration. */
export const configQuery = queryOptions({ queryKey: ['config'], queryFn: ({ signal }) => fetchConfig(signal) })
