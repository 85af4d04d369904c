import pg from 'pg'
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from '../src/platform/database/embedded.ts'

interface Table {
  name: string
  /** Writable columns: all but the generated ones. */
  columns: string
  /** True when the template has rows, which are restored. */
  hasRows: boolean
}

/** An embedded database of a process that runs several test files. */
interface Kept {
  isInUse: boolean
  embedded: EmbeddedDatabase
  /** Tables, indexes, functions, triggers and constraints at the time of opening. */
  shape: string
  tables: Table[]
  sequences: { name: string; last_value: string | null }[]
}

/** Open databases: a file may use a second one at the same time. */
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

/** The tables that have rows, and how large each is. */
async function tablesWithRows(client: pg.Client, tables: { name: string }[]): Promise<Filled[]> {
  const questions = tables.map(
    ({ name }) => `SELECT '${name}' AS name, pg_table_size('${name}')::int AS bytes WHERE EXISTS (SELECT FROM ${name})`,
  )
  return (await client.query<Filled>(questions.join(' UNION ALL '))).rows
}

/** Tables with rows in the template whose rows have changed. */
async function changedTables(client: pg.Client, tables: Table[]): Promise<Set<string>> {
  const rowsIn = (table: Table, place: string) => `SELECT ROW(${table.columns})::text FROM ${place}`
  const questions = tables.map((table) => {
    const [now, then] = [rowsIn(table, table.name), rowsIn(table, copyOf(table))]
    return `SELECT '${table.name}' AS name WHERE EXISTS (${now} EXCEPT ALL ${then}) OR EXISTS (${then} EXCEPT ALL ${now})`
  })
  const { rows } = await client.query<{ name: string }>(questions.join(' UNION ALL '))
  return new Set(rows.map(({ name }) => name))
}

const shapeOf = async (client: pg.Client) => (await client.query<{ shape: string }>(SHAPE)).rows[0]?.shape ?? ''

async function openFirst(options: EmbeddedOptions): Promise<Kept> {
  const embedded = await openEmbedded(options)
  // maintenance is done through this pool, whose client may be there when a test ends the worker
  embedded.pool.on('error', () => {})
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
 * From this size on the rows of a table are not taken out one by one but all at once. That gives it, what refers to it and all
 * of their indexes new files, and the database forgets what it knew of them: for few rows it costs many times what they do.
 */
const LARGE_BYTES = 128 * 1024

/** Brings all rows and sequences back to what the template has; false when more than rows has changed. */
async function empty({ embedded, shape, tables, sequences }: Kept): Promise<boolean> {
  return await withClient(embedded, async (client) => {
    if ((await shapeOf(client)) !== shape) return false
    const filled = await tablesWithRows(client, tables)
    const large = filled.filter(({ bytes }) => bytes >= LARGE_BYTES)
    await client.query('BEGIN')
    // without triggers
    await client.query('SET LOCAL session_replication_role = replica')
    if (large.length > 0) await client.query(`TRUNCATE ${large.map(({ name }) => name).join(', ')} CASCADE`)
    const ofTemplate = tables.filter(({ hasRows }) => hasRows)
    const changed = await changedTables(client, ofTemplate)
    const unchanged = new Set(ofTemplate.flatMap(({ name }) => (changed.has(name) ? [] : [name])))
    const small = filled.filter(({ name, bytes }) => bytes < LARGE_BYTES && !unchanged.has(name))
    await client.query(small.map(({ name }) => `DELETE FROM ${name}`).join(';'))
    for (const table of ofTemplate.filter(({ name }) => changed.has(name)))
      await client.query(`INSERT INTO ${table.name} (${table.columns}) OVERRIDING SYSTEM VALUE TABLE ${copyOf(table)}`)
    for (const { name, last_value } of sequences)
      await client.query(`SELECT setval('${name}', ${last_value ?? 1}, ${last_value !== null})`)
    await client.query('COMMIT')
    await client.query('SELECT pg_advisory_unlock_all()')
    return true
  })
}

/**
 * Opens an embedded database that files run by one process use one after the other. It is emptied for each, which takes a
 * small part of what opening another one does.
 */
export async function openKept(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const mine = (await takeFree()) ?? (await openFirst(options))
  kept.add(mine)
  const { embedded } = mine
  const pool = new pg.Pool(embedded.pool.options)
  let isClosed = false
  return {
    ...embedded,
    pool,
    async close() {
      if (isClosed) return
      isClosed = true
      // what still runs could write into what the next file sees
      if (pool.totalCount > 0 || kept.size > MAX_KEPT) await forget(mine)
      mine.isInUse = false
    },
  }
}

async function takeFree(): Promise<Kept | undefined> {
  for (const one of kept) {
    if (one.isInUse) continue
    one.isInUse = true
    if (await empty(one).catch(() => false)) return one
    // one that cannot be emptied, because its worker was ended or more than rows has changed, is of no use
    await forget(one)
  }
  return undefined
}

async function forget(one: Kept): Promise<void> {
  kept.delete(one)
  await one.embedded.close()
}
