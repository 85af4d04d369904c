import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertChatSession, insertUser } from '../../../../test/factories.ts'
import { createBulkStore } from './bulk.store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** Requires two connections; the embedded database has one. */
test.runIf(process.env.TEST_DATABASE_URL).each(['remove', 'trash', 'restore', 'change'] as const)(
  '%s locks conversations in the order of their ids, so that concurrent changes don’t deadlock',
  async (change) => {
    const { id: userId } = await insertUser(database)
    const sessions = [await insertChatSession(database, userId), await insertChatSession(database, userId)]
    const ids = sessions.map(({ session }) => session.id)
    const store = createBulkStore(database)
    if (change === 'restore') await store.trash(userId, ids)
    // the second one now comes first in the table
    await database.pool.query('UPDATE chat_sessions SET updated_at = now() WHERE id = $1', [ids[0]])
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM chat_sessions WHERE id = $1 FOR UPDATE', [ids[0]])
    const pendingChange =
      change === 'change'
        ? store.change(userId, { ids, archived: true, add_tags: [], remove_tags: [] })
        : store[change](userId, ids)
    await vi.waitFor(async () => {
      const { rows } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      expect(rows.length).toBeGreaterThan(0)
    }, 30_000)
    await client.query('SELECT FROM chat_sessions WHERE id = $1 FOR UPDATE NOWAIT', [ids[1]])
    await client.query('COMMIT')
    client.release()
    expect(await pendingChange).toHaveLength(2)
  },
)
