import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, rename, rm, statfs } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import pg from 'pg'
import { syncFolder } from './adapters/files/disk.ts'
import { type OpenedZip, openZip } from './adapters/files/unzip.ts'
import { syncTree, writeWholeFile } from './adapters/files/whole-file.ts'
import type { Config } from './config.ts'
import { MIGRATIONS_DIR } from './db/client.ts'
import { openEmbedded } from './db/embedded.ts'
import { type ArchivedTable, emptyDatabase, judgeDatabase, loadSnapshot } from './db/load-snapshot.ts'
import { lockDataDir } from './db/lock.ts'
import { listMigrations, MIGRATIONS_LOCK } from './db/migrate.ts'
import { StartupError } from './errors.ts'
import { type Manifest, storedFile, storedPath, tableFile } from './features/backups/archive.ts'
import { checkArchive } from './features/backups/archive-check.ts'
import type { Log } from './log.ts'

export interface RestoreOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl'>
  archive: string
  /** Whether what the target holds gives way. */
  isReplacing: boolean
  /** Told what is being done, and how far it is in percent. */
  onProgress?: (what: 'check' | 'rows' | 'files', percent: number) => void
  migrationsDir?: string
  log: Log
}

export interface Restored {
  manifest: Manifest
  rowCount: number
  fileCount: number
  /** Folder that holds what lay in DATA_DIR before. */
  asideFolder: string | null
}

const STAGING = 'restoring'
const ROWS_AT_ONCE = 500
const CHARACTERS_AT_ONCE = 2 * 1024 * 1024

/**
 * Makes an instance of an archive, in DATA_DIR and in the database of the configuration. Everything is written beside what
 * is there, and put in its place in the end, so that a failure changes nothing.
 * @throws StartupError when the archive cannot be trusted, the target is in use or not empty, or there is no room.
 */
export async function restoreArchive(options: RestoreOptions): Promise<Restored> {
  const { config, archive, migrationsDir = MIGRATIONS_DIR, onProgress = () => {} } = options
  const { dataDir, databaseUrl } = config
  const zip = await openZip(archive).catch((error: Error) => {
    throw new StartupError(`The archive ${archive} cannot be read: ${error.message.replace(/\.+$/, '')}.`, {
      cause: error,
    })
  })
  try {
    const knownMigrations = await listMigrations(migrationsDir)
    const manifest = await checkArchive(zip, { knownMigrations, onProgress: (percent) => onProgress('check', percent) })
    const unlock = await lockDataDir(dataDir)
    const staging = join(dataDir, STAGING)
    try {
      await requireRoom(dataDir, manifest)
      await rm(staging, { recursive: true, force: true })
      await mkdir(staging, { recursive: true, mode: 0o700 })
      const work: Work = { ...options, zip, manifest, migrationsDir, staging, onProgress }
      const asideFolder = await (databaseUrl === undefined ? intoEmbedded(work) : intoServer(work, databaseUrl))
      return { manifest, ...countsOf(manifest), asideFolder }
    } finally {
      await rm(staging, { recursive: true, force: true })
      unlock()
    }
  } finally {
    zip.close()
  }
}

interface Work extends Required<RestoreOptions> {
  zip: OpenedZip
  manifest: Manifest
  staging: string
}

async function intoEmbedded(work: Work): Promise<string | null> {
  const { config, staging, isReplacing, log } = work
  const { dataDir } = config
  const isTaken = existsSync(join(dataDir, 'database', 'PG_VERSION')) || (await hasFiles(dataDir))
  if (isTaken && !isReplacing) throw notEmpty(`DATA_DIR ${dataDir}`, 'moves what is there aside')
  // nothing of it is used before all of it is on the disk
  const database = await openEmbedded({ dataDir: staging, isDurable: false, log })
  try {
    const client = await database.connectUnlimited()
    try {
      await client.query('BEGIN')
      await load(client, work)
      await client.query('COMMIT; CHECKPOINT')
    } finally {
      await client.end()
    }
  } finally {
    await database.close()
  }
  await syncTree(join(staging, 'database'))
  await writeFiles(work)
  const aside = isTaken ? asideOf(dataDir) : null
  for (const name of ['database', 'files']) {
    if (aside !== null) await moveAside(dataDir, name, aside)
    await rm(join(dataDir, name), { recursive: true, force: true })
    if (existsSync(join(staging, name))) await rename(join(staging, name), join(dataDir, name))
  }
  await syncFolder(dataDir)
  return aside
}

async function intoServer(work: Work, databaseUrl: string): Promise<string | null> {
  const { config, isReplacing, log } = work
  const { dataDir } = config
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'mira-restore', keepAlive: true })
  // the query that fails says the same
  client.on('error', (error) => log.warn({ err: error }, 'the connection to the database was lost'))
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => {})
    throw new StartupError(`The database of DATABASE_URL cannot be used: ${(error as Error).message}`, { cause: error })
  }
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await requireAlone(client)
    const found = await judgeDatabase(client)
    if (found === 'other') {
      throw new StartupError('The database of DATABASE_URL holds tables that are not Mira’s. Name an empty one.')
    }
    if (found === 'mira' && !isReplacing) throw notEmpty('The database of DATABASE_URL', 'deletes what it holds')
    await writeFiles(work)
    await client.query('BEGIN')
    if (found === 'mira') await emptyDatabase(client)
    await load(client, work)
    const aside = found === 'mira' && (await hasFiles(dataDir)) ? asideOf(dataDir) : null
    const files = join(dataDir, 'files')
    try {
      // until the rows are there, those of before need their files where they are
      if (aside !== null) await linkTree(files, join(aside, 'files'))
      await putFilesInPlace(work)
      await client.query('COMMIT')
    } catch (error) {
      if (aside !== null) await rm(aside, { recursive: true, force: true })
      throw error
    }
    if (aside !== null) await removeOthers(files, work.manifest)
    return aside
  } finally {
    await client.end()
  }
}

/** Servers that start meanwhile wait for the lock of the migrations. */
async function requireAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean; servers: number }>(
    `SELECT pg_try_advisory_lock($1) AS locked, (SELECT count(*)::int FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'mira%' AND pid <> pg_backend_pid()) AS servers`,
    [MIGRATIONS_LOCK],
  )
  const { locked = false, servers = 0 } = rows[0] ?? {}
  if (!locked || servers > 0) {
    throw new StartupError('A server of Mira uses the database of DATABASE_URL. Stop all of them first.')
  }
}

async function load(client: pg.Client, { zip, manifest, migrationsDir, onProgress }: Work): Promise<void> {
  const total = Math.max(1, countsOf(manifest).rowCount)
  let done = 0
  const tables = Object.keys(manifest.tables).map(
    (name): ArchivedTable => ({
      name,
      async *pieces() {
        for await (const rows of linesOf(zip, tableFile(name))) {
          yield rows
          done += rows.length
          onProgress('rows', Math.floor((100 * done) / total))
        }
      },
    }),
  )
  await loadSnapshot(client, { migrations: manifest.migrations, tables, migrationsDir })
}

async function* linesOf(zip: OpenedZip, name: string): AsyncGenerator<string[]> {
  let rows: string[] = []
  let characters = 0
  let rest = ''
  // readline would also end lines at characters that stand inside of rows
  for await (const piece of (await zip.open(name)).setEncoding('utf8')) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      rows.push(line)
      characters += line.length
      if (rows.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue
      yield rows
      rows = []
      characters = 0
    }
  }
  if (rows.length > 0) yield rows
}

async function writeFiles({ zip, manifest, staging, onProgress }: Work): Promise<void> {
  const stored = manifest.files.flatMap(({ name }) => storedPath(name) ?? [])
  for (const [at, path] of stored.entries()) {
    const filename = join(staging, 'files', path)
    await mkdir(dirname(filename), { recursive: true, mode: 0o700 })
    await writeWholeFile(filename, await zip.open(storedFile(path)))
    onProgress('files', Math.floor((100 * (at + 1)) / stored.length))
  }
}

/** Files are named by their content: one that is there already is the same one. */
async function putFilesInPlace({ config, manifest, staging }: Work): Promise<void> {
  for (const { name } of manifest.files) {
    const path = storedPath(name)
    if (path === null) continue
    const target = join(config.dataDir, 'files', path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(join(staging, 'files', path), target)
    await syncFolder(dirname(target))
  }
}

/** Makes a folder that names the same files, without a copy where the disk can do that. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await linkTree(source, target)
    else await link(source, target).catch(() => copyFile(source, target))
  }
}

/** Removes the files that an archive does not have. */
async function removeOthers(folder: string, { files }: Manifest): Promise<void> {
  const kept = new Set(files.flatMap(({ name }) => storedPath(name) ?? []))
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const filename = join(entry.parentPath, entry.name)
    const isKept = kept.has(relative(folder, filename).split(sep).join('/'))
    if (!entry.isDirectory() && !isKept) await rm(filename)
  }
}

async function hasFiles(dataDir: string): Promise<boolean> {
  const names = await readdir(join(dataDir, 'files')).catch(() => [])
  return names.some((name) => name !== 'incoming')
}

function asideOf(dataDir: string): string {
  return join(dataDir, `replaced-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`)
}

async function moveAside(dataDir: string, name: string, aside: string): Promise<void> {
  if (!existsSync(join(dataDir, name))) return
  await mkdir(aside, { recursive: true, mode: 0o700 })
  await rename(join(dataDir, name), join(aside, name))
}

async function requireRoom(dataDir: string, { files }: Manifest): Promise<void> {
  const needed = files.reduce((sum, { size_bytes: sizeBytes }) => sum + sizeBytes, 0)
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize >= needed) return
  const [has, needs] = [bavail * bsize, needed].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
  throw new StartupError(`There is no room in DATA_DIR: the archive needs about ${needs}, ${has} are free.`)
}

function countsOf({ tables, files }: Manifest): { rowCount: number; fileCount: number } {
  const rowCount = Object.values(tables).reduce((sum, rows) => sum + rows, 0)
  return { rowCount, fileCount: files.filter(({ name }) => storedPath(name) !== null).length }
}

function notEmpty(what: string, consequence: string): StartupError {
  return new StartupError(`${what} is not empty. Add --replace, which ${consequence}.`)
}
