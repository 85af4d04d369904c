import type { ListChatSessionsQuery } from '@mira/shared'
import { useAddressFilters, writeFilters as write } from '../dashboard-parts.tsx'

/** Filters and order of the list of conversations. */
export interface SessionFilters {
  /** Words in the name or in the messages; empty for all. */
  query: string
  /** Null for all. */
  status: 'active' | 'completed' | null
  sort: ListChatSessionsQuery['sort']
  order: ListChatSessionsQuery['order']
}

/** Defaults: all conversations, the newest first. */
export const defaultFilters: Readonly<SessionFilters> = { query: '', status: null, sort: 'updated', order: 'desc' }

const sorts: readonly string[] = [
  'updated',
  'name',
  'messages',
  'tokens',
  'response_time',
] satisfies SessionFilters['sort'][]

/** Reads the filters from an address, ignoring invalid values. */
export function readFilters(parameters: URLSearchParams): SessionFilters {
  const status = parameters.get('status')
  const sort = parameters.get('sort')
  const order = parameters.get('order')
  return {
    query: parameters.get('query')?.slice(0, 200) ?? '',
    status: status === 'active' || status === 'completed' ? status : null,
    sort: sort !== null && sorts.includes(sort) ? (sort as SessionFilters['sort']) : defaultFilters.sort,
    order: order === 'asc' || order === 'desc' ? order : defaultFilters.order,
  }
}

/** Writes the filters into an address. */
export const writeFilters = (parameters: URLSearchParams, filters: SessionFilters) =>
  write(parameters, filters, defaultFilters)

/** Order after a press on a column's heading: reversed if sorted by it already, else names ascending and figures descending. */
export function nextOrder(filters: SessionFilters, sort: SessionFilters['sort']): SessionFilters['order'] {
  if (filters.sort === sort) return filters.order === 'asc' ? 'desc' : 'asc'
  return sort === 'name' ? 'asc' : 'desc'
}

const address = { read: readFilters, write: writeFilters }

/** The filters in the page's address. */
export const useSessionFilters = () => useAddressFilters<SessionFilters>(address)
