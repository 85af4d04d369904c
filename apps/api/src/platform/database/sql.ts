import type pg from 'pg'
import { Prisma } from './generated/client.ts'

/** A statement, or a part of one, with its values. */
export type SqlText = Prisma.Sql

/**
 * Writes a statement whose values are sent apart from its text: sql`SELECT 1 FROM items WHERE id = ${id}`. A value may be
 * another part that was written this way.
 */
export const sql = Prisma.sql

/** Puts text into a statement as it is: names of columns and other constants of the code, never input. */
export const raw = (text: string | number): SqlText => Prisma.raw(String(text))

/** A part of a statement without text. */
export const nothing = Prisma.empty

/** Joins parts or values of a statement, usually with commas. */
export const join = Prisma.join

/** Runs statements: the pool, the one connection of a transaction, or a transaction of Prisma. */
export interface SqlClient {
  query<Row>(statement: { text: string; values?: unknown[]; name?: string }): Promise<{ rows: Row[] }>
}

/** A transaction on one connection of the pool. */
export interface SqlTransaction extends SqlClient {
  /** Calls this once everything is committed; not at all when it is not. */
  afterCommit(call: () => void): void
}

/** A transaction that either began. */
export type Transaction = SqlTransaction | Prisma.TransactionClient

/** Adapts a transaction, including one that Prisma began. */
export function sqlOf(tx: Transaction): SqlClient {
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
