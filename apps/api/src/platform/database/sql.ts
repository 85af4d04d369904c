import type pg from 'pg'
import { Prisma } from './generated/client.ts'

/** A statement or fragment with its parameters. */
export type SqlText = Prisma.Sql

/**
 * Tagged template for a parameterised statement: sql`SELECT 1 FROM items WHERE id = ${id}`. A value may be another fragment.
 */
export const sql = Prisma.sql

/** Fragment of literal text: column names and other constants of the code, never input. */
export const raw = (text: string | number): SqlText => Prisma.raw(String(text))

/** Empty fragment. */
export const nothing = Prisma.empty

/** Joins fragments or values, by default with commas. */
export const join = Prisma.join

/** Runs statements: the pool, a transaction's connection, or a Prisma transaction. */
export interface SqlClient {
  query<Row>(statement: { text: string; values?: unknown[]; name?: string }): Promise<{ rows: Row[] }>
}

/** A transaction on one connection of the pool. */
export interface SqlTransaction extends SqlClient {
  /** Registers a callback that only runs after the commit. */
  afterCommit(call: () => void): void
}

/** A transaction of inTransaction or of Prisma. */
export type Transaction = SqlTransaction | Prisma.TransactionClient

/** SQL client of a transaction. */
export function sqlOf(tx: Transaction): SqlClient {
  if ('afterCommit' in tx) return tx
  return {
    query: async <Row>({ text, values = [] }: { text: string; values?: unknown[] }) => ({
      rows: await tx.$queryRawUnsafe<Row[]>(text, ...values),
    }),
  }
}

/**
 * Runs work in a transaction without Prisma, which takes several times as long for the statements of every upload. The work
 * must not await anything slow except its statements, because the embedded database has one session.
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
