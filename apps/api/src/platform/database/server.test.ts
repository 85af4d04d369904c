import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  createServerDatabase,
  openTestDatabase,
  silentLog,
  type TestDatabase,
} from '../../../test/database-template.ts'
import { fastestMs, fastestOf } from '../../../test/fastest.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/tcp-proxy.ts'
import { StartupError } from '../../errors.ts'
import { isDatabaseUnavailable, ReplicaError } from './availability.ts'
import { openDatabase } from './client.ts'
import { inTransaction, sql } from './sql.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 40_000, interval: 50 })
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Port that nothing listens on. */
async function closedPort() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** Creates a database behind a proxy that can be cut. */
async function openOverProxy() {
  const { databaseUrl, drop } = await createServerDatabase(serverUrl)
  cleanUps.push(drop)
  const direct = new URL(databaseUrl)
  const proxy = await startTcpProxy({ host: direct.hostname, port: Number(direct.port) })
  cleanUps.push(() => proxy.cut())
  const proxiedUrl = new URL(databaseUrl)
  proxiedUrl.host = `127.0.0.1:${proxy.port}`
  return { proxy, databaseUrl: proxiedUrl.href }
}

async function openThrough(databaseUrl: string) {
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', log: silentLog })
  cleanUps.push(() => database.close())
  return database
}

/** Replaces PostgreSQL's check for a replica in new sessions. */
async function answerCheckWith(databaseUrl: string, body: string) {
  const name = pg.escapeIdentifier(new URL(databaseUrl).pathname.slice(1))
  const admin = new pg.Client(databaseUrl)
  await admin.connect()
  cleanUps.push(() => admin.end())
  await admin.query(`
    CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS '${body}';
    ALTER DATABASE ${name} SET search_path = public, pg_catalog`)
  return { admin, name }
}

test('a server that never responds fails the start with a clear message', async () => {
  const databaseUrl = `postgresql://mira:secret@127.0.0.1:${await closedPort()}/mira`
  const info = vi.fn()
  const log = { ...silentLog, info }
  const error = await errorOf(openDatabase({ databaseUrl, dataDir: 'unused', startTimeoutMs: 1500, log }))
  expect(error).toBeInstanceOf(StartupError)
  expect((error as Error).message).toMatch(/^The database of DATABASE_URL can.t be used: .*ECONNREFUSED/)
  expect((error as Error).message).not.toContain('secret')
  expect(info).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'waiting for the database')
})

describe.runIf(serverUrl)('a database server', () => {
  test('is waited for at start', async () => {
    const { proxy, databaseUrl } = await openOverProxy()
    await proxy.cut()
    const opening = openThrough(databaseUrl)
    await sleep(1200)
    await proxy.mend()
    expect(await (await opening).isHealthy()).toBe(true)
  })

  test('is not waited for when it lacks the database', async () => {
    const url = new URL(serverUrl)
    url.pathname = '/mira_no_such_database'
    const fastest = await fastestMs(async () => {
      expect(await errorOf(openThrough(url.href))).toBeInstanceOf(StartupError)
    })
    expect(fastest).toBeLessThan(900)
  })

  test('causes errors that mean unavailable while it is away, and works again when it is back', async () => {
    const { proxy, databaseUrl } = await openOverProxy()
    const database = await openThrough(databaseUrl)
    await database.prisma.setting.create({ data: { key: 'kept', value: 1 } })
    const running = errorOf(database.prisma.$queryRaw`SELECT pg_sleep(5)`)
    const inTransaction = errorOf(
      database.prisma.$transaction(async (tx) => {
        await tx.setting.create({ data: { key: 'lost', value: 1 } })
        await tx.$queryRaw`SELECT pg_sleep(5)`
      }),
    )
    await sleep(300)
    await proxy.cut()
    const failures = [
      await running,
      await inTransaction,
      await errorOf(database.prisma.setting.count()),
      await errorOf(database.pool.query('SELECT 1')),
      await errorOf(database.prisma.$transaction((tx) => tx.setting.count())),
    ]
    expect(failures.map(isDatabaseUnavailable)).toStrictEqual([true, true, true, true, true])
    expect(await database.isHealthy()).toBe(false)

    await proxy.mend()
    await until(async () => expect(await database.isHealthy()).toBe(true))
    expect(await database.prisma.setting.findMany({ select: { key: true } })).toStrictEqual([{ key: 'kept' }])
  })

  test('that goes away between two statements of a transaction fails only that transaction', async () => {
    const { proxy, databaseUrl } = await openOverProxy()
    const database = await openThrough(databaseUrl)
    const uncaught = vi.fn()
    process.prependListener('uncaughtException', uncaught)
    cleanUps.push(async () => void process.off('uncaughtException', uncaught))
    const error = await errorOf(
      inTransaction(database.pool, async (tx) => {
        await tx.query(sql`SELECT 1`)
        await proxy.cut()
        await sleep(300)
        await tx.query(sql`SELECT 1`)
      }),
    )
    expect(isDatabaseUnavailable(error)).toBe(true)
    expect(uncaught).not.toHaveBeenCalled()
  })

  test('is not used after becoming a replica, until it is the primary again', async () => {
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    cleanUps.push(drop)
    const database = await openThrough(databaseUrl)
    const { admin, name } = await answerCheckWith(databaseUrl, 'SELECT true')
    const breakConnections = () =>
      admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    await breakConnections()
    await until(async () => expect(await errorOf(database.pool.query('SELECT 1'))).toBeInstanceOf(ReplicaError))
    expect(isDatabaseUnavailable(await errorOf(database.prisma.setting.count()))).toBe(true)
    expect(await database.isHealthy()).toBe(false)

    await admin.query(`ALTER DATABASE ${name} RESET search_path`)
    await breakConnections()
    await until(async () => expect(await database.isHealthy()).toBe(true))
    expect(await database.prisma.setting.count()).toBe(0)
  })

  test('neither keeps callers waiting while its check hangs, nor runs statements that were refused to them', async () => {
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    cleanUps.push(drop)
    const { pool } = await openThrough(databaseUrl)
    const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()))
    const { admin } = await answerCheckWith(databaseUrl, 'SELECT pg_sleep(4) IS NULL')
    const refused = errorOf(pool.query(`INSERT INTO settings (key, value, updated_at) VALUES ('refused', '1', now())`))
    await sleep(1500)
    clients.pop()?.release(true)
    expect((await refused) as Error).toMatchObject({ message: 'timeout exceeded when trying to connect' })
    await until(() => expect(pool.idleCount).toBe(1))
    expect((await admin.query(`SELECT key FROM settings`)).rows).toStrictEqual([])

    await admin.query(
      `CREATE OR REPLACE FUNCTION public.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT pg_sleep(9) IS NULL'`,
    )
    clients.pop()?.release(true)
    clients.push(await pool.connect())
    expect(isDatabaseUnavailable(await errorOf(pool.connect()))).toBe(true)
    for (const client of clients) client.release()
  })

  test('cancels a query that takes too long, which means unavailable', async () => {
    const database = await openTestDatabase()
    cleanUps.push(() => database.close())
    const fastest = await fastestOf(async () => {
      const begin = performance.now()
      const error = await errorOf(database.prisma.$queryRaw`SELECT pg_sleep(60)`)
      expect(isDatabaseUnavailable(error)).toBe(true)
      return performance.now() - begin
    }, 2)
    expect(fastest).toBeLessThan(12_000)
  })
})

describe.runIf(serverUrl)('a notification', () => {
  let first: TestDatabase
  let proxy: TcpProxy

  async function openTwo() {
    const proxied = await openOverProxy()
    proxy = proxied.proxy
    first = { ...(await openThrough(proxied.databaseUrl)), databaseUrl: proxied.databaseUrl }
    return openThrough(proxied.databaseUrl)
  }

  test('reaches every server that listens on its channel, and no other', async () => {
    const second = await openTwo()
    const payloads: string[] = []
    first.listen('answers', (payload) => payloads.push(`first ${payload}`))
    second.listen('answers', (payload) => payloads.push(`second ${payload}`))
    second.listen('other', (payload) => payloads.push(`wrong ${payload}`))
    await until(async () => {
      await first.notify('answers', 'it is "ready"')
      expect(new Set(payloads)).toStrictEqual(new Set(['first it is "ready"', 'second it is "ready"']))
    })
  })

  test('is received again after the server was away', async () => {
    const second = await openTwo()
    const payloads: string[] = []
    second.listen('answers', (payload) => payloads.push(payload))
    await until(async () => {
      await first.notify('answers', 'before')
      expect(payloads).toContain('before')
    })
    await proxy.cut()
    await sleep(300)
    await proxy.mend()
    await until(async () => {
      await first.notify('answers', 'after')
      expect(payloads).toContain('after')
    })
  })

  test('is received on channels that are added at once, without overlapping statements', async () => {
    const warnings: string[] = []
    const warn = ({ message }: Error) => void warnings.push(message)
    process.on('warning', warn)
    cleanUps.push(async () => void process.off('warning', warn))
    const database = await openTwo()
    const payloads: string[] = []
    database.listen('first', (payload) => payloads.push(payload))
    await until(async () => {
      await database.notify('first', 'ready')
      expect(payloads).toContain('ready')
    })
    const others = ['second', 'third', 'fourth']
    for (const channel of others) database.listen(channel, (payload) => payloads.push(payload))
    await until(async () => {
      for (const channel of others) await database.notify(channel, channel)
      expect(payloads).toEqual(expect.arrayContaining(others))
    })
    expect(warnings).toEqual([])
  })

  test('is not received after listening has been stopped', async () => {
    const second = await openTwo()
    const payloads: string[] = []
    const stop = second.listen('answers', () => payloads.push('stopped'))
    second.listen('answers', () => payloads.push('still'))
    stop()
    await until(async () => {
      await first.notify('answers', '')
      expect(payloads).toContain('still')
    })
    expect(payloads).not.toContain('stopped')
  })
})
