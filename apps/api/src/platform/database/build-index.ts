import type pg from 'pg'
import { advisoryLocks } from './advisory-locks.ts'
import type { Database } from './client.ts'
import { sql } from './sql.ts'

/** Memory for building an index, unless the server allows more; what doesn't fit takes many times as long. */
const MIN_BUILDING_KB = 512 * 1024

/**
 * Builds an index of a large table on a server, which takes minutes and stops nobody; on the embedded database it would.
 * @param definition from the table on: `moments USING gin (tsv)`.
 * @returns false while another server builds it, or has.
 */
export async function buildIndex(
  { connectUnlimited }: Pick<Database, 'connectUnlimited'>,
  name: string,
  definition: string,
): Promise<boolean> {
  let client: pg.Client | undefined
  try {
    client = await connectUnlimited()
    // the failed query says the same
    client.on('error', () => {})
    const { rows } = await client.query<{ locked: boolean }>(
      sql`SELECT pg_try_advisory_lock(${advisoryLocks.indexes}, hashtext(${name})) AS locked`,
    )
    if (rows[0]?.locked !== true || (await hasIndex(client, name))) return false
    await client.query(
      sql`SELECT set_config('maintenance_work_mem', greatest(
        pg_size_bytes(current_setting('maintenance_work_mem')) / 1024, ${MIN_BUILDING_KB}::int) || 'kB', false)`,
    )
    // what an interrupted build left is not valid
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`)
    return true
  } finally {
    // its settings and its lock go with the connection
    await client?.end()
  }
}

/** True for an index whose building has ended. */
export async function hasIndex(client: Pick<pg.ClientBase, 'query'>, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    sql`SELECT FROM pg_index WHERE indexrelid = to_regclass(${name}) AND indisvalid`,
  )
  return rowCount === 1
}
