import type { ListChatSessionsQuery } from '@mira/shared'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'

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

/** Reads the filters out of the page's address; what makes no sense there counts as not given. */
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

/** Writes the filters into an address, leaving out what needs no saying and keeping what is not theirs. */
export function writeFilters(parameters: URLSearchParams, filters: SessionFilters): URLSearchParams {
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(filters)) {
    if (value === null || value === defaultFilters[name as keyof SessionFilters]) next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** The order that a press on a column's heading asks for: the other way round, else names from A and figures from the most. */
export function nextOrder(filters: SessionFilters, sort: SessionFilters['sort']): SessionFilters['order'] {
  if (filters.sort === sort) return filters.order === 'asc' ? 'desc' : 'asc'
  return sort === 'name' ? 'asc' : 'desc'
}

/** The filters in the page's address, so that the way back from a conversation leads to the same list. */
export function useSessionFilters(): [SessionFilters, (change: Partial<SessionFilters>) => void] {
  const [parameters, setParameters] = useSearchParams()
  const filters = useMemo(() => readFilters(parameters), [parameters])
  return [
    filters,
    (change) =>
      setParameters((current) => writeFilters(current, { ...readFilters(current), ...change }), {
        replace: true,
        preventScrollReset: true,
      }),
  ]
}
