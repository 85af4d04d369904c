import type { AuditEntry, AuditFilters, AuditResponse } from '@mira/shared'
import { type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { AuditStore } from './audit.store.ts'

export interface AuditDeps {
  store: AuditStore
  /** Rows as CSV that no spreadsheet takes for formulas. */
  csvOf(rows: string[][]): string
}

export type AuditService = ReturnType<typeof createAuditService>

const EXPORT_ROWS = 1000
const HEADINGS = ['time', 'actor', 'address', 'via', 'action', 'outcome', 'subject', 'subject_id', 'detail']

/** The audit log as administrators read it. */
export function createAuditService({ store, csvOf }: AuditDeps) {
  async function* write(filters: AuditFilters): AsyncGenerator<string> {
    // spreadsheets take a file for UTF-8 only when it begins with this
    yield `\ufeff${csvOf([HEADINGS])}`
    for (let afterId: string | null = null; ; ) {
      const rows: AuditEntry[] = await store.list(filters, { limit: EXPORT_ROWS, afterId })
      if (rows.length > 0) yield csvOf(rows.map(csvRow))
      if (rows.length < EXPORT_ROWS) return
      afterId = rows.at(-1)?.id ?? null
    }
  }

  return {
    /** Newest first. @throws ValidationError for a strange cursor. */
    async list(filters: AuditFilters, query: PageQuery): Promise<AuditResponse> {
      const { items, nextCursor } = await readPage(query, ({ limit, afterId = null }) =>
        store.list(filters, { limit, afterId }),
      )
      return { entries: items, next_cursor: nextCursor }
    },

    /** Everything that the filters let through: the file's name, and its text piece by piece. */
    exportCsv: (filters: AuditFilters): { name: string; text: AsyncGenerator<string> } => ({
      name: `audit_${new Date().toISOString().slice(0, 10)}.csv`,
      text: write(filters),
    }),
  }
}

function csvRow(entry: AuditEntry): string[] {
  const { created_at: at, actor_name: actor, address, via, action, outcome, subject_name: subject } = entry
  const texts = [actor, address, via, action, outcome, subject, entry.subject_id].map((text) => text ?? '')
  return [at.toISOString(), ...texts, JSON.stringify(entry.detail)]
}
