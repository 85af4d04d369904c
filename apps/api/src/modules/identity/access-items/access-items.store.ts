import { type AccessItem, type AccessItemKind, type AccessItemRef, accessItemKinds } from '@mira/shared'
import { type AccessItemTable, accessItemTables } from '../../../platform/database/access-items.ts'
import type { Database } from '../../../platform/database/client.ts'
import { join, nothing, raw, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

const idsByKind = (items: readonly AccessItemRef[]): [AccessItemKind, string[]][] =>
  accessItemKinds
    .map((kind): [AccessItemKind, string[]] => [kind, items.filter((item) => item.kind === kind).map(({ id }) => id)])
    .filter(([, ids]) => ids.length > 0)

const listSql = (userId: string) =>
  join(
    accessItemKinds.map((kind) => {
      const { table, name, lastUsedAt, isSuspended, isThere = 'true' } = accessItemTables[kind]
      const columns = raw(`'${kind}' AS kind, t.id, ${name} AS name, t.created_at, ${lastUsedAt} AS last_used_at,
        ${isSuspended} AS is_suspended`)
      return sql`SELECT ${columns} FROM ${raw(table)} t WHERE t.user_id = ${userId} AND ${raw(isThere)}`
    }),
    ' UNION ALL ',
  )

/** SQL statement that ends a user's access items of a table; callers append conditions. */
const endSql = (userId: string, { table, end, isThere = 'true' }: AccessItemTable) =>
  end === undefined
    ? sql`DELETE FROM ${raw(table)} WHERE user_id = ${userId}::uuid`
    : sql`UPDATE ${raw(table)} t SET ${raw(end)} WHERE user_id = ${userId}::uuid AND ${raw(isThere)}`

/** Access items of a user except one session, newest first. */
export async function listAccessItems(
  { pool }: Database,
  userId: string,
  { limit, after, exceptSessionId }: { limit: number; after: TimePosition | null; exceptSessionId: string },
): Promise<AccessItem[]> {
  const { rows } = await pool.query<AccessItem>(
    sql`SELECT * FROM (${listSql(userId)}) AS items
         WHERE id <> ${exceptSessionId}
           ${after ? sql`AND (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : nothing}
         ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
  )
  return rows
}

/** Ends access items of a user. @returns their number. */
export async function endAccessItems(
  userId: string,
  items: readonly AccessItemRef[],
  tx: PrismaTransaction,
): Promise<number> {
  let count = 0
  for (const [kind, ids] of idsByKind(items)) {
    count += await tx.$executeRaw`${endSql(userId, accessItemTables[kind])} AND id = ANY (${ids}::uuid[])`
  }
  return count
}

export async function endAllAccess(
  userId: string,
  tx: PrismaTransaction,
  exceptSessionId: string | null = null,
): Promise<void> {
  for (const table of Object.values(accessItemTables)) {
    await tx.$executeRaw`${endSql(userId, table)} AND id IS DISTINCT FROM ${exceptSessionId}::uuid`
  }
}

/** Reactivates suspended items. @returns their number. */
export async function confirmAccessItems(
  userId: string,
  items: readonly AccessItemRef[],
  tx: PrismaTransaction,
): Promise<number> {
  let count = 0
  for (const [kind, ids] of idsByKind(items)) {
    const { table, confirm } = accessItemTables[kind]
    if (confirm === null) continue
    count += await tx.$executeRaw`
          UPDATE ${raw(table)} SET ${raw(confirm)} WHERE user_id = ${userId}::uuid AND id = ANY (${ids}::uuid[])`
  }
  return count
}
