import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { copyTemplateDatabase } from '../../../test/laid-database.ts'
import { type EmbeddedDatabase, openEmbedded } from './embedded.ts'
import { createMaintenance, type MaintenanceDeps } from './maintenance.ts'

vi.setConfig({ testTimeout: 90_000 })

let dataDir: string
let embedded: EmbeddedDatabase

async function open() {
  embedded = await openEmbedded({ dataDir, log: silentLog })
}
async function close() {
  await embedded.pool.end()
  await embedded.close()
}
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'mira-maintenance-'))
  copyTemplateDatabase(dataDir)
  await open()
})
afterEach(async () => {
  await close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Vacuums an idle database; `deps` override the load. */
const vacuum = (deps: Partial<MaintenanceDeps> = {}) =>
  createMaintenance({ ...embedded, busyShare: () => 0, log: silentLog, ...deps }).vacuum()

const TABLE = 'public.automation_runs'

async function addRows(count: number) {
  await embedded.pool.query(
    `INSERT INTO automation_runs (id, task_type, trigger, status, error_message)
     SELECT gen_random_uuid(), 'cleanup', 'manual', 'completed', repeat('x', 1000) FROM generate_series(1, $1)`,
    [count],
  )
}
const number = async (sql: string): Promise<number> =>
  Number((await embedded.pool.query<{ number: string }>(`SELECT (${sql}) AS number`)).rows[0]?.number)
const tableBytes = () => number(`pg_relation_size('${TABLE}')`)
const estimatedRows = () => number(`SELECT reltuples FROM pg_class WHERE oid = '${TABLE}'::regclass`)

describe.skipIf(process.env.TEST_DATABASE_URL)('the embedded database', () => {
  test('updates its row estimates and returns the space of deleted rows', async () => {
    await vacuum()
    await addRows(3000)
    expect(await vacuum()).toStrictEqual([TABLE])
    expect(await estimatedRows()).toBe(3000)
    expect(await vacuum()).toStrictEqual([])

    await embedded.pool.query('DELETE FROM automation_runs')
    // Changes are counted once a second.
    await embedded.pool.query('SELECT pg_stat_force_next_flush()')
    expect(await tableBytes()).toBeGreaterThan(3_000_000)
    expect(await vacuum()).toStrictEqual([TABLE])
    expect(await tableBytes()).toBe(0)
  })

  test('vacuums a table that grew before the last start', async () => {
    await vacuum()
    await addRows(900)
    await close()
    await open()
    expect(await vacuum()).toStrictEqual([TABLE])
    expect(await estimatedRows()).toBe(900)
    expect(await vacuum()).toStrictEqual([])
  })

  test('vacuums a large table only when idle, and a small one at any time', async () => {
    await vacuum()
    await addRows(3000)
    expect(await vacuum({ busyShare: () => 0.5, smallBytes: 1_000_000 })).toStrictEqual([])
    expect(await vacuum({ busyShare: () => 0.5 })).toStrictEqual([TABLE])
  })

  test('vacuums a large table at moderate load after a wait, and at any load after half an hour', async () => {
    const clock = { now: 1e12 }
    const busy = { load: 0.9 }
    const { vacuum: maintain } = createMaintenance({
      ...embedded,
      busyShare: () => busy.load,
      smallBytes: 1_000_000,
      now: () => clock.now,
      log: silentLog,
    })
    await vacuum()
    await addRows(3000)
    await embedded.pool.query('DELETE FROM automation_runs')
    await embedded.pool.query('SELECT pg_stat_force_next_flush()')
    expect(await maintain()).toStrictEqual([])
    clock.now += 11 * 60_000
    expect(await maintain()).toStrictEqual([])
    busy.load = 0.4
    expect(await maintain()).toStrictEqual([TABLE])
    // New rows reuse the space of deleted ones.
    const before = await tableBytes()
    await addRows(2500)
    expect(await tableBytes()).toBeLessThan(before * 1.1)
    busy.load = 0.9
    clock.now += 11 * 60_000
    expect(await maintain()).toStrictEqual([])
    clock.now += 20 * 60_000
    expect(await maintain()).toStrictEqual([TABLE])
  })

  test('makes checkpoints, without which it would not reuse the files of its log', async () => {
    const { checkpoint } = createMaintenance({ ...embedded, log: silentLog })
    const logBytes = () => number('SELECT sum(size) FROM pg_ls_waldir()')
    const before = await logBytes()
    for (let round = 0; round < 24; round++) {
      await addRows(10_000)
      await checkpoint()
    }
    expect(await checkpoint()).toBe(false)
    expect((await logBytes()) - before).toBeLessThan(200_000_000)
  })

  test('reports its busy share since the previous call', async () => {
    embedded.busyShare()
    await embedded.pool.query('SELECT count(*) FROM generate_series(1, 3000000)')
    expect(embedded.busyShare()).toBeGreaterThan(0.5)
    // Each call covers the time since the previous one; the first may include cleaning up.
    await expect.poll(() => embedded.busyShare(), { interval: 300 }).toBeLessThan(0.05)
  })

  test('serves queries that waited for a vacuum, and recovers from a crash during one', async () => {
    await addRows(3000)
    const vacuuming = vacuum()
    const waiting = embedded.pool.query('SELECT 1 AS one')
    expect(await vacuuming).toContain(TABLE)
    expect((await waiting).rows).toStrictEqual([{ one: 1 }])

    await addRows(3000)
    const stopped = vacuum()
    await embedded.kill()
    expect(await stopped).toBeUndefined()
    await vi.waitFor(async () => expect(await number('SELECT count(*) FROM automation_runs')).toBe(6000), 30_000)
  })
})
