import type { AuditEntry, AuditFilters, AuditResponse } from '@mira/shared'
import { csvOf } from '../../../platform/lib/csv.ts'
import { type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { AuditStore } from './audit.store.ts'

export type AuditService = ReturnType<typeof createAuditService>

const EXPORT_ROWS = 1000
const HEADINGS = ['time', 'actor', 'address', 'via', 'action', 'outcome', 'subject', 'subject_id', 'detail']

/** The audit log as administrators read it. */
export function createAuditService({ store }: { store: AuditStore }) {
  async function* write(filters: AuditFilters): AsyncGenerator<string> {
    // Spreadsheets recognise UTF-8 only by this mark.
    yield `\ufeff${csvOf([HEADINGS])}`
    for (let afterId: string | null = null; ; ) {
      const rows: AuditEntry[] = await store.list(filters, { limit: EXPORT_ROWS, afterId })
      if (rows.length > 0) yield csvOf(rows.map(csvRow))
      if (rows.length < EXPORT_ROWS) return
      afterId = rows.at(-1)?.id ?? null
    }
  }

  return {
    /** Newest first. @throws ValidationError for an invalid cursor. */
    async list(filters: AuditFilters, query: PageQuery): Promise<AuditResponse> {
      const { items, nextCursor } = await readPage(query, ({ limit, afterId = null }) =>
        store.list(filters, { limit, afterId }),
      )
      return { entries: items, next_cursor: nextCursor }
    },

    /** All matching entries: the file's name, and its text in pieces. */
    exportCsv: (filters: AuditFilters): { name: string; text: AsyncGenerator<string> } => ({
      name: `audit_${new Date().toISOString().slice(0, 10)}.csv`,
      text: write(filters),
    }),
  }
}

function csvRow(entry: AuditEntry): string[] {
  const { created_at: createdAt, actor_name: actor, address, via, action, outcome, subject_name: subject } = entry
  const texts = [actor, address, via, action, outcome, subject, entry.subject_id].map((text) => text ?? '')
  return [createdAt.toISOString(), ...texts, JSON.stringify(entry.detail)]
}
