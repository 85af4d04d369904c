import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { createWordIndex } from './word-index.ts'
import { createWordIndexStore } from './words.store.ts'

const byUser = { lacksIndexByUser: async () => false, buildIndexByUser: async () => false }

/** An index with this many outdated moments. */
function createOutdated(count: number, onUpdate = () => {}) {
  let waiting = count
  const batches: number[] = []
  const store = {
    ...byUser,
    hasOutdated: async () => waiting > 0,
    async update(limit: number) {
      const updated = Math.min(limit, waiting)
      waiting -= updated
      batches.push(updated)
      onUpdate()
      return updated
    },
  }
  return { wordIndex: createWordIndex({ store, log: silentLog }), batches, waitingCount: () => waiting }
}

const running = new AbortController().signal

test('updates all outdated moments in small batches', async () => {
  const { wordIndex, batches, waitingCount } = createOutdated(450)
  expect(await wordIndex.isWaiting()).toBe(true)
  await wordIndex.run(running)
  expect(waitingCount()).toBe(0)
  expect(Math.max(...batches)).toBeLessThanOrEqual(40)
  expect(await wordIndex.isWaiting()).toBe(false)
})

test('an aborted run leaves the rest to the next one', async () => {
  const stop = new AbortController()
  const { wordIndex, waitingCount } = createOutdated(1000, () => stop.abort())
  await wordIndex.run(stop.signal)
  expect(waitingCount()).toBe(960)
  await wordIndex.run(running)
  expect(waitingCount()).toBe(0)
})

test('rejects with the database’s error', async () => {
  const store = {
    ...byUser,
    hasOutdated: async () => true,
    update: async () => {
      throw new Error('gone')
    },
  }
  await expect(createWordIndex({ store, log: silentLog }).run(running)).rejects.toThrow('gone')
})

test('builds an index of words by user once, on a server with many moments', async () => {
  const database = await openTestDatabase()
  try {
    // a table without statistics counts as -1
    const store = createWordIndexStore(database, { manyMoments: -1 })
    const wordIndex = createWordIndex({ store, log: silentLog })
    expect(await store.lacksIndexByUser()).toBe(database.engine === 'server')
    await wordIndex.keepIndexedByUser()
    expect(await store.lacksIndexByUser()).toBe(false)
    if (database.engine === 'server') expect(await store.buildIndexByUser()).toBe(false)
    const { rows } = await database.pool.query<{ definition: string }>(
      `SELECT indexdef AS definition FROM pg_indexes WHERE indexname = 'moments_user_id_tsv_idx'`,
    )
    expect(rows.map(({ definition }) => /gin \(user_id, tsv\)/.test(definition))).toEqual(
      database.engine === 'server' ? [true] : [],
    )
  } finally {
    await database.close()
  }
})

test('doesn’t throw when the index by user can’t be built', async () => {
  const store = {
    ...{ hasOutdated: async () => false, update: async () => 0, lacksIndexByUser: async () => true },
    buildIndexByUser: () => Promise.reject(new Error('no space left')),
  }
  await createWordIndex({ store, log: silentLog }).keepIndexedByUser()
})
