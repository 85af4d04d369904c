import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import pg from 'pg'
import type { Log } from '../src/log.ts'
import { type Database, openDatabase } from '../src/platform/database/client.ts'
import { openEmbedded } from '../src/platform/database/embedded.ts'
import { createQueue } from '../src/platform/queue/queue.ts'
import { openReusedDatabase } from './kept-database.ts'
import {
  CACHE_DIR,
  emptyDatabaseFolder,
  templateFile,
  templateFolder,
  templateHash,
  templates,
} from './laid-database.ts'

const OLD_TEMPLATE_MS = 24 * 60 * 60 * 1000
const TEMPLATE_LOCK = 72_707_370

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Adds the queue's tables to the template, since creating them takes a second. */
async function prepareQueue(database: Database): Promise<void> {
  const queue = createQueue({
    pool: database.pool,
    isOnlyProcess: database.engine === 'embedded',
    log: silentLog,
  })
  await queue.open()
  await queue.stop()
}

const templateDatabase = () => `mira_template_${templateHash()}`
const urlOf = (serverUrl: string, database: string) => {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

async function withServer<T>(serverUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Creates the databases that tests copy: migrated ones and one without tables in node_modules/.cache, and a migrated one
 * on the server of TEST_DATABASE_URL. Does nothing when they already exist.
 */
export async function prepareTemplate(): Promise<void> {
  const serverUrl = process.env.TEST_DATABASE_URL
  await prepareTemplateFiles()
  if (serverUrl) await prepareTemplateDatabase(serverUrl)
}

async function prepareTemplateFiles(): Promise<void> {
  if (existsSync(templates())) return
  mkdirSync(CACHE_DIR, { recursive: true })
  removeOldTemplates()
  const building = `${templates()}.${randomUUID()}`
  const inBuilding = (path: string) => join(building, basename(path))
  const folder = inBuilding(templateFolder())
  await (await openEmbedded({ dataDir: inBuilding(emptyDatabaseFolder()), log: silentLog })).close()
  cpSync(inBuilding(emptyDatabaseFolder()), folder, { recursive: true })
  const database = await openDatabase({ dataDir: folder, log: silentLog })
  await prepareQueue(database)
  await database.dump?.(inBuilding(templateFile()))
  await database.close()
  try {
    // Two runs may build them at once; a rename never leaves incomplete ones.
    renameSync(building, templates())
  } catch (error) {
    rmSync(building, { recursive: true })
    if (!existsSync(templates())) throw error
  }
}

function removeOldTemplates(): void {
  for (const name of readdirSync(CACHE_DIR)) {
    const old = join(CACHE_DIR, name)
    const isOld = name.startsWith('database') && Date.now() - statSync(old).mtimeMs > OLD_TEMPLATE_MS
    if (isOld) rmSync(old, { recursive: true })
  }
}

async function prepareTemplateDatabase(serverUrl: string): Promise<void> {
  const name = templateDatabase()
  await withServer(serverUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount) return
    const building = `${name}_building`
    await client.query(`DROP DATABASE IF EXISTS ${building}`)
    await client.query(`CREATE DATABASE ${building}`)
    const database = await openDatabase({
      databaseUrl: urlOf(serverUrl, building),
      dataDir: 'memory://',
      log: silentLog,
    })
    await prepareQueue(database)
    await database.close()
    await client.query(`ALTER DATABASE ${building} RENAME TO ${name}`)
  })
}

/** A test's own database and, on a server, its URL. */
export interface TestDatabase extends Database {
  databaseUrl: string | undefined
}

/**
 * Opens a fresh migrated database: in memory in about 0.4 s, or on the server of TEST_DATABASE_URL, behind the pooler of
 * TEST_POOLER_URL if there is one. Closing it removes it.
 */
export async function openTestDatabase(log: Log = silentLog): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (!serverUrl) {
    const isShared = process.env.TEST_SHARES_WORKER !== undefined
    const database = await openDatabase({
      dataDir: 'memory://',
      templateFile: templateFile(),
      log,
      ...(isShared ? { openEmbedded: openReusedDatabase } : {}),
    })
    return { ...database, databaseUrl: undefined }
  }
  const { databaseUrl, drop } = await createServerDatabase(serverUrl, templateDatabase())
  const pooler = process.env.TEST_POOLER_URL
  const poolerUrl = pooler && urlOf(pooler, new URL(databaseUrl).pathname.slice(1))
  const database = await openDatabase({ databaseUrl, poolerUrl, dataDir: 'memory://', log })
  return {
    ...database,
    databaseUrl,
    async close() {
      await database.close()
      await drop()
    },
  }
}

/** Creates a database with a random name on a server: a copy of `template`, by default empty. */
export async function createServerDatabase(
  serverUrl: string,
  template = 'template0',
): Promise<{ databaseUrl: string; drop(): Promise<void> }> {
  const name = `mira_test_${randomUUID().replaceAll('-', '')}`
  await withServer(serverUrl, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`))
  return {
    databaseUrl: urlOf(serverUrl, name),
    async drop() {
      await withServer(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    },
  }
}
