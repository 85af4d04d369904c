import type { ListChatSessionsQuery } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { useUrlFilters, writeFilters as write } from '../dashboard-parts.tsx'

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

/** Reads the filters from a URL's parameters, ignoring invalid values. */
export function readFilters(parameters: URLSearchParams): SessionFilters {
  const status = parameters.get('status')
  const sort = parameters.get('sort')
  const order = parameters.get('order')
  return {
    query: cutText(parameters.get('query') ?? '', 200),
    status: status === 'active' || status === 'completed' ? status : null,
    sort: sort !== null && sorts.includes(sort) ? (sort as SessionFilters['sort']) : defaultFilters.sort,
    order: order === 'asc' || order === 'desc' ? order : defaultFilters.order,
  }
}

/** Writes the filters into a URL's parameters. */
export const writeFilters = (parameters: URLSearchParams, filters: SessionFilters) =>
  write(parameters, filters, defaultFilters)

/**
 * Order after a click on a column heading: reversed if the list is already sorted by that column, or else ascending for names
 * and descending for figures.
 */
export function nextOrder(filters: SessionFilters, sort: SessionFilters['sort']): SessionFilters['order'] {
  if (filters.sort === sort) return filters.order === 'asc' ? 'desc' : 'asc'
  return sort === 'name' ? 'asc' : 'desc'
}

const urlCodec = { read: readFilters, write: writeFilters }

/** The filters in the page's URL. */
export const useSessionFilters = () => useUrlFilters<SessionFilters>(urlCodec)
