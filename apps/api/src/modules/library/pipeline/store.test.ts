import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import type { StepChanges, StepEnd } from './step.ts'
import { createProcessingStore, type ProcessingStore } from './store.ts'

let database: TestDatabase
let store: ProcessingStore
let userId: string
beforeAll(async () => {
  database = await openTestDatabase()
  store = createProcessingStore(database)
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

const MAX_ATTEMPTS = 4
const completed: StepEnd = { status: 'completed', engine: null, model: null, error: null, errorSentences: [] }

/** Adds an item whose first step has ended and whose second one is running. */
async function addItemBeingRead() {
  const { id } = await insertMediaItem(database, userId, { processingStatus: 'pending' })
  const inspect = (await store.claim(id, MAX_ATTEMPTS))?.startedRun
  const read = (await store.advance(id, { ended: { run: inspect!, end: completed }, next: 'read' }))?.startedRun
  return { id, inspect: inspect!, read: read! }
}

const statesOf = (state: { steps: { name: string; status: string }[] } | null) =>
  Object.fromEntries(state?.steps.map(({ name, status }) => [name, status]) ?? [])

test('ends a step and starts the next one in one statement, which returns the state of all', async () => {
  const { id, read } = await addItemBeingRead()
  const skipped: StepEnd = { ...completed, status: 'skipped', error: 'No model.', missingCapability: 'caption' }
  const settled: StepChanges['settled'] = [{ name: 'caption', ...skipped }]
  const state = await store.advance(id, { ended: { run: read, end: completed }, settled, next: 'embed' })
  expect(statesOf(state)).toEqual({
    inspect: 'completed',
    read: 'completed',
    caption: 'skipped',
    embed: 'processing',
    look: 'pending',
  })
  expect(state?.startedRun?.step).toBe('embed')
  expect(await store.missingCapabilities()).toEqual(['caption'])
})

test('an overtaken run changes nothing', async () => {
  const { id, inspect, read } = await addItemBeingRead()
  expect(await store.advance(id, { ended: { run: inspect, end: completed }, next: 'caption' })).toBe(null)
  expect(statesOf(await store.claim(id, MAX_ATTEMPTS))).toMatchObject({ inspect: 'completed', read: 'pending' })
  const late: StepChanges = {
    ended: { run: read, end: completed },
    next: 'embed',
    finish: { status: 'completed', error: null, errorSentences: [] },
  }
  expect(await store.advance(id, late)).toBe(null)
  expect(statesOf(await store.claim(id, MAX_ATTEMPTS))).toMatchObject({ read: 'pending', embed: 'pending' })
})

test('finishes no item with an open step', async () => {
  const { id } = await addItemBeingRead()
  const finish: StepChanges['finish'] = { status: 'completed', error: null, errorSentences: [] }
  expect(await store.advance(id, { finish })).toMatchObject({ isFinished: false })
  const settled = ['caption', 'embed', 'look'].map((name) => ({ name: name as 'look', ...completed }))
  expect(await store.advance(id, { settled, finish })).toMatchObject({ isFinished: false })
})

describe.runIf(process.env.TEST_DATABASE_URL)('on a database server, a statement waiting for a transaction', () => {
  /** Runs `change` in a transaction that commits once `meanwhile` waits for it. @returns the result of `meanwhile`. */
  const runMeanwhile = async <T>(
    change: (client: PoolClient) => Promise<unknown>,
    meanwhile: () => Promise<T>,
  ): Promise<T> => {
    const client = await database.pool.connect()
    try {
      await client.query('BEGIN')
      await change(client)
      const waiting = meanwhile()
      await vi.waitFor(async () => {
        const { rows } = await database.pool.query(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        )
        expect(rows.length).toBeGreaterThan(0)
      }, 30_000)
      await client.query('COMMIT')
      return await waiting
    } finally {
      client.release()
    }
  }
  const within = (client: PoolClient) => ({
    query: (statement: object) => client.query(statement as never) as never,
    afterCommit: () => {},
  })

  test('claims an item as that transaction left it', async () => {
    const { id, read } = await addItemBeingRead()
    const state = await runMeanwhile(
      (client) => store.advance(id, { ended: { run: read, end: completed }, next: 'caption' }, within(client)),
      () => store.claim(id, MAX_ATTEMPTS),
    )
    expect(statesOf(state)).toMatchObject({ read: 'completed', caption: 'pending' })
    expect(statesOf(await store.advance(id, {}))).toEqual(statesOf(state))
  })

  test('ends no step that was reset', async () => {
    const { id, read } = await addItemBeingRead()
    const late = await runMeanwhile(
      (client) =>
        client.query(`UPDATE media_steps SET status = 'pending' WHERE media_item_id = $1 AND name = 'read'`, [id]),
      () => store.advance(id, { ended: { run: read, end: completed }, next: 'caption' }),
    )
    expect(late).toBe(null)
    expect(statesOf(await store.advance(id, {}))).toMatchObject({ read: 'pending', caption: 'pending' })
  })

  test('starts no step whose dependency was reset', async () => {
    const { id, read } = await addItemBeingRead()
    const settled = [{ name: 'caption' as const, ...completed }]
    await store.advance(id, { ended: { run: read, end: completed }, settled })
    const state = await runMeanwhile(
      async (client) => {
        await client.query('SELECT FROM media_items WHERE id = $1 FOR NO KEY UPDATE', [id])
        await client.query(
          `UPDATE media_steps SET status = 'pending' WHERE media_item_id = $1 AND name IN ('caption', 'embed')`,
          [id],
        )
      },
      () => store.advance(id, { next: 'embed' }),
    )
    expect(state?.startedRun).toBe(null)
    expect(statesOf(state)).toMatchObject({ caption: 'pending', embed: 'pending' })
  })
})

test('waiting items have their queue position among those of their user, whoever else waits', async () => {
  const other = (await insertUser(database)).id
  const items = [await insertMediaItem(database, userId), await insertMediaItem(database, userId)]
  const foreign = await insertMediaItem(database, other)
  const enqueue = (itemId: string, user: string, priority: number) =>
    database.pool.query(
      `INSERT INTO pgboss.job (name, data, group_id, group_tier, priority) VALUES ('process-media', '{}', $1, $2, $3)`,
      [itemId, user, priority],
    )
  await enqueue(items[0]?.id ?? '', userId, 0)
  await enqueue(foreign.id, other, 1)
  await enqueue(items[1]?.id ?? '', userId, 1)
  const ids = [...items.map(({ id }) => id), foreign.id]
  expect(await store.queuePositions(userId, ids)).toEqual(
    new Map([
      [items[1]?.id, 1],
      [items[0]?.id, 2],
    ]),
  )
  expect(await store.queuePositions(other, ids)).toEqual(new Map([[foreign.id, 1]]))
})
