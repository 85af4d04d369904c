import type { ClientBase } from 'pg'
import { StartupError } from '../../errors.ts'
import { accessItemTables, outboundSettings } from './access-items.ts'
import { migrate } from './migrate.ts'
import { changesAfterLoading, excludedTables, listTables } from './snapshot.ts'
import { raw, sql } from './sql.ts'

type Client = Pick<ClientBase, 'query'>

/** Rows of a table in an archive. */
export interface ArchivedTable {
  name: string
  /** Batches of rows, each row as JSON. */
  pieces(): AsyncIterable<string[]>
}

/** Report on a loaded archive. */
export interface LoadedSnapshot {
  /** By kind, the number of things that grant access or send data out and are off until confirmed. */
  suspended: Record<string, number>
  codes: CodesOfAccounts
}

interface CodesOfAccounts {
  /** Accounts that sign in with authenticator or recovery codes. */
  accountCount: number
  /** Fingerprint of the JWT_SECRET that they need; null when the archive doesn't contain one. */
  secretFingerprint: string | null
}

/** Tables and views of schema public, except an extension's. */
const ownRelations = `
  SELECT format('DROP %s IF EXISTS public.%I CASCADE', CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.relname) AS drop
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`
const ownRoutines = `
  SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', p.oid::regprocedure) AS drop FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`

/** Contents of a database: nothing, an instance of Mira, or something else. */
export async function judgeDatabase(client: Client): Promise<'empty' | 'mira' | 'other'> {
  const { rowCount } = await client.query(`${ownRelations} LIMIT 1`)
  if (rowCount === 0) return 'empty'
  const { rows } = await client.query<{ ours: boolean }>(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AND to_regclass('public.chat_sessions') IS NOT NULL AS ours`,
  )
  return rows[0]?.ours === true ? 'mira' : 'other'
}

/** Removes everything that belongs to Mira; extensions stay, because someone else may have installed them. */
export async function emptyDatabase(client: Client): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(`${ownRelations} UNION ALL ${ownRoutines}`)
  for (const { drop } of rows) await client.query(drop)
  await client.query('DROP SCHEMA IF EXISTS pgboss CASCADE; DROP SCHEMA IF EXISTS backup_copy CASCADE')
}

/**
 * Creates the tables as of the archive's version, fills them, and migrates them, inside a transaction that the caller has
 * begun on an empty database.
 */
export async function loadSnapshot(
  client: Client,
  archive: { migrations: readonly string[]; tables: readonly ArchivedTable[]; migrationsDir: string },
): Promise<LoadedSnapshot> {
  const { migrations, migrationsDir } = archive
  // earlier versions archived some tables that are excluded now
  const tables = archive.tables.filter(({ name }) => !excludedTables.includes(name))
  await migrate(client, migrationsDir, { only: migrations, isInTransaction: true })
  const columnsByTable = new Map((await listTables(client)).map(({ name, columns }) => [name, columns.join(', ')]))
  const unknown = tables.find(({ name }) => !columnsByTable.has(name))
  if (unknown) throw new StartupError(`The archive contains a table that its version does not have: ${unknown.name}.`)

  const names = [...columnsByTable.keys()].map((name) => `public."${name}"`)
  const recreate = await dropConstraintsAndIndexes(client, [...columnsByTable.keys()])
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  // migrations may have inserted rows
  await client.query(`TRUNCATE ${names.join(', ')}`)
  for (const { name, pieces } of tables) {
    const columns = raw(columnsByTable.get(name) ?? '')
    const table = raw(`public."${name}"`)
    for await (const rows of pieces()) {
      await client.query(sql`
        INSERT INTO ${table} (${columns})
        SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ${`[${rows.join(',')}]`}::json)`)
    }
  }
  for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  for (const statement of recreate) await client.query(statement)
  await setSequences(client)
  await migrate(client, migrationsDir, { isInTransaction: true })
  const codes = await readCodes(client)
  for (const statement of changesAfterLoading) await client.query(statement)
  const suspended = await notifyOfSuspended(client, await turnOutboundSettingsOff(client))
  await client.query(`ANALYZE ${names.join(', ')}`)
  return { suspended, codes }
}

async function readCodes(client: Client): Promise<CodesOfAccounts> {
  const { rows } = await client.query<CodesOfAccounts>(
    `SELECT (SELECT count(*)::int FROM public.totp_secrets WHERE confirmed_at IS NOT NULL) AS "accountCount",
       (SELECT value #>> '{}' FROM public.settings WHERE key = 'jwt_secret_fingerprint') AS "secretFingerprint"`,
  )
  return rows[0] ?? { accountCount: 0, secretFingerprint: null }
}

/**
 * Notifies every owner of suspended things, and every administrator of the restore.
 * @returns the number of suspended things by kind, including `model_connection` and the given settings.
 */
async function notifyOfSuspended(client: Client, settings: Record<string, number>): Promise<Record<string, number>> {
  const things = Object.entries(accessItemTables).map(
    ([kind, { table, isSuspended }]) => `SELECT '${kind}' AS kind, t.user_id FROM ${table} t WHERE ${isSuspended}`,
  )
  const all = `${things.join(' UNION ALL ')} UNION ALL SELECT 'model_connection', NULL FROM model_connections WHERE NOT is_enabled`
  const { rows } = await client.query<{ kind: string; count: number }>(
    `SELECT kind, count(*)::int AS count FROM (${all}) AS suspended GROUP BY kind ORDER BY kind`,
  )
  await client.query(
    `INSERT INTO public.notifications (id, user_id, kind, params, link)
     SELECT gen_random_uuid(), user_id, 'access_suspended', jsonb_build_object('count', count(*)), '/dashboard?tab=settings#access'
     FROM (${all}) AS suspended WHERE user_id IS NOT NULL GROUP BY user_id`,
  )
  const suspended = { ...Object.fromEntries(rows.map((row) => [row.kind, row.count])), ...settings }
  const count = Object.values(suspended).reduce((sum, one) => sum + one, 0)
  await client.query(
    sql`INSERT INTO public.notifications (id, user_id, kind, params, link)
     SELECT gen_random_uuid(), id, 'instance_restored', jsonb_build_object('count', ${count}::int), '/admin?tab=settings'
     FROM public.users WHERE role = 'admin' AND is_active`,
  )
  return suspended
}

/** Turns off settings that send data out. @returns the number of those that were on, by kind. */
async function turnOutboundSettingsOff(client: Client): Promise<Record<string, number>> {
  const turnedOff: Record<string, number> = {}
  for (const [kind, { key, isOn, off }] of Object.entries(outboundSettings)) {
    const { rowCount } = await client.query(
      sql`UPDATE public.settings SET value = ${raw(off)} WHERE key = ${key} AND ${raw(isOn)}`,
    )
    if (rowCount) turnedOff[kind] = rowCount
  }
  return turnedOff
}

/**
 * Drops foreign keys, so that tables can be loaded in any order, and indexes, which are faster to build afterwards.
 * @returns the statements that recreate them; a violated foreign key fails then.
 */
async function dropConstraintsAndIndexes(client: Client, tables: string[]): Promise<string[]> {
  const { rows: keys } = await client.query<{ drop: string; add: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  )
  for (const { drop } of keys) await client.query(drop)
  const { rows: indexes } = await client.query<{ drop: string; add: string }>(
    sql`SELECT format('DROP INDEX %s', i.indexrelid::regclass) AS drop, pg_get_indexdef(i.indexrelid) AS add
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (${tables})
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`,
  )
  for (const { drop } of indexes) await client.query(drop)
  return [...indexes, ...keys].map(({ add }) => add)
}

/** Advances the sequences past the loaded rows. */
async function setSequences(client: Client): Promise<void> {
  const { rows } = await client.query<{ sequence: string; name: string; attribute: string }>(
    `SELECT pg_get_serial_sequence(format('public.%I', c.relname), a.attname) AS sequence, quote_ident(c.relname) AS name,
       quote_ident(a.attname) AS attribute
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
       AND pg_get_serial_sequence(format('public.%I', c.relname), a.attname) IS NOT NULL`,
  )
  for (const { sequence, name, attribute } of rows) {
    await client.query(
      sql`SELECT setval(${sequence}, (SELECT coalesce(max(${raw(attribute)}), 0) + 1 FROM public.${raw(name)}), false)`,
    )
  }
}
