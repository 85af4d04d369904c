import type pg from 'pg'
import { advisoryLocks } from './advisory-locks.ts'
import type { Database } from './client.ts'
import { sql } from './sql.ts'

/** Memory for building an index, unless the server allows more; an index that doesn't fit takes many times as long. */
const MIN_BUILDING_KB = 512 * 1024

/**
 * Builds an index of a large table on a database server, which takes minutes without blocking anyone; not for the embedded
 * database, which it would block.
 * @param definition as after ON: `moments USING gin (tsv)`.
 * @returns false when the index exists, or another server is building it.
 */
export async function buildIndex(
  { connectUnlimited }: Pick<Database, 'connectUnlimited'>,
  name: string,
  definition: string,
): Promise<boolean> {
  let client: pg.Client | undefined
  try {
    client = await connectUnlimited()
    // the failed query rejects with the same error
    client.on('error', () => {})
    const { rows } = await client.query<{ locked: boolean }>(
      sql`SELECT pg_try_advisory_lock(${advisoryLocks.indexes}, hashtext(${name})) AS locked`,
    )
    if (rows[0]?.locked !== true || (await hasIndex(client, name))) return false
    await client.query(
      sql`SELECT set_config('maintenance_work_mem', greatest(
        pg_size_bytes(current_setting('maintenance_work_mem')) / 1024, ${MIN_BUILDING_KB}::int) || 'kB', false)`,
    )
    // an interrupted build leaves an invalid index
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`)
    return true
  } finally {
    // ending the connection also drops its settings and its lock
    await client?.end()
  }
}

/** True for an index that is completely built. */
export async function hasIndex(client: Pick<pg.ClientBase, 'query'>, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    sql`SELECT FROM pg_index WHERE indexrelid = to_regclass(${name}) AND indisvalid`,
  )
  return rowCount === 1
}
