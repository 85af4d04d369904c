import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'

type Client = Pick<ClientBase, 'query'>

interface Column {
  table: string
  name: string
  type: string
  /** Definition of a CHECK that lists the column's values; null without one. */
  listed: string | null
}

interface ForeignKey {
  table: string
  column: string
  referenced: string
  referencedColumn: string
}

/** Values that don't follow from a column's type or name, such as those that a CHECK requires. */
const requiredValues: Readonly<Record<string, string | null>> = {
  'api_tokens.scopes': '{read}',
  'chat_message_images.sha256': '0'.repeat(64),
  'chat_messages.agent_calls': '[]',
  'chat_messages.parent_id': null,
  'chat_messages.sources': '[]',
  // Trashed rows have no owner.
  'chat_sessions.trashed_at': null,
  'chat_sessions.trashed_from': null,
  'effect_images.sha256': '1'.repeat(64),
  'embedding_profiles.dimensions': '3',
  'mcp_servers.audience': 'chosen',
  'mcp_servers.command': null,
  'media_items.sha256': '2'.repeat(64),
  'media_items.trashed_at': null,
  'media_items.trashed_from': null,
  'users.trashed_at': null,
  // A folder outside the file store.
  'watched_folders.path': '/srv/scans/anna',
}

const byType: Readonly<Record<string, string>> = {
  bigint: '9007199254740993',
  boolean: 'true',
  bytea: '\\x00ff',
  date: '2026-01-05',
  'double precision': '0.30000000000000004',
  integer: '7',
  'integer[]': '{1,2,-3}',
  jsonb: '{"a": ["\u2028", 0.1, null]}',
  regconfig: 'german',
  smallint: '1',
  'text[]': '{"one, two","\\"three\\""}',
  'timestamp with time zone': '2026-01-02T03:04:05.678901Z',
  'timestamp(3) with time zone': '2026-01-02T03:04:05.678Z',
  'timestamp(3) without time zone': '2026-01-02T03:04:05.678',
  tsvector: `'mira':1`,
  vector: '[0.1,-3.4028235e+38,1.1754944e-38]',
}

/** Lists all tables of schema public, except those of extensions. */
export async function listAllTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

/** Lists the foreign keys of schema public, one row per column. */
export async function listForeignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `SELECT k.conrelid::regclass::text AS table, a.attname AS column, k.confrelid::regclass::text AS referenced,
       f.attname AS "referencedColumn"
     FROM pg_constraint k CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (own, foreign_one)
       JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = pair.own
       JOIN pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = pair.foreign_one
     WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace`,
  )
  return rows
}

async function listColumns(client: Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       (SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.contype = 'c' AND k.conrelid = c.oid
          AND k.conkey = ARRAY[a.attnum] AND pg_get_constraintdef(k.oid) LIKE '% = ANY (%' LIMIT 1) AS listed
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
     ORDER BY c.relname, a.attnum`,
  )
  return rows
}

/**
 * Adds a row to every empty table, with a value in every column and every foreign key set. Columns come from the catalog, so
 * tables and columns added later are filled as well.
 * @param storedPath path in the file store for columns that name a file.
 */
export async function fillEveryTable(client: Client, storedPath: string): Promise<void> {
  const columns = await listColumns(client)
  const keys = await listForeignKeys(client)

  const valueFor = (table: string, name: string): string | null => {
    const key = keys.find((one) => one.table === table && one.column === name)
    const column = columns.find((one) => one.table === table && one.name === name)
    if (column === undefined) throw new Error(`no column ${table}.${name}`)
    const required = requiredValues[`${table}.${name}`]
    if (required !== undefined) return required
    if (key !== undefined) return valueFor(key.referenced, key.referencedColumn)
    if (name === 'path') return storedPath
    const [, first] = /ARRAY\['([^']*)'::text/.exec(column.listed ?? '') ?? []
    if (first !== undefined) return first
    if (column.type === 'uuid') return uuidFor(`${table}.${name}`)
    if (column.type === 'uuid[]') return `{${valueFor('users', 'id')}}`
    if (/^text$|^character varying/.test(column.type)) return `${table}.${name} \u{1F9ED} "\\\r\n`.slice(0, 64)
    const value = byType[column.type]
    if (value === undefined) throw new Error(`${table}.${name}: add a value for the type ${column.type}`)
    return value
  }

  await client.query('BEGIN')
  // Disables triggers; foreign keys are checked when the rows are restored.
  await client.query('SET LOCAL session_replication_role = replica')
  for (const table of await listAllTables(client)) {
    const { rowCount } = await client.query(`SELECT FROM public."${table}" LIMIT 1`)
    if (rowCount !== 0) continue
    const tableColumns = columns.filter((column) => column.table === table)
    await client.query(
      `INSERT INTO public."${table}" (${tableColumns.map(({ name }) => `"${name}"`).join(', ')})
       VALUES (${tableColumns.map(({ type }, index) => `$${index + 1}::text::${type}`).join(', ')})`,
      tableColumns.map(({ name }) => valueFor(table, name)),
    )
  }
  await client.query('COMMIT')
}

function uuidFor(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `7${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
