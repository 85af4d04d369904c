import type { LogContentType, LogRange, LogSentiment, LogType } from '@mira/shared'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { LogFilters } from '../../../api/memory-logs.ts'

/** Options of each filter in display order; "all" means no filter. */
export const choices = {
  type: ['all', 'chat', 'media', 'memory_search', 'agent'] satisfies ('all' | LogType)[],
  content_type: [
    ...(['all', 'conversation', 'image', 'video', 'audio', 'document', 'search', 'calculation'] satisfies (
      | 'all'
      | LogContentType
    )[]),
  ],
  range: ['all', 'today', 'week', 'month'] satisfies ('all' | LogRange)[],
  sentiment: ['all', 'positive', 'neutral', 'negative'] satisfies ('all' | LogSentiment)[],
} as const

export type FilterName = keyof typeof choices

/** Everything. */
export const noFilters: Readonly<LogFilters> = {
  query: '',
  type: 'all',
  content_type: 'all',
  range: 'all',
  sentiment: 'all',
}

/** Reads the filters out of the page's address; what makes no sense there counts as not given. */
export function readLogFilters(parameters: URLSearchParams): LogFilters {
  const chosen = Object.entries(choices).map(([name, values]) => {
    const given = parameters.get(name)
    return [name, (values as readonly string[]).find((value) => value === given) ?? 'all']
  })
  return { ...Object.fromEntries(chosen), query: parameters.get('query')?.slice(0, 1000) ?? '' }
}

/** Writes the filters into an address, leaving out what lets everything through and keeping what is not theirs. */
export function writeLogFilters(parameters: URLSearchParams, filters: LogFilters): URLSearchParams {
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(filters)) {
    if (value === noFilters[name as keyof LogFilters]) next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** Number of active filters. */
export function countChosen(filters: LogFilters): number {
  return (Object.keys(choices) as FilterName[]).filter((name) => filters[name] !== 'all').length
}

/** The filters in the page's address, so that the way back from an entry's source leads to the same list. */
export function useLogFilters(): [LogFilters, (change: Partial<LogFilters>) => void] {
  const [parameters, setParameters] = useSearchParams()
  const filters = useMemo(() => readLogFilters(parameters), [parameters])
  return [
    filters,
    (change) =>
      setParameters((current) => writeLogFilters(current, { ...readLogFilters(current), ...change }), {
        replace: true,
        preventScrollReset: true,
      }),
  ]
}
