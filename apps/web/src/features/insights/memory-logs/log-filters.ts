import { fileNameOf } from '@mira/client/file-name'
import type { LogContentType, LogRange, LogSentiment, LogType, MemoryLogFilters } from '@mira/shared'
import { callForResponse } from '../../../lib/api/client.ts'
import { useAddressFilters, writeFilters } from '../dashboard-parts.tsx'

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

export const noFilters: Readonly<LogFilters> = {
  query: '',
  type: 'all',
  content_type: 'all',
  range: 'all',
  sentiment: 'all',
}

/** Reads the filters from an address, ignoring invalid values. */
export function readLogFilters(parameters: URLSearchParams): LogFilters {
  const entries = Object.entries(choices).map(([name, values]) => {
    const parameter = parameters.get(name)
    return [name, (values as readonly string[]).find((value) => value === parameter) ?? 'all']
  })
  return { ...Object.fromEntries(entries), query: parameters.get('query')?.slice(0, 1000) ?? '' }
}

/** Writes the filters into an address. */
export const writeLogFilters = (parameters: URLSearchParams, filters: LogFilters) =>
  writeFilters(parameters, filters, noFilters)

/** Number of active filters, without the query. */
export function countChosenOptions(filters: LogFilters): number {
  return (Object.keys(choices) as FilterName[]).filter((name) => filters[name] !== 'all').length
}

const address = { read: readLogFilters, write: writeLogFilters }

/** The filters in the page's address. */
export const useLogFilters = () => useAddressFilters<LogFilters>(address)
