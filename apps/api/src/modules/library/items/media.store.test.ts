import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { pathOf } from '../../../platform/storage/files.ts'
import { createMediaStore } from './media.store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** The embedded database has one session. */
test.runIf(process.env.TEST_DATABASE_URL)('of two changes of tags at the same time none is lost', async () => {
  const { id: userId } = await insertUser(database)
  const { id } = await insertMediaItem(database, userId, { tags: ['first'] })
  const store = createMediaStore(database, pathOf)
  const client = await database.pool.connect()
  await client.query('BEGIN')
  await client.query(`UPDATE media_items SET tags = tags || '{second}' WHERE id = $1`, [id])
  const tagging = store.tag(userId, [id], { add: ['third'], remove: ['first'] })
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    expect(rows.length).toBeGreaterThan(0)
  }, 30_000)
  await client.query('COMMIT')
  client.release()
  expect(await tagging).toEqual([id])
  const { tags } = await database.prisma.mediaItem.findUniqueOrThrow({ where: { id } })
  expect(tags).toEqual(['second', 'third'])
})
