import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createServerDatabase, silentLog } from '../../../test/database-template.ts'
import { hasPgbouncer, startPgbouncer } from '../../../test/pgbouncer.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { type Database, openDatabase } from './client.ts'
import { prepared } from './prepared.ts'
import { inTransaction, sql } from './sql.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''

describe.runIf(serverUrl !== '' && hasPgbouncer)('a database behind pgbouncer in transaction mode', () => {
  let place: Awaited<ReturnType<typeof createServerDatabase>>
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>
  let one: Database
  let other: Database

  const open = (log = silentLog) =>
    openDatabase({
      databaseUrl: place.databaseUrl,
      poolerUrl: pooler.urlOf(place.databaseUrl),
      isWorker: true,
      dataDir: 'unused',
      log,
    })

  beforeAll(async () => {
    place = await createServerDatabase(serverUrl)
    pooler = await startPgbouncer(serverUrl)
    one = await open()
    other = await open()
  })
  afterAll(async () => {
    await Promise.all([one, other].map((database) => database?.close()))
    await pooler.stop()
    await place.drop()
  })

  test('prepared statements work on whichever session they get, on two servers at once', async () => {
    const add = (n: number) => prepared(sql`SELECT ${n}::int + 1 AS sum`)
    const sums = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const { pool } = n % 2 === 0 ? one : other
        return n % 3 === 0
          ? inTransaction(pool, async (tx) => (await tx.query<{ sum: number }>(add(n))).rows[0]?.sum)
          : (await pool.query<{ sum: number }>(add(n))).rows[0]?.sum
      }),
    )
    expect(sums).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
    await expect(one.prisma.user.count()).resolves.toBe(0)
  })

  test('servers hear each other, and see that there is a worker', async () => {
    const heard = vi.fn()
    const stop = other.listen('news', heard)
    await expect
      .poll(async () => {
        await one.notify('news', 'hello')
        return heard.mock.calls.length
      })
      .toBeGreaterThan(0)
    expect(heard).toHaveBeenCalledWith('hello')
    stop()
    await expect.poll(() => one.hasWorker()).toBe(true)
  })

  test('a session of its own keeps its settings and locks to itself', async () => {
    const client = await one.connectUnlimited()
    await client.query(`SET statement_timeout = 0; SET application_name = 'alone'; SELECT pg_advisory_lock(1)`)
    const shown = await Promise.all(
      Array.from({ length: 20 }, async () => (await other.pool.query('SHOW statement_timeout')).rows[0]),
    )
    expect(new Set(shown.map((row) => row.statement_timeout))).toEqual(new Set(['10s']))
    await client.end()
  })

  test('a pooler that doesn’t limit the time of statements is mentioned in the log', async () => {
    const warn = vi.fn()
    await (await open({ ...silentLog, warn })).close()
    expect(warn).not.toHaveBeenCalled()
    // PostgreSQL itself has no limit either
    const bare = await openDatabase({
      databaseUrl: place.databaseUrl,
      poolerUrl: place.databaseUrl,
      dataDir: 'unused',
      log: { ...silentLog, warn },
    })
    await bare.close()
    expect(warn).toHaveBeenCalledWith({}, expect.stringContaining('connect_query'))
  })

  test('everything is added, read, found and told through it', { timeout: 60_000 }, async () => {
    const mira = await startTestApp({
      database: await open(),
      config: { databaseUrl: place.databaseUrl },
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
