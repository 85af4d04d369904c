import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDatabaseProcess } from '../../test/database-process.ts'
import { openTestDatabase, silentLog, templateFile } from '../../test/database-template.ts'
import { StartupError } from '../errors.ts'
import { isDatabaseUnavailable } from './availability.ts'
import { type Database, openDatabase } from './client.ts'
import { openEmbedded } from './embedded.ts'

// Starting a database takes seconds on a busy machine, and some of these start several.
vi.setConfig({ testTimeout: 60_000 })

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
  const database = await openDatabase({ dataDir: folder, templateFile: templateFile(), log: silentLog })
  open.push(database)
  return database
}
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 50 })

describe.skipIf(isServer)('the folder of the embedded database', () => {
  test('is for its owner only, and what is committed is written through', async () => {
    const { pool } = await openOnDisk()
    expect(statSync(join(dataDir, 'database')).mode & 0o777).toBe(0o700)
    const { rows } = await pool.query(
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'wal_sync_method')`,
    )
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toStrictEqual({
      fsync: 'on',
      wal_sync_method: 'fsync',
    })
  })

  test('keeps its rows when it is opened again', async () => {
    const first = await openOnDisk()
    await first.prisma.setting.create({ data: { key: 'kept', value: 1 } })
    await first.close()
    expect(await (await openOnDisk()).prisma.setting.count({ where: { key: 'kept' } })).toBe(1)
  })

  test('is refused to a second process, with the number of the first', async () => {
    await openOnDisk()
    const error = await errorOf(openOnDisk())
    expect(error).toBeInstanceOf(StartupError)
    expect((error as Error).message).toBe(
      `DATA_DIR ${dataDir} is already used by process ${process.pid}. Stop it first, or choose another DATA_DIR.`,
    )
  })

  test('is free again when it was closed', async () => {
    await (await openOnDisk()).close()
    await openOnDisk()
  })

  test.each([
    ['of a process that is gone', { pid: 2 ** 22 + 1, started: '1' }],
    ['of a process whose number another one has now', { pid: process.pid, started: '1' }],
  ])('is taken over from a lock %s', async (_title, holder) => {
    const first = await openOnDisk()
    const { host } = JSON.parse(readFileSync(join(dataDir, 'database.lock'), 'utf8'))
    await first.close()
    writeFileSync(join(dataDir, 'database.lock'), JSON.stringify({ ...holder, host }))
    await openOnDisk()
    expect(JSON.parse(readFileSync(join(dataDir, 'database.lock'), 'utf8')).pid).toBe(process.pid)
  })

  test('that cannot be written is said at start', async () => {
    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    const error = await errorOf(openOnDisk(join(file, 'data')))
    expect(error).toBeInstanceOf(StartupError)
    expect((error as Error).message).toMatch(/^DATA_DIR .* cannot be written: /)
  })

  test('that holds something else is said at start, and is not locked', async () => {
    mkdirSync(join(dataDir, 'database'))
    writeFileSync(join(dataDir, 'database', 'PG_VERSION'), 'not a number')
    expect(await errorOf(openOnDisk())).toBeInstanceOf(StartupError)
    expect(() => statSync(join(dataDir, 'database.lock'))).toThrow()
  })
})

describe.skipIf(isServer)('when the worker dies', () => {
  test('what runs fails as unavailable, and then everything works again', async () => {
    const database = await openOnDisk()
    await database.prisma.setting.create({ data: { key: 'kept', value: 1 } })
    const running = [
      errorOf(database.pool.query('SELECT count(*) FROM generate_series(1, 20000000)')),
      errorOf(database.prisma.setting.count()),
      errorOf(
        database.prisma.$transaction(async (tx) => {
          await tx.setting.create({ data: { key: 'lost', value: 1 } })
          await tx.$queryRaw`SELECT count(*) FROM generate_series(1, 20000000)`
        }),
      ),
    ]
    await new Promise((resolve) => setTimeout(resolve, 200))
    await database.kill?.()
    const errors = (await Promise.all(running)).filter((error) => error !== undefined)
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(isDatabaseUnavailable(error)).toBe(true)
    await until(async () => expect(await database.isHealthy()).toBe(true))
    expect(await database.prisma.setting.findMany({ select: { key: true } })).toStrictEqual([{ key: 'kept' }])
  })

  test('it is unhealthy until another one has started', async () => {
    const database = await openOnDisk()
    expect(await database.isHealthy()).toBe(true)
    await database.kill?.()
    expect(await database.isHealthy()).toBe(false)
    await until(async () => expect(await database.isHealthy()).toBe(true))
  })

  test('the lock stays', async () => {
    const database = await openOnDisk()
    await database.kill?.()
    expect(await errorOf(openOnDisk())).toBeInstanceOf(StartupError)
  })
})

test.skipIf(isServer)('a query that does not end is ended with the worker', async () => {
  const embedded = await openEmbedded({ dataDir: undefined, stuckAfterMs: 400, log: silentLog })
  const begin = performance.now()
  const error = await errorOf(embedded.pool.query('SELECT count(*) FROM generate_series(1, 200000000)'))
  expect(performance.now() - begin).toBeLessThan(5000)
  expect(isDatabaseUnavailable(error)).toBe(true)
  await until(async () => expect((await embedded.pool.query('SELECT 1 AS one')).rows).toStrictEqual([{ one: 1 }]))
  await embedded.pool.end()
  await embedded.close()
})

test.skipIf(isServer)('a database opens from the template in a fraction of a start', async () => {
  const begin = performance.now()
  const database = await openTestDatabase()
  const milliseconds = performance.now() - begin
  expect(await database.prisma.user.count()).toBe(0)
  await database.close()
  expect(milliseconds).toBeLessThan(3000)
})

test.skipIf(isServer)('what was committed survives kill -9', { timeout: 60_000 }, async () => {
  const acknowledged: string[] = []
  for (let round = 0; round < 3; round++) {
    const writer = startDatabaseProcess('write', { dataDir, templateFile: templateFile() })
    await until(() => expect(writer.said.length).toBeGreaterThan(20 + round * 7))
    await writer.kill()
    acknowledged.push(...writer.said)
  }
  const { prisma } = await openOnDisk()
  const stored = new Set((await prisma.setting.findMany({ select: { key: true } })).map(({ key }) => key))
  const isWhole = (key: string) => stored.has(`${key}-first`) && stored.has(`${key}-second`)
  expect(acknowledged.filter((key) => !isWhole(key))).toStrictEqual([])
  // All or nothing: of a commit that nobody was told of, both rows are there or none.
  expect([...stored].filter((key) => !isWhole(key.replace(/-(first|second)$/, '')))).toStrictEqual([])
})

test.skipIf(isServer)('closing does not wait for a query that does not end', async () => {
  const database = await openOnDisk()
  const running = errorOf(database.pool.query('SELECT count(*) FROM generate_series(1, 200000000)'))
  await new Promise((resolve) => setTimeout(resolve, 200))
  const begin = performance.now()
  await database.close()
  expect(performance.now() - begin).toBeLessThan(4500)
  expect(isDatabaseUnavailable(await running)).toBe(true)
  await openOnDisk()
})
