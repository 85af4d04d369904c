import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { ImportRow } from './imports.store.ts'

export type UndoneImport = Pick<ImportRow, 'id' | 'userId' | 'state'>

export type UndoingStore = ReturnType<typeof createUndoingStore>

/** Things brought by imports, and the imports being undone. */
export function createUndoingStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** Some of the existing things of an import. */
    async brought(id: string, limit: number): Promise<{ sessionIds: string[]; mediaItemIds: string[] }> {
      const things = await prisma.importedThing.findMany({ where: { importId: id }, take: limit })
      return {
        sessionIds: things.flatMap(({ sessionId }) => sessionId ?? []),
        mediaItemIds: things.flatMap(({ mediaItemId }) => mediaItemId ?? []),
      }
    },

    /** Marks a finished import as being undone, with its job, unless it already is. */
    async begin(
      userId: string,
      id: string,
      enqueue: (tx: Prisma.TransactionClient, id: string) => Promise<void>,
    ): Promise<void> {
      await prisma.$transaction(async (tx) => {
        const { count } = await tx.import.updateMany({
          where: { id, userId, state: { in: ['done', 'failed', 'cancelled'] } },
          data: { state: 'undoing' },
        })
        if (count === 1) await enqueue(tx, id)
      })
    },

    /** An import that is being undone; null for any other. */
    async find(id: string): Promise<UndoneImport | null> {
      const row = await prisma.import.findUnique({
        where: { id, state: 'undoing' },
        select: { id: true, userId: true },
      })
      return row && { ...row, state: 'undoing' }
    },

    /** Subtracts deleted things from an import's count. */
    async note(id: string, count: number): Promise<void> {
      await pool.query(
        sql`UPDATE imports SET imported = greatest(imported - ${count}, 0), updated_at = now() WHERE id = ${id}`,
      )
    },
  }
}
