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

const listSql = (userId: string, kinds: readonly AccessItemKind[]) =>
  join(
    kinds.map((kind) => {
      const { table, name, lastUsedAt, isSuspended, isActive = 'true' } = accessItemTables[kind]
      const columns = raw(`'${kind}' AS kind, t.id, ${name} AS name, t.created_at, ${lastUsedAt} AS last_used_at,
        ${isSuspended} AS is_suspended`)
      return sql`SELECT ${columns} FROM ${raw(table)} t WHERE t.user_id = ${userId} AND ${raw(isActive)}`
    }),
    ' UNION ALL ',
  )

/** SQL statement that ends a user's access items in a table; callers append conditions to its WHERE clause. */
const endSql = (userId: string, { table, end, isActive = 'true' }: AccessItemTable) =>
  end === undefined
    ? sql`DELETE FROM ${raw(table)} WHERE user_id = ${userId}::uuid`
    : sql`UPDATE ${raw(table)} t SET ${raw(end)} WHERE user_id = ${userId}::uuid AND ${raw(isActive)}`

/** Access items of a user except one session, newest first; only those of a kind unless it's undefined. */
export async function listAccessItems(
  { pool }: Database,
  userId: string,
  {
    limit,
    after,
    exceptSessionId,
    kind,
  }: { limit: number; after: TimePosition | null; exceptSessionId: string; kind: AccessItemKind | undefined },
): Promise<AccessItem[]> {
  const { rows } = await pool.query<AccessItem>(
    sql`SELECT * FROM (${listSql(userId, kind === undefined ? accessItemKinds : [kind])}) AS items
         WHERE id <> ${exceptSessionId}
           ${after ? sql`AND (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : nothing}
         ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
  )
  return rows
}

/** Ends access items of a user. @returns how many were ended. */
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

/** Reactivates suspended items. @returns how many were reactivated. */
export async function confirmAccessItems(
  userId: string,
  items: readonly AccessItemRef[],
  tx: PrismaTransaction,
): Promise<number> {
  let count = 0
  for (const [kind, ids] of idsByKind(items)) {
    const { table, confirm, isActive = 'true' } = accessItemTables[kind]
    if (confirm === null) continue
    count += await tx.$executeRaw`
          UPDATE ${raw(table)} t SET ${raw(confirm)}
          WHERE user_id = ${userId}::uuid AND id = ANY (${ids}::uuid[]) AND ${raw(isActive)}`
  }
  return count
}
