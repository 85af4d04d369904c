import type pg from 'pg'
import type { Prisma } from './generated/client.ts'

/** Runs statements: the pool, the one connection of a transaction, or a transaction of Prisma. */
export interface Sql {
  query<Row>(statement: { text: string; values?: unknown[]; name?: string }): Promise<{ rows: Row[] }>
}

/** A transaction on one connection of the pool. */
export interface SqlTransaction extends Sql {
  /** Calls this once everything is committed; not at all when it is not. */
  afterCommit(call: () => void): void
}

/** A transaction that either began. */
export type Transaction = SqlTransaction | Prisma.TransactionClient

/** Adapts a transaction, including one that Prisma began. */
export function sqlOf(tx: Transaction): Sql {
  if ('afterCommit' in tx) return tx
  return {
    query: async <Row>({ text, values = [] }: { text: string; values?: unknown[] }) => ({
      rows: await tx.$queryRawUnsafe<Row[]>(text, ...values),
    }),
  }
}

/**
 * Does work in a transaction without Prisma, which takes several times as long for statements that every upload runs.
 * Inside nothing but `sql` may be awaited that takes time: the embedded database has one session.
 */
export async function inTransaction<T>(pool: pg.Pool, work: (sql: SqlTransaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const calls: (() => void)[] = []
  let result: T
  try {
    await client.query('BEGIN')
    const query = <Row>(statement: pg.QueryConfig) => client.query(statement) as unknown as Promise<{ rows: Row[] }>
    result = await work({ query, afterCommit: (call) => calls.push(call) })
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      (cause: Error) => client.release(cause),
    )
    throw error
  }
  for (const call of calls) call()
  return result
}
