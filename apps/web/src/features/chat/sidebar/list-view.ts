import type { SessionFilter } from '../../../api/chat.ts'

/** Which of the conversations the list shows. */
export type ListView =
  | { kind: 'all' }
  | { kind: 'archive' }
  | { kind: 'tag'; tag: string }
  | { kind: 'project'; projectId: string }

export const ALL: ListView = { kind: 'all' }

/** What a view asks the server for. Words are looked for in the archive as well when everything is searched. */
export function filterOf(view: ListView, query: string): SessionFilter {
  if (view.kind === 'archive') return { query, archived: 'true' }
  if (view.kind === 'tag') return { query, archived: 'any', tag: view.tag }
  if (view.kind === 'project') return { query, archived: 'any', projectId: view.projectId }
  return query === '' ? { query } : { query, archived: 'any' }
}
