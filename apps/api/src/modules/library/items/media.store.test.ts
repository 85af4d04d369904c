import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { pathOf } from '../../../platform/storage/files.ts'
import { createMediaTrashStore } from '../trash/trash.store.ts'
import { createMediaStore } from './media.store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const waitForBlockedQuery = () =>
  vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    expect(rows.length).toBeGreaterThan(0)
  }, 30_000)

/** The embedded database has only one session. */
test.runIf(process.env.TEST_DATABASE_URL).each(['remove', 'trash', 'restore'] as const)(
  '%s locks items in order of their ids, so that concurrent changes can’t deadlock',
  async (change) => {
    const { id: userId } = await insertUser(database)
    const ids = [(await insertMediaItem(database, userId)).id, (await insertMediaItem(database, userId)).id]
    const [store, trash] = [createMediaStore(database, pathOf), createMediaTrashStore(database)]
    const changes = {
      remove: () => store.remove(userId, ids),
      trash: () => trash.trash(userId, ids),
      restore: () => trash.transaction((tx) => trash.restore(tx, userId, ids)),
    }
    if (change === 'restore') await trash.trash(userId, ids)
    // The table now contains the second item first.
    await database.pool.query('UPDATE media_items SET updated_at = now() WHERE id = $1', [ids[0]])
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM media_items WHERE id = $1 FOR UPDATE', [ids[0]])
    const pendingChange = changes[change]()
    await waitForBlockedQuery()
    await client.query('SELECT FROM media_items WHERE id = $1 FOR UPDATE NOWAIT', [ids[1]])
    await client.query('COMMIT')
    client.release()
    expect(await pendingChange).toHaveLength(2)
  },
)

test.runIf(process.env.TEST_DATABASE_URL)('loses neither of two concurrent tag changes', async () => {
  const { id: userId } = await insertUser(database)
  const { id } = await insertMediaItem(database, userId, { tags: ['first'] })
  const store = createMediaStore(database, pathOf)
  const client = await database.pool.connect()
  await client.query('BEGIN')
  await client.query(`UPDATE media_items SET tags = tags || '{second}' WHERE id = $1`, [id])
  const pendingTags = store.tag(userId, [id], { add: ['third'], remove: ['first'] })
  await waitForBlockedQuery()
  await client.query('COMMIT')
  client.release()
  expect(await pendingTags).toEqual([id])
  const { tags } = await database.prisma.mediaItem.findUniqueOrThrow({ where: { id } })
  expect(tags).toEqual(['second', 'third'])
})
