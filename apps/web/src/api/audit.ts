import { fileNameOf } from '@mira/client/file-name'
import type { AuditResponseJson } from '@mira/shared'
import { call, callForResponse } from './client.ts'

/** Filters of the audit log; empty strings match everything. */
export interface AuditSearch {
  query: string
  outcome: '' | 'done' | 'begun' | 'failed'
}

const queryOf = ({ query, outcome }: AuditSearch) => ({ query: query || null, outcome: outcome || null })

/** A page of the audit log, newest first. */
export async function fetchAudit(
  search: AuditSearch,
  page: { limit: number; cursor: string | null },
  signal?: AbortSignal,
): Promise<AuditResponseJson> {
  return call('GET /admin/audit', { signal, query: { ...queryOf(search), ...page } })
}

/** Everything that the search lets through as a CSV file, with the name that the server gives it. */
export async function exportAudit(search: AuditSearch): Promise<{ blob: Blob; name: string }> {
  const response = await callForResponse('GET /admin/audit/export', { query: queryOf(search), timeoutMs: 600_000 })
  return { blob: await response.blob(), name: fileNameOf(response.headers.get('Content-Disposition'), 'audit.csv') }
}
