import { expect } from 'vitest'
import { newId } from '../../src/platform/database/new-id.ts'
import { addOldUser, type OldVersion } from './old-version.ts'

const sessionId = newId()
const ids = { foreignQuestion: newId(), foreignAnswer: newId(), question: newId(), answer: newId(), last: newId() }

/** Last version that didn't mark messages from elsewhere. */
export const foreignMessages: OldVersion = {
  lastMigration: '20261128043700_trash',
  outcome: 'messages from elsewhere are marked as others’ text, the user’s own are not',
  async add({ pool }) {
    const userId = await addOldUser({ pool }, 'foreign')
    await pool.query(
      "INSERT INTO chat_sessions (id, user_id, session_name, updated_at) VALUES ($1, $2, 'Letters', now())",
      [sessionId, userId],
    )
    const add = (id: string, parentId: string | null, role: string, engine: string | null) =>
      pool.query(
        `INSERT INTO chat_messages (id, session_id, parent_id, role, content, engine) VALUES ($1, $2, $3, $4, 'text', $5)`,
        [id, sessionId, parentId, role, engine],
      )
    await add(ids.foreignQuestion, null, 'user', null)
    await add(ids.foreignAnswer, ids.foreignQuestion, 'assistant', null)
    await add(ids.question, ids.foreignAnswer, 'user', null)
    await add(ids.answer, ids.question, 'assistant', 'remote')
    await add(ids.last, ids.answer, 'user', null)
  },
  async expectUpgraded({ pool }) {
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM chat_messages WHERE read_outside AND session_id = $1',
      [sessionId],
    )
    // A question without an answer can only be from elsewhere.
    const expected = [ids.foreignQuestion, ids.foreignAnswer, ids.last]
    expect(rows.map(({ id }) => id).sort()).toEqual(expected.sort())
  },
}
