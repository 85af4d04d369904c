import type { AuditEntry, AuditFilters } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'

export type AuditStore = ReturnType<typeof createAuditStore>

/** Reads the audit log, which is only ever appended to (platform/database/audit.ts). */
export function createAuditStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Newest first; `afterId` is the last of the previous page. */
    async list(filters: AuditFilters, page: { limit: number; afterId: string | null }): Promise<AuditEntry[]> {
      const { query, action, outcome, from, to } = filters
      const { rows } = await pool.query<AuditEntry>(
        `SELECT id, created_at, actor_id, actor_name, address, via, action, outcome, subject_id, subject_name, detail
         FROM audit_entries
         WHERE ($1::uuid IS NULL OR id < $1::uuid)
           AND ($2::text IS NULL OR concat_ws(' ', actor_name, subject_name, address, action) ILIKE '%' || $2 || '%')
           AND ($3::text IS NULL OR action = $3) AND ($4::text IS NULL OR outcome = $4)
           AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)
         ORDER BY id DESC LIMIT $7`,
        [
          page.afterId,
          query ? query.replace(/[\\%_]/g, '\\$&') : null,
          action ?? null,
          outcome ?? null,
          from ?? null,
          to ?? null,
          page.limit,
        ],
      )
      return rows
    },
  }
}
