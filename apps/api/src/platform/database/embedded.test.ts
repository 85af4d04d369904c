import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDatabaseProcess } from '../../../test/database-process.ts'
import { silentLog } from '../../../test/database-template.ts'
import { copyTemplateDatabase, templateFile } from '../../../test/laid-database.ts'
import { StartupError } from '../../errors.ts'
import { DatabaseGoneError, isDatabaseUnavailable } from './availability.ts'
import { type Database, openDatabase } from './client.ts'
import { openEmbedded } from './embedded.ts'
import { inTransaction, sql } from './sql.ts'

// Starting a database takes seconds on a busy machine, and some of these start several.
vi.setConfig({ testTimeout: 90_000 })

const KILLS = process.env.TEST_LONG ? 8 : 2
const isServer = Boolean(process.env.TEST_DATABASE_URL)
let dataDir: string
let open: Database[]

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mira-data-'))
  open = []
})
afterEach(async () => {
  for (const database of open) await database.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function openOnDisk(folder = dataDir) {
  if (folder === dataDir && !existsSync(join(dataDir, 'database'))) copyTemplateDatabase(dataDir)
  const database = await openDatabase({ dataDir: folder, log: silentLog })
  open.push(database)
  return database
}
/** Expects that the open folder can't be opened again. */
async function expectRefused() {
  const error = await errorOf(openOnDisk())
  expect(error).toBeInstanceOf(StartupError)
  expect((error as Error).message).toBe(
    `DATA_DIR ${dataDir} is already used by process ${process.pid}. Stop it first, or choose another DATA_DIR.`,
  )
}
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 50 })

describe.skipIf(isServer)('the folder of the embedded database', () => {
  test('is private to its owner, cannot be opened twice, and keeps its rows', async () => {
    const first = await openOnDisk()
    expect(statSync(join(dataDir, 'database')).mode & 0o777).toBe(0o700)
    const { rows } = await first.pool.query(
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'wal_sync_method')`,
    )
    // Commits are flushed to the disk.
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toStrictEqual({
      fsync: 'on',
      wal_sync_method: 'fsync',
    })
    await first.prisma.setting.create({ data: { key: 'kept', value: 1 } })
    await expectRefused()
    await first.close()
    expect(await (await openOnDisk()).prisma.setting.count({ where: { key: 'kept' } })).toBe(1)
  })

  test('fails the start with a clear message when it is not writable', async () => {
    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    const error = await errorOf(openOnDisk(join(file, 'data')))
    expect(error).toBeInstanceOf(StartupError)
    expect((error as Error).message).toMatch(/^DATA_DIR .* isn.t writable: /)
  })

  test('fails the start when it contains something else, and is not locked', async () => {
    mkdirSync(join(dataDir, 'database'))
    writeFileSync(join(dataDir, 'database', 'PG_VERSION'), 'not a number')
    expect(await errorOf(openOnDisk())).toBeInstanceOf(StartupError)
    expect(() => statSync(join(dataDir, 'database.lock'))).toThrow()
  })
})

describe.skipIf(isServer)('when the worker dies', () => {
  test('a running transaction fails as unavailable and is rolled back, and waiting callers are served', async () => {
    const database = await openOnDisk()
    await database.prisma.setting.create({ data: { key: 'kept', value: 1 } })
    const running = errorOf(
      database.prisma.$transaction(async (tx) => {
        await tx.setting.create({ data: { key: 'lost', value: 1 } })
        await tx.$queryRaw`SELECT count(*) FROM generate_series(1, 20000000)`
      }),
    )
    const waiting = database.prisma.setting.findMany({ select: { key: true } })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await database.kill?.()
    expect(isDatabaseUnavailable(await running)).toBe(true)
    expect(await waiting).toStrictEqual([{ key: 'kept' }])
    await until(async () => expect(await database.isHealthy()).toBe(true))
    expect(await database.prisma.setting.findMany({ select: { key: true } })).toStrictEqual([{ key: 'kept' }])
  })

  test('between two statements of a transaction, only that transaction fails', async () => {
    const database = await openOnDisk()
    const uncaught = vi.fn()
    process.prependListener('uncaughtException', uncaught)
    const error = await errorOf(
      inTransaction(database.pool, async (tx) => {
        await tx.query(sql`SELECT 1`)
        await database.kill?.()
        await tx.query(sql`SELECT 1`)
      }),
    )
    process.off('uncaughtException', uncaught)
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(uncaught).not.toHaveBeenCalled()
    await until(async () => expect(await database.isHealthy()).toBe(true))
  })

  test('the database is unhealthy until another worker has started, and stays locked', async () => {
    const database = await openOnDisk()
    expect(await database.isHealthy()).toBe(true)
    await database.kill?.()
    expect(await database.isHealthy()).toBe(false)
    await expectRefused()
    await until(async () => expect(await database.isHealthy()).toBe(true))
  })
})

test.skipIf(isServer)('a query that never ends is killed with the worker', async () => {
  const options = { dataDir: undefined, templateFile: templateFile(), stuckAfterMs: 400, log: silentLog }
  const embedded = await openEmbedded(options)
  const error = await errorOf(embedded.pool.query('SELECT count(*) FROM generate_series(1, 200000000)'))
  // A query that merely took too long for its caller has another error.
  expect(error).toBeInstanceOf(DatabaseGoneError)
  await until(async () => expect((await embedded.pool.query('SELECT 1 AS one')).rows).toStrictEqual([{ one: 1 }]))
  await embedded.pool.end()
  await embedded.close()
})

test.skipIf(isServer)(
  'a query that never ends fails only for its caller; all others are served afterwards',
  async () => {
    const options = { dataDir: undefined, templateFile: templateFile(), stuckAfterMs: 1_000, log: silentLog }
    const embedded = await openEmbedded(options)
    embedded.pool.on('error', () => {})
    const slow = (sql: string) => errorOf(embedded.pool.query({ text: sql, query_timeout: 500 } as never))
    // The caller's timeout comes first, so the next caller is already connecting when the worker is killed.
    const stuck = slow('SELECT count(*) FROM generate_series(1, 200000000)')
    const others = Array.from({ length: 5 }, () => embedded.pool.query('SELECT 1 AS one'))
    expect(isDatabaseUnavailable(await stuck)).toBe(true)
    for (const { rows } of await Promise.all(others)) expect(rows).toStrictEqual([{ one: 1 }])
    await embedded.pool.end()
    await embedded.close()
  },
)

test.skipIf(isServer)('a statement without a time limit is not killed', async () => {
  const options = { dataDir: undefined, templateFile: templateFile(), stuckAfterMs: 100, log: silentLog }
  const embedded = await openEmbedded(options)
  const startedAt = performance.now()
  await embedded.withoutTimeLimit((query) => query('SELECT count(*) FROM generate_series(1, 2000000)'))
  expect(performance.now() - startedAt).toBeGreaterThan(200)
  expect((await embedded.pool.query('SELECT 1 AS one')).rows).toStrictEqual([{ one: 1 }])
  await embedded.pool.end()
  await embedded.close()
})

test.skipIf(isServer)(
  'a statement on an unlimited connection, such as a migration, is not killed while others wait for it',
  async () => {
    const options = { dataDir: undefined, templateFile: templateFile(), stuckAfterMs: 100, log: silentLog }
    const embedded = await openEmbedded(options)
    const migrating = await embedded.connectUnlimited()
    const startedAt = performance.now()
    const slow = migrating.query('SELECT count(*) FROM generate_series(1, 2000000)')
    const waiting = embedded.pool.query('SELECT 1 AS one')
    expect((await slow).rows).toHaveLength(1)
    expect(performance.now() - startedAt).toBeGreaterThan(200)
    expect((await waiting).rows).toStrictEqual([{ one: 1 }])
    await migrating.end()
    await embedded.pool.end()
    await embedded.close()
  },
)

test.skipIf(isServer)('committed data survives kill -9', async () => {
  const acknowledged: string[] = []
  copyTemplateDatabase(dataDir)
  for (let round = 0; round < KILLS; round++) {
    const writer = startDatabaseProcess('write', { dataDir })
    await until(() => expect(writer.messages.length).toBeGreaterThan(20 + round * 7))
    await writer.kill()
    acknowledged.push(...writer.messages)
  }
  const { prisma } = await openOnDisk()
  const stored = new Set((await prisma.setting.findMany({ select: { key: true } })).map(({ key }) => key))
  const isComplete = (key: string) => stored.has(`${key}-first`) && stored.has(`${key}-second`)
  expect(acknowledged.filter((key) => !isComplete(key))).toStrictEqual([])
  // All or nothing: an unacknowledged commit has both rows or none.
  expect([...stored].filter((key) => !isComplete(key.replace(/-(first|second)$/, '')))).toStrictEqual([])
})

test.skipIf(isServer)('closing does not wait for a query that never ends', async () => {
  const database = await openOnDisk()
  const running = errorOf(database.pool.query('SELECT count(*) FROM generate_series(1, 200000000)'))
  await new Promise((resolve) => setTimeout(resolve, 200))
  await database.close()
  expect(await running).toBeInstanceOf(DatabaseGoneError)
  await openOnDisk()
})

test.skipIf(isServer)('V8 does not optimise the SQL parser, which would take 600 MB', () => {
  // Many tokens, and synchronous tier-up: V8 would optimise at once instead of in the background.
  const numbers = Array.from({ length: 400 }, (_, index) => index).join(', ')
  const code = `
    import { getHeapStatistics } from 'node:v8'
    import { openPGlite } from ${JSON.stringify(new URL('./pglite.mjs', import.meta.url).href)}
    const database = await openPGlite({ templateFile: ${JSON.stringify(templateFile())} })
    await database.exec('SELECT ${numbers}')
    console.log(getHeapStatistics().peak_malloced_memory)
    process.exit()`
  const peakBytes = execFileSync(process.execPath, ['--wasm-sync-tier-up', '--input-type=module', '--eval', code])
  expect(Number(peakBytes)).toBeGreaterThan(0)
  expect(Number(peakBytes)).toBeLessThan(200_000_000)
})
