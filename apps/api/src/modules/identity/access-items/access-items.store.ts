import { type AccessItem, type AccessItemKind, type AccessItemRef, accessItemKinds } from '@mira/shared'
import { type AccessItemTable, accessItemTables } from '../../../platform/database/access-items.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { TimePosition } from '../../../platform/lib/cursor.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

const idsByKind = (items: readonly AccessItemRef[]): [AccessItemKind, string[]][] =>
  accessItemKinds
    .map((kind): [AccessItemKind, string[]] => [kind, items.filter((item) => item.kind === kind).map(({ id }) => id)])
    .filter(([, ids]) => ids.length > 0)

const listSql = accessItemKinds
  .map((kind) => {
    const { table, name, lastUsedAt, isSuspended, isThere = 'true' } = accessItemTables[kind]
    return `SELECT '${kind}' AS kind, t.id, ${name} AS name, t.created_at, ${lastUsedAt} AS last_used_at,
      ${isSuspended} AS is_suspended FROM ${table} t WHERE t.user_id = $1 AND ${isThere}`
  })
  .join(' UNION ALL ')

/** Ends the rows of the user $1. */
const endSql = ({ table, end, isThere = 'true' }: AccessItemTable) =>
  end === undefined
    ? `DELETE FROM ${table} WHERE user_id = $1::uuid`
    : `UPDATE ${table} t SET ${end} WHERE user_id = $1::uuid AND ${isThere}`

export type AccessItemsStore = ReturnType<typeof createAccessItemsStore>

/** Rows of many tables: everything that opens a user's account or sends data out of it. */
export function createAccessItemsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Newest first, without one session. */
    async list(
      userId: string,
      { limit, after, exceptSessionId }: { limit: number; after: TimePosition | null; exceptSessionId: string },
    ): Promise<AccessItem[]> {
      const { rows } = await pool.query<AccessItem>(
        `SELECT * FROM (${listSql}) AS items
         WHERE id <> $2 AND ($3::uuid IS NULL OR (created_at, id) < ($4::timestamptz, $3::uuid))
         ORDER BY created_at DESC, id DESC LIMIT $5`,
        [userId, exceptSessionId, after?.id ?? null, after?.createdAt ?? null, limit],
      )
      return rows
    },

    /** @returns the number of ended items. */
    async end(userId: string, items: readonly AccessItemRef[], tx: PrismaTransaction): Promise<number> {
      let count = 0
      for (const [kind, ids] of idsByKind(items)) {
        count += await tx.$executeRawUnsafe(`${endSql(accessItemTables[kind])} AND id = ANY ($2::uuid[])`, userId, ids)
      }
      return count
    },

    async endAll(userId: string, tx: PrismaTransaction, exceptSessionId: string | null = null): Promise<void> {
      for (const table of Object.values(accessItemTables)) {
        await tx.$executeRawUnsafe(`${endSql(table)} AND id IS DISTINCT FROM $2::uuid`, userId, exceptSessionId)
      }
    },

    /** Reactivates suspended items. @returns their number. */
    async confirm(userId: string, items: readonly AccessItemRef[], tx: PrismaTransaction): Promise<number> {
      let count = 0
      for (const [kind, ids] of idsByKind(items)) {
        const { table, confirm } = accessItemTables[kind]
        if (confirm === null) continue
        count += await tx.$executeRawUnsafe(
          `UPDATE ${table} SET ${confirm} WHERE user_id = $1::uuid AND id = ANY ($2::uuid[])`,
          userId,
          ids,
        )
      }
      return count
    },
  }
}
