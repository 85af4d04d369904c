import type { AuditEntry, AuditFilters } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { join, nothing, sql } from '../../../platform/database/sql.ts'

/** Pattern of ILIKE for texts that contain this one. */
const patternOf = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export type AuditStore = ReturnType<typeof createAuditStore>

/** Reads the audit log, which is only ever appended to (platform/database/audit.ts). */
export function createAuditStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Newest first; `afterId` is the last of the previous page. */
    async list(filters: AuditFilters, page: { limit: number; afterId: string | null }): Promise<AuditEntry[]> {
      const { query, action, outcome, from, to } = filters
      const conditions = [
        ...(page.afterId ? [sql`id < ${page.afterId}`] : []),
        ...(query ? [sql`concat_ws(' ', actor_name, subject_name, address, action) ILIKE ${patternOf(query)}`] : []),
        ...(action ? [sql`action = ${action}`] : []),
        ...(outcome ? [sql`outcome = ${outcome}`] : []),
        ...(from ? [sql`created_at >= ${from}`] : []),
        ...(to ? [sql`created_at < ${to}`] : []),
      ]
      const { rows } = await pool.query<AuditEntry>(
        sql`SELECT id, created_at, actor_id, actor_name, address, via, action, outcome, subject_id, subject_name, detail
         FROM audit_entries ${conditions.length > 0 ? sql`WHERE ${join(conditions, ' AND ')}` : nothing}
         ORDER BY id DESC LIMIT ${page.limit}`,
      )
      return rows
    },
  }
}
