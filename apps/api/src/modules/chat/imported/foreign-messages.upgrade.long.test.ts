import { expect, test, vi } from 'vitest'
import { createOldDatabase } from '../../../../test/old-database.ts'
import { newId } from '../../../platform/database/new-id.ts'

/** The last migration before messages from elsewhere were marked. */
const LAST_BEFORE = '20261128043700_trash'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

test('messages that were taken over before an update count as text of others after it, the user’s own do not', async () => {
  await using place = await createOldDatabase(LAST_BEFORE)
  const before = await place.open()
  const [userId, sessionId] = [newId(), newId()]
  const ids = { foreignQuestion: newId(), foreignAnswer: newId(), question: newId(), answer: newId(), last: newId() }
  await before.pool.query(
    "INSERT INTO users (id, username, email, password_hash) VALUES ($1, 'anna', 'anna@example.org', '')",
    [userId],
  )
  await before.pool.query(
    "INSERT INTO chat_sessions (id, user_id, session_name, updated_at) VALUES ($1, $2, 'Letters', now())",
    [sessionId, userId],
  )
  const add = (id: string, parentId: string | null, role: string, engine: string | null) =>
    before.pool.query(
      `INSERT INTO chat_messages (id, session_id, parent_id, role, content, engine) VALUES ($1, $2, $3, $4, 'text', $5)`,
      [id, sessionId, parentId, role, engine],
    )
  await add(ids.foreignQuestion, null, 'user', null)
  await add(ids.foreignAnswer, ids.foreignQuestion, 'assistant', null)
  await add(ids.question, ids.foreignAnswer, 'user', null)
  await add(ids.answer, ids.question, 'assistant', 'remote')
  await add(ids.last, ids.answer, 'user', null)
  await before.close()

  const after = await place.upgrade()
  const { rows } = await after.pool.query<{ id: string }>('SELECT id FROM chat_messages WHERE read_outside')
  // a question without an answer can only have come from elsewhere
  const expected = [ids.foreignQuestion, ids.foreignAnswer, ids.last]
  expect(rows.map(({ id }) => id).sort()).toEqual(expected.sort())
  await after.close()
})
