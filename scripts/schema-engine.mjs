#!/usr/bin/env node
// Replaces Prisma's native schema engine: the same JSON-RPC over stdio, served by the WASM build from npm. The shadow database
// is always an in-memory PGlite; so is the main one when there is no server URL.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import readline from 'node:readline'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import { vector } from '@electric-sql/pglite-pgvector'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import pg from 'pg'

const CHAR_OID = 18
const TEXT_OID = 25

const argv = process.argv.slice(2)
const valuesOf = (flag) => argv.flatMap((argument, index) => (argument === flag ? [argv[index + 1]] : []))
const url = JSON.parse(valuesOf('--datasource')[0] ?? '{}').url ?? process.env.DATABASE_URL ?? ''
const datamodels = valuesOf('--datamodels').map((file) => [file, fs.readFileSync(file, 'utf8')])
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const logError = (line) => process.stderr.write(`${JSON.stringify({ level: 'ERROR', ...line })}\n`)

/** Returns "char" columns as text: the schema queries have them, and @prisma/adapter-pg doesn't know the type. */
function withoutCharType(connection) {
  const emit = connection.emit.bind(connection)
  connection.emit = (event, message, ...rest) => {
    if (event === 'rowDescription') {
      for (const field of message.fields) if (field.dataTypeID === CHAR_OID) field.dataTypeID = TEXT_OID
    }
    return emit(event, message, ...rest)
  }
  return connection
}

async function memoryPool() {
  const { connection } = createPgConfig(await PGlite.create({ extensions: { vector, pg_trgm } }))
  // pg passes a TypeOverrides object where PGlite wants an array.
  const parse = connection.parse.bind(connection)
  connection.parse = (query) => parse(Array.isArray(query.types) ? query : { ...query, types: undefined })
  return new pg.Pool({
    connection: withoutCharType(connection),
    user: 'postgres',
    database: 'postgres',
    host: 'memory',
    max: 1,
    idleTimeoutMillis: 0,
  })
}

async function mainPool() {
  if (!/^postgres(ql)?:\/\/[^/]*[@:.]/.test(url)) return memoryPool()
  const pool = new pg.Pool({ connectionString: url })
  pool.on('connect', (client) => withoutCharType(client.connection))
  return pool
}

/** Hides NOT NULL constraints, which PostgreSQL 18 lists in this query and engine 7.10 panics on (prisma/orm#29635). */
function withoutNotNullConstraints(adapter) {
  const queryRaw = adapter.queryRaw.bind(adapter)
  adapter.queryRaw = async (query) => {
    const sql = query.sql.replace("contype NOT IN ('p', 'u', 'f')", "contype IN ('c', 'x')")
    const result = await queryRaw({ ...query, sql })
    result.columnNames.forEach((name, index) => {
      if (name === 'constraint_type') result.columnTypes[index] = ColumnTypeEnum.Character
    })
    return result
  }
  return adapter
}

/** Runs scripts as a whole: the adapter splits them at each semicolon, even inside functions. */
function withWholeScripts(adapter) {
  adapter.executeScript = async (script) => {
    await adapter.client.query(script)
  }
  return adapter
}

const patched = (adapter) => withWholeScripts(withoutNotNullConstraints(adapter))

class Factory extends PrismaPg {
  async connect() {
    return patched(await super.connect())
  }
  // Given a connection string, the adapter itself would use the main database as the shadow database.
  async connectToShadowDb() {
    return patched(await new PrismaPg(await memoryPool()).connect())
  }
}

globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message(message) {
    logError({ fields: { message } })
    process.exit(101)
  },
}

const wasm = await import('@prisma/schema-engine-wasm/schema_engine_bg')
const packageFile = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
const { instance } = await WebAssembly.instantiate(
  fs.readFileSync(path.join(path.dirname(packageFile), 'schema_engine_bg.wasm')),
  { './schema_engine_bg.js': wasm },
)
wasm.__wbg_set_wasm(instance.exports)
instance.exports.__wbindgen_start()

const pool = await mainPool()
// Prisma uses the `cli` subcommand only to check that the database can be reached.
if (argv.includes('cli')) {
  try {
    await pool.query('SELECT 1')
    process.exit(0)
  } catch (error) {
    const fields = { error_code: 'P1001', message: error.message }
    logError({ target: 'schema_engine::logger', fields })
    process.exit(1)
  }
}

let engine
async function handleRequest(line) {
  const { id, method, params } = JSON.parse(line)
  if (!method) return
  try {
    engine ??= wasm.SchemaEngine.new(
      { datamodels: datamodels.length > 0 ? datamodels : undefined },
      () => {},
      bindMigrationAwareSqlAdapterFactory(new Factory(pool)),
    )
    const result = await (await engine)[method === 'getDatabaseVersion' ? 'version' : method](params)
    if (method === 'diff' && result?.stdout) {
      send({ id: `print-${id}`, method: 'print', params: { content: result.stdout } })
    }
    send({ id, result: result ?? {} })
  } catch (error) {
    const data = { is_panic: false, message: error.message, meta: error.meta, error_code: error.code }
    send({ id, error: { code: 4466, message: 'An error happened. Check the data field for details.', data } })
  }
}
readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => void handleRequest(line))
  .on('close', () => process.exit(0))
