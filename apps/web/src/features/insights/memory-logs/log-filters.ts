import { fileNameOf } from '@mira/client/file-name'
import type { LogContentType, LogRange, LogSentiment, LogType, MemoryLogFilters } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { callForResponse } from '../../../lib/api/client.ts'
import { useUrlFilters, writeFilters } from '../dashboard-parts.tsx'

/** Filters of the timeline. */
export type LogFilters = Pick<MemoryLogFilters, 'query' | 'type' | 'content_type' | 'sentiment' | 'range'>

/** All entries that match the filters as a CSV file, with the server's file name. */
export async function exportMemoryLogs(filters: LogFilters): Promise<{ blob: Blob; name: string }> {
  const response = await callForResponse('GET /memory/logs/export', { query: filters, timeoutMs: 600_000 })
  return {
    blob: await response.blob(),
    name: fileNameOf(response.headers.get('Content-Disposition'), 'memory_logs.csv'),
  }
}

/** Options of each filter in display order; "all" means no filter. */
export const filterOptions = {
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

export type FilterName = keyof typeof filterOptions

export const noFilters: Readonly<LogFilters> = {
  query: '',
  type: 'all',
  content_type: 'all',
  range: 'all',
  sentiment: 'all',
}

/** Reads the filters from a URL's parameters, ignoring invalid values. */
export function readLogFilters(parameters: URLSearchParams): LogFilters {
  const entries = Object.entries(filterOptions).map(([name, values]) => {
    const parameter = parameters.get(name)
    return [name, (values as readonly string[]).find((value) => value === parameter) ?? 'all']
  })
  return { ...Object.fromEntries(entries), query: cutText(parameters.get('query') ?? '', 1000) }
}

/** Writes the filters into a URL's parameters. */
export const writeLogFilters = (parameters: URLSearchParams, filters: LogFilters) =>
  writeFilters(parameters, filters, noFilters)

/** Number of active filters, without the query. */
export function countChosenOptions(filters: LogFilters): number {
  return (Object.keys(filterOptions) as FilterName[]).filter((name) => filters[name] !== 'all').length
}

const urlCodec = { read: readLogFilters, write: writeLogFilters }

/** The filters in the page's URL. */
export const useLogFilters = () => useUrlFilters<LogFilters>(urlCodec)
