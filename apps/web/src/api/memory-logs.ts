import { fileNameOf } from '@mira/client/file-name'
import type { MemoryLogFilters, MemoryLogsResponseJson } from '@mira/shared'
import { call, callForResponse } from './client.ts'

/** Filters of the timeline. */
export type LogFilters = Pick<MemoryLogFilters, 'query' | 'type' | 'content_type' | 'sentiment' | 'range'>

/** A page of the person's timeline, with figures. */
export async function fetchMemoryLogs(
  filters: LogFilters,
  page: { limit: number; cursor: string | null },
  signal?: AbortSignal,
): Promise<MemoryLogsResponseJson> {
  return call('GET /memory/logs', { signal, query: { ...filters, ...page } })
}

/** Everything that the filters let through as a CSV file, with the name that the server gives it. */
export async function exportMemoryLogs(filters: LogFilters): Promise<{ blob: Blob; name: string }> {
  const response = await callForResponse('GET /memory/logs/export', { query: filters, timeoutMs: 600_000 })
  return {
    blob: await response.blob(),
    name: fileNameOf(response.headers.get('Content-Disposition'), 'memory_logs.csv'),
  }
}
