import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createSemaphore, type Semaphore } from '../lib/semaphore.ts'
import { advisoryLocks } from './advisory-locks.ts'
import { raw, sql } from './sql.ts'
import { fileTables } from './unreferenced-files.ts'

/**
 * Treatment of a table by backups and restores.
 * - `kept`: archived, and restored as it was.
 * - `excluded`: never archived; rows in archives of earlier versions are skipped.
 * - `changed`: archived, but changed after loading. `set` maps columns to SQL expressions; rows for which the SQL condition
 *   `remove` holds are deleted first.
 */
type TableRule = 'kept' | 'excluded' | { set?: Readonly<Record<string, string>>; remove?: string }

/** Rule for tables that grant access: rows may have been revoked since the backup, so they're off until their owner confirms them. */
const suspended = { set: { suspended_at: 'now()' } } as const

/** Every table of the schema. A test fails for one that isn't listed, and for a kept table that references an excluded one. */
export const tableRules: Readonly<Record<string, TableRule>> = {
  _prisma_migrations: 'excluded',
  activities: 'kept',
  activity_day_totals: 'kept',
  activity_days: 'kept',
  activity_hour_totals: 'kept',
  activity_hours: 'kept',
  activity_marks: 'kept',
  activity_rollups: 'kept',
  activity_session_hours: 'kept',
  agent_runs: 'kept',
  // may have been revoked since the backup
  api_tokens: 'excluded',
  audit_chain: 'kept',
  audit_entries: 'kept',
  audit_links: 'kept',
  auth_sessions: 'excluded',
  automation_runs: 'kept',
  automation_tasks: 'kept',
  // a list of the archives on this disk
  backups: 'excluded',
  chat_answer_events: 'kept',
  chat_answers: 'kept',
  chat_message_images: 'kept',
  chat_message_media: 'kept',
  chat_messages: 'kept',
  chat_person_figures: 'kept',
  chat_session_figures: 'kept',
  chat_sessions: 'kept',
  chat_summaries: 'kept',
  classifiers: 'kept',
  // found by checking the files on this disk
  damaged_files: 'excluded',
  effect_images: 'kept',
  effect_recipes: 'kept',
  embedding_profiles: 'kept',
  facts: 'kept',
  // pending deliveries aren't sent again after a restore
  hook_deliveries: { remove: `state = 'waiting'` },
  hook_notices: 'excluded',
  hooks: suspended,
  imported_facts: 'kept',
  imported_things: 'kept',
  // the source server's key may have been revoked since: the import asks for it again
  imports: { set: { sealed_key: 'NULL' } },
  instructions: 'kept',
  invitations: 'excluded',
  known_item_checks: 'kept',
  login_failures: 'excluded',
  loose_files: 'excluded',
  mcp_servers: { set: { is_enabled: 'false' } },
  media_copies: 'kept',
  media_items: 'kept',
  media_parts: 'kept',
  media_steps: 'kept',
  media_turns: 'kept',
  model_connections: { set: { is_enabled: 'false' } },
  moment_embeddings: 'kept',
  moments: 'kept',
  notifications: 'kept',
  // a registration opens nothing without a grant, and OAuth clients remember their client id
  oauth_clients: 'kept',
  oauth_grants: 'excluded',
  oauth_tokens: 'excluded',
  // Removed identities stay removed (`infinity`).
  oidc_identities: { set: { suspended_at: 'greatest(suspended_at, now())' } },
  part_embeddings: 'kept',
  partial_uploads: 'excluded',
  passkeys: suspended,
  person_counts: 'kept',
  persona_items: 'kept',
  personas: 'kept',
  project_items: 'kept',
  projects: 'kept',
  prompts: 'kept',
  push_keys: 'kept',
  // belongs to auth_sessions
  push_subscriptions: 'excluded',
  recovery_codes: 'kept',
  reminders: 'kept',
  // another machine has its own secret
  settings: { remove: `key = 'jwt_secret_fingerprint'` },
  shares: suspended,
  source_answers: 'kept',
  system_samples: 'kept',
  tag_models: 'kept',
  totp_secrets: 'kept',
  used_tickets: 'excluded',
  // invalidates signed file URLs from before the restore
  users: { set: { link_epoch: 'gen_random_uuid()' } },
  watched_files: 'kept',
  watched_folders: 'kept',
  weekly_summaries: 'kept',
}

/** Tables whose rows are never archived, nor restored from an earlier version's archive. */
export const excludedTables: readonly string[] = Object.keys(tableRules).filter(
  (name) => tableRules[name] === 'excluded',
)

/** Statements that adapt loaded rows to the restored instance. */
export const changesAfterLoading: readonly string[] = Object.entries(tableRules).flatMap(([name, rule]) => {
  if (typeof rule === 'string') return []
  const assignments = Object.entries(rule.set ?? {}).map(([column, value]) => `${column} = ${value}`)
  return [
    ...(rule.remove === undefined ? [] : [`DELETE FROM public.${name} WHERE ${rule.remove}`]),
    ...(assignments.length === 0 ? [] : [`UPDATE public.${name} SET ${assignments.join(', ')}`]),
  ]
})

/** Rows of a table at the time of the snapshot. */
export interface SnapshotTable {
  name: string
  /** Approximate size in the database. */
  sizeBytes: number
  /** Batches of a few megabytes; each row is a line of JSON, which PostgreSQL reads back losslessly. */
  pieces(): AsyncGenerator<string[]>
}

/** Consistent state of the whole database; it can be read once. */
export interface Snapshot {
  /** Names of the applied migrations. */
  migrations: string[]
  tables: SnapshotTable[]
  /** Paths of the stored files that its rows name. */
  listFiles(): Promise<string[]>
  close(): Promise<void>
}

const COPY_SCHEMA = 'backup_copy'
const FILES_TABLE = 'mira_stored_files'
const PAGE_BYTES = 8192
const PIECE_BYTES = 2 * 1024 * 1024
const ROWS_AT_ONCE = 200
/** Pages that one statement of the embedded database copies within a fraction of a second. */
const COPIED_PAGES_AT_ONCE = 4096
/** Interval at which to retry the lock while another process reads its snapshot. */
const LOCK_RETRY_MS = 500

interface TableColumns {
  name: string
  /** Quoted names, without generated columns. */
  columns: string[]
  size_bytes: string
}

type Client = Pick<pg.ClientBase, 'query'>

/** The tables of schema public that are backed up. */
export async function listTables(client: Client): Promise<TableColumns[]> {
  const { rows } = await client.query<TableColumns>(sql`
    SELECT c.relname AS name, array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns,
      pg_table_size(c.oid) AS size_bytes
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL (${excludedTables})
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    GROUP BY c.oid, c.relname ORDER BY c.relname`)
  return rows
}

async function listApplied(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
     ORDER BY migration_name`,
  )
  return rows.map(({ name }) => name)
}

/** SQL for the distinct paths of stored files that rows of these tables name. */
const filePathsSql = (tables: TableColumns[]) =>
  tables
    .filter(({ name }) => fileTables.includes(name))
    .map(({ name }) => `SELECT path FROM public."${name}" WHERE path IS NOT NULL`)
    .join(' UNION ')

/** SQL for the distinct paths of stored files that rows of all backed-up tables name. */
export const storedFilesSql = async (client: Client): Promise<string> => filePathsSql(await listTables(client))

/** Approximate size of a backup of the database. */
export async function snapshotBytes(client: Client): Promise<number> {
  return (await listTables(client)).reduce((sum, table) => sum + Number(table.size_bytes), 0)
}

/**
 * Opens a snapshot of a database server, in a repeatable-read transaction that blocks nobody. Snapshots are read one at a
 * time.
 * @throws the signal's reason.
 */
export async function openServerSnapshot(databaseUrl: string, signal?: AbortSignal): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'mira-backup', keepAlive: true })
  await client.connect()
  // the failed query rejects with the same error
  client.on('error', () => {})
  try {
    const isLocked = async () => {
      const { rows } = await client.query<{ locked: boolean }>(
        sql`SELECT pg_try_advisory_lock(${advisoryLocks.backups}) AS locked`,
      )
      return rows[0]?.locked === true
    }
    // releases the lock of a dead machine within two minutes
    await client.query('SET tcp_keepalives_idle = 60; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 6')
    while (!(await isLocked())) {
      await sleep(LOCK_RETRY_MS)
      signal?.throwIfAborted()
    }
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const tables = await listTables(client)
    const read = async function* <Row extends pg.QueryResultRow>(select: string): AsyncGenerator<Row[]> {
      await client.query(`DECLARE pieces NO SCROLL CURSOR FOR ${select}`)
      for (;;) {
        const { rows } = await client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM pieces`)
        if (rows.length === 0) break
        yield rows
      }
      await client.query('CLOSE pieces')
    }
    return {
      migrations: await listApplied(client),
      tables: tables.map(({ name, columns, size_bytes: sizeBytes }) => ({
        name,
        sizeBytes: Number(sizeBytes),
        async *pieces() {
          const select = `SELECT row_to_json(t)::text AS row FROM (SELECT ${columns.join(', ')} FROM public."${name}") t`
          for await (const rows of read<{ row: string }>(select)) yield rows.map(({ row }) => row)
        },
      })),
      async listFiles() {
        const paths: string[] = []
        for await (const rows of read<{ path: string }>(filePathsSql(tables)))
          paths.push(...rows.map(({ path }) => path))
        return paths
      },
      // ends the transaction and releases the lock
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Semaphores that allow one snapshot per database at a time, because the copies always have the same names. */
const semaphores = new WeakMap<pg.Pool, Semaphore>()

/**
 * Opens a snapshot of the embedded database. A long transaction would block its only session, so the tables are copied in a
 * short one, and the copies are read afterwards.
 * @throws the signal's reason, while waiting for another snapshot.
 */
export async function openEmbeddedSnapshot(pool: pg.Pool, signal?: AbortSignal): Promise<Snapshot> {
  const semaphore = semaphores.get(pool) ?? createSemaphore({ permits: 1 })
  semaphores.set(pool, semaphore)
  const permit = await semaphore.acquire({ signal })
  try {
    const { close, ...snapshot } = await copyAll(pool)
    return { ...snapshot, close: () => close().finally(() => permit[Symbol.dispose]()) }
  } catch (error) {
    permit[Symbol.dispose]()
    throw error
  }
}

async function copyAll(pool: pg.Pool): Promise<Snapshot> {
  const client = await pool.connect()
  let tables: TableColumns[]
  let migrations: string[]
  try {
    tables = await listTables(client)
    migrations = await listApplied(client)
    await client.query('BEGIN')
    // leftovers of a killed process
    await client.query(`DROP SCHEMA IF EXISTS ${COPY_SCHEMA} CASCADE; CREATE SCHEMA ${COPY_SCHEMA}`)
    for (const table of tables) await copyTable(client, table)
    await client.query(`CREATE UNLOGGED TABLE ${COPY_SCHEMA}.${FILES_TABLE} AS ${filePathsSql(tables)}`)
    await client.query('COMMIT')
    client.release()
  } catch (error) {
    // closing the connection rolls back the transaction
    client.release(true)
    throw error
  }
  const read = (name: string, value: string) => readPages(pool, `${COPY_SCHEMA}."${name}"`, value)
  return {
    migrations,
    tables: tables.map(({ name, size_bytes: sizeBytes }) => ({
      name,
      sizeBytes: Number(sizeBytes),
      pieces: () => read(name, 'row_to_json(t)::text'),
    })),
    async listFiles() {
      const paths: string[] = []
      for await (const piece of read(FILES_TABLE, 't.path')) paths.push(...piece)
      return paths
    },
    close: () => dropCopies(pool),
  }
}

/** Removes the copies of the embedded database's snapshot, including a killed process's. */
export async function dropCopies(pool: pg.Pool): Promise<void> {
  await pool.query(`DROP SCHEMA IF EXISTS ${COPY_SCHEMA} CASCADE`)
}

async function pagesOf(client: Client, table: string): Promise<{ pages: number; bytes: number }> {
  const { rows } = await client.query<{ pages: number; bytes: string }>(
    sql`SELECT (pg_relation_size(${table}) / ${raw(PAGE_BYTES)})::int AS pages, pg_table_size(${table}) AS bytes`,
  )
  return { pages: rows[0]?.pages ?? 0, bytes: Number(rows[0]?.bytes ?? 0) }
}

async function copyTable(client: Client, { name, columns }: TableColumns): Promise<void> {
  const [source, copy, list] = [`public."${name}"`, `${COPY_SCHEMA}."${name}"`, columns.join(', ')]
  await client.query(`CREATE UNLOGGED TABLE ${copy} AS SELECT ${list} FROM ${source} WITH NO DATA`)
  const { pages } = await pagesOf(client, source)
  for (let page = 0; page < pages; page += COPIED_PAGES_AT_ONCE) {
    await client.query(
      sql`INSERT INTO ${raw(copy)} SELECT ${raw(list)} FROM ${raw(source)} WHERE ctid >= ${`(${page},0)`}::tid
        AND ctid < ${`(${page + COPIED_PAGES_AT_ONCE},0)`}::tid`,
    )
  }
}

/** Reads a table that doesn't change, in batches of PIECE_BYTES. */
async function* readPages(pool: pg.Pool, table: string, value: string): AsyncGenerator<string[]> {
  const { pages, bytes } = await pagesOf(pool, table)
  const step = Math.max(1, Math.floor((PIECE_BYTES * pages) / Math.max(bytes, 1)))
  for (let page = 0; page < pages; page += step) {
    const { rows } = await pool.query<{ value: string }>(
      sql`SELECT ${raw(value)} AS value FROM ${raw(table)} t WHERE ctid >= ${`(${page},0)`}::tid
        AND ctid < ${`(${page + step},0)`}::tid`,
    )
    if (rows.length > 0) yield rows.map((row) => row.value)
  }
}
