import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createServerDatabase, silentLog } from '../../../test/database-template.ts'
import { hasPgbouncer, startPgbouncer } from '../../../test/pgbouncer.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { type Database, openDatabase } from './client.ts'
import { prepared } from './prepared.ts'
import { inTransaction, sql } from './sql.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''

describe.runIf(serverUrl !== '' && hasPgbouncer)('a database behind pgbouncer in transaction mode', () => {
  let serverDatabase: Awaited<ReturnType<typeof createServerDatabase>>
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>
  let first: Database
  let second: Database

  const open = (log = silentLog) =>
    openDatabase({
      databaseUrl: serverDatabase.databaseUrl,
      poolerUrl: pooler.urlOf(serverDatabase.databaseUrl),
      isWorker: true,
      dataDir: 'unused',
      log,
    })

  beforeAll(async () => {
    serverDatabase = await createServerDatabase(serverUrl)
    pooler = await startPgbouncer(serverUrl)
    first = await open()
    second = await open()
  })
  afterAll(async () => {
    await Promise.all([first, second].map((database) => database?.close()))
    await pooler.stop()
    await serverDatabase.drop()
  })

  test('prepared statements work on any session, on two servers at once', async () => {
    const add = (n: number) => prepared(sql`SELECT ${n}::int + 1 AS sum`)
    const sums = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const { pool } = n % 2 === 0 ? first : second
        return n % 3 === 0
          ? inTransaction(pool, async (tx) => (await tx.query<{ sum: number }>(add(n))).rows[0]?.sum)
          : (await pool.query<{ sum: number }>(add(n))).rows[0]?.sum
      }),
    )
    expect(sums).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
    await expect(first.prisma.user.count()).resolves.toBe(0)
  })

  test('servers receive notifications of each other, and see that there is a worker', async () => {
    const onNotification = vi.fn()
    const stop = second.listen('news', onNotification)
    await expect
      .poll(async () => {
        await first.notify('news', 'hello')
        return onNotification.mock.calls.length
      })
      .toBeGreaterThan(0)
    expect(onNotification).toHaveBeenCalledWith('hello')
    stop()
    await expect.poll(() => first.hasWorker()).toBe(true)
  })

  test('a dedicated session keeps its settings to itself', async () => {
    const client = await first.connectUnlimited()
    await client.query(`SET statement_timeout = 0; SET application_name = 'alone'; SELECT pg_advisory_lock(1)`)
    const rows = await Promise.all(
      Array.from({ length: 20 }, async () => (await second.pool.query('SHOW statement_timeout')).rows[0]),
    )
    expect(new Set(rows.map((row) => row.statement_timeout))).toEqual(new Set(['10s']))
    await client.end()
  })

  test('a pooler without a statement timeout causes a warning in the log', async () => {
    const warn = vi.fn()
    await (await open({ ...silentLog, warn })).close()
    expect(warn).not.toHaveBeenCalled()
    // PostgreSQL itself has no timeout either.
    const withoutPooler = await openDatabase({
      databaseUrl: serverDatabase.databaseUrl,
      poolerUrl: serverDatabase.databaseUrl,
      dataDir: 'unused',
      log: { ...silentLog, warn },
    })
    await withoutPooler.close()
    expect(warn).toHaveBeenCalledWith({}, expect.stringContaining('connect_query'))
  })

  test('the app stores, processes, searches, chats and makes backups through it', { timeout: 60_000 }, async () => {
    const mira = await startTestApp({
      database: await open(),
      config: { databaseUrl: serverDatabase.databaseUrl },
      isStarted: true,
    })
    try {
      const call = (method: 'get' | 'post', path: string) =>
        mira.request[method](path).auth(mira.admin.token, { type: 'bearer' })
      const { body: note } = await call('post', '/api/notes')
        .send({ title: 'Lighthouse', text: 'The lighthouse of Alexandria.' })
        .expect(201)
      await expect
        .poll(async () => (await call('get', `/api/media/${note.id}`)).body.processing_status, { timeout: 30_000 })
        .toBe('completed')
      await expect
        .poll(async () => (await call('get', '/api/media/search?query=lighthouse')).body.results?.length, {
          timeout: 20_000,
        })
        .toBeGreaterThan(0)
      await call('post', '/api/chat/message').send({ content: 'Where was the lighthouse?' }).expect(200)
      await call('post', '/api/admin/backups').expect(202)
      await expect
        .poll(async () => (await call('get', '/api/admin/backups')).body.backups?.[0]?.state, { timeout: 30_000 })
        .toBe('completed')
    } finally {
      await mira.close()
    }
  })
})
