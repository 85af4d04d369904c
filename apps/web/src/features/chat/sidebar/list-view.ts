import type { SessionFilter } from '../conversation/chat-calls.ts'

/** Subset of the conversations. */
export type ListView =
  | { kind: 'all' }
  | { kind: 'archive' }
  | { kind: 'tag'; tag: string }
  | { kind: 'project'; projectId: string }

export const ALL: ListView = { kind: 'all' }

/** Request filter of a view. A search over all conversations includes the archive. */
export function filterOf(view: ListView, query: string): SessionFilter {
  if (view.kind === 'archive') return { query, archived: 'true' }
  if (view.kind === 'tag') return { query, archived: 'any', tag: view.tag }
  if (view.kind === 'project') return { query, archived: 'any', projectId: view.projectId }
  return query === '' ? { query } : { query, archived: 'any' }
}
