import pg from 'pg'
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from '../src/platform/database/embedded.ts'

interface Table {
  name: string
  /** Writable columns: all but the generated ones. */
  columns: string
  /** True when the template has rows, which are restored. */
  hasRows: boolean
}

/** An embedded database that test files of a process reuse. */
interface Kept {
  isInUse: boolean
  embedded: EmbeddedDatabase
  /** Tables, indexes, functions, triggers and constraints at the time of opening. */
  shape: string
  tables: Table[]
  sequences: { name: string; last_value: string | null }[]
}

/** Open databases: a test file may use a second one at the same time. */
const kept = new Set<Kept>()
const MAX_KEPT = 2

const OF_THE_APP = `nspname !~ '^(pg_|information_schema$|template_rows$)'`
const SHAPE = `
  SELECT md5(string_agg(concat_ws(' ', oid, what), ',' ORDER BY oid, what)) AS shape FROM (
    SELECT c.oid, concat_ws(' ', relname, relkind, relnatts, relchecks) AS what
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE ${OF_THE_APP}
    UNION ALL
    SELECT p.oid, md5(prosrc) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE ${OF_THE_APP}
    UNION ALL
    SELECT t.oid, concat_ws(' ', tgname, tgenabled)
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN pg_namespace n ON n.oid = relnamespace WHERE ${OF_THE_APP}
    UNION ALL
    SELECT k.oid, conname FROM pg_constraint k JOIN pg_namespace n ON n.oid = connamespace WHERE ${OF_THE_APP}
  ) objects`
const TABLES = `
  SELECT format('%I.%I', nspname, relname) AS name,
    (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r' AND ${OF_THE_APP} ORDER BY 1`
const SEQUENCES = `
  SELECT format('%I.%I', schemaname, sequencename) AS name, last_value FROM pg_sequences
  WHERE schemaname !~ '^(pg_|information_schema$)' ORDER BY 1`

const copyOf = (table: Table) => `template_rows."${table.name.replaceAll('"', '')}"`

async function withClient<T>(embedded: EmbeddedDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await embedded.connectUnlimited()
  // A connection that breaks fails its query as well; without a listener it would end the process.
  client.on('error', () => {})
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

interface Filled {
  name: string
  bytes: number
}

/** Lists tables that have rows, with their sizes. */
async function tablesWithRows(client: pg.Client, tables: { name: string }[]): Promise<Filled[]> {
  const queries = tables.map(
    ({ name }) => `SELECT '${name}' AS name, pg_table_size('${name}')::int AS bytes WHERE EXISTS (SELECT FROM ${name})`,
  )
  return (await client.query<Filled>(queries.join(' UNION ALL '))).rows
}

/** Finds tables whose rows differ from those in the template. */
async function changedTables(client: pg.Client, tables: Table[]): Promise<Set<string>> {
  const rowsIn = (table: Table, source: string) => `SELECT ROW(${table.columns})::text FROM ${source}`
  const queries = tables.map((table) => {
    const [current, original] = [rowsIn(table, table.name), rowsIn(table, copyOf(table))]
    return `SELECT '${table.name}' AS name WHERE EXISTS (${current} EXCEPT ALL ${original}) OR EXISTS (${original} EXCEPT ALL ${current})`
  })
  const { rows } = await client.query<{ name: string }>(queries.join(' UNION ALL '))
  return new Set(rows.map(({ name }) => name))
}

const shapeOf = async (client: pg.Client) => (await client.query<{ shape: string }>(SHAPE)).rows[0]?.shape ?? ''

async function openFirst(options: EmbeddedOptions): Promise<Kept> {
  const embedded = await openEmbedded(options)
  return await withClient(embedded, async (client) => {
    const { rows } = await client.query<Omit<Table, 'hasRows'>>(TABLES)
    const filled = new Set((await tablesWithRows(client, rows)).map(({ name }) => name))
    const tables = rows.map((table) => ({ ...table, hasRows: filled.has(table.name) }))
    await client.query('CREATE SCHEMA template_rows')
    for (const table of tables.filter(({ hasRows }) => hasRows))
      await client.query(`CREATE TABLE ${copyOf(table)} AS SELECT ${table.columns} FROM ${table.name}`)
    const sequences = (await client.query<Kept['sequences'][number]>(SEQUENCES)).rows
    return { isInUse: true, embedded, tables, sequences, shape: await shapeOf(client) }
  })
}

/**
 * Size from which a table is truncated instead of deleting its rows. TRUNCATE gives the table, those that refer to it and all
 * their indexes new files, and invalidates caches: for few rows it costs many times as much as deleting them.
 */
const LARGE_BYTES = 128 * 1024

/** Resets all rows and sequences to those of the template. @returns false when the schema has changed as well. */
async function reset({ embedded, shape, tables, sequences }: Kept): Promise<boolean> {
  return await withClient(embedded, async (client) => {
    if ((await shapeOf(client)) !== shape) return false
    const filled = await tablesWithRows(client, tables)
    const large = filled.filter(({ bytes }) => bytes >= LARGE_BYTES)
    await client.query('BEGIN')
    // Disables triggers.
    await client.query('SET LOCAL session_replication_role = replica')
    if (large.length > 0) await client.query(`TRUNCATE ${large.map(({ name }) => name).join(', ')} CASCADE`)
    const templateTables = tables.filter(({ hasRows }) => hasRows)
    const changed = await changedTables(client, templateTables)
    const unchanged = new Set(templateTables.flatMap(({ name }) => (changed.has(name) ? [] : [name])))
    const small = filled.filter(({ name, bytes }) => bytes < LARGE_BYTES && !unchanged.has(name))
    await client.query(small.map(({ name }) => `DELETE FROM ${name}`).join(';'))
    for (const table of templateTables.filter(({ name }) => changed.has(name)))
      await client.query(`INSERT INTO ${table.name} (${table.columns}) OVERRIDING SYSTEM VALUE TABLE ${copyOf(table)}`)
    for (const { name, last_value } of sequences)
      await client.query(`SELECT setval('${name}', ${last_value ?? 1}, ${last_value !== null})`)
    await client.query('COMMIT')
    await client.query('SELECT pg_advisory_unlock_all()')
    return true
  })
}

/**
 * Opens an embedded database that the test files of a process use one after the other. It's reset for each, which takes a
 * fraction of the time of opening another one.
 */
export async function openReusedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const entry = (await takeFree()) ?? (await openFirst(options))
  kept.add(entry)
  const { embedded } = entry
  const pool = new pg.Pool(embedded.pool.options)
  let isClosed = false
  return {
    ...embedded,
    pool,
    // All connections share a session: with the client of another pool, maintenance would join a test's transaction and break it.
    async withoutTimeLimit(work) {
      const client = await pool.connect()
      try {
        return await work((text) => client.query(text))
      } finally {
        client.release()
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      // Statements that still run could write rows that the next test file sees.
      if (pool.totalCount > 0 || kept.size > MAX_KEPT) await discard(entry)
      entry.isInUse = false
    },
  }
}

async function takeFree(): Promise<Kept | undefined> {
  for (const one of kept) {
    if (one.isInUse) continue
    one.isInUse = true
    if (await reset(one).catch(() => false)) return one
    // It can't be reset: its worker has ended, or the schema has changed.
    await discard(one)
  }
  return undefined
}

async function discard(one: Kept): Promise<void> {
  kept.delete(one)
  await one.embedded.close()
}
