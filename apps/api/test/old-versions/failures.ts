import { expect } from 'vitest'
import { newId } from '../../src/platform/database/new-id.ts'
import { addOldUser, type OldVersion } from './old-version.ts'

const ERROR_TEXT = 'No model server can be reached at http://10.0.0.7:8080. Start it, or correct OPENAI_BASE_URL.'
const [sessionId, itemId] = [newId(), newId()]
const sentences = [{ code: 'model_key_refused', params: { address: 'http://10.0.0.7:8080' } }]
const calls = [
  { call_id: '1', name: 'make_picture', state: 'failed', summary: ERROR_TEXT },
  { call_id: '2', name: 'CalculatorAgent', state: 'finished', summary: '12' },
  { call_id: '3', name: 'WeatherAgent', state: 'failed' },
]

/** Last version whose failures could lack codes. */
export const failures: OldVersion = {
  lastMigration: '20261128170000_access_that_moves',
  outcome: 'failures stored only as text have a code, and all others are unchanged',
  async add({ pool }) {
    const userId = await addOldUser({ pool }, 'failures')
    const insertMessage = async (content: string, error: string | null, code: string | null, codes: object[] = []) =>
      pool.query(
        `INSERT INTO chat_messages (id, session_id, role, content, state, error, error_code, error_told, agent_calls)
       VALUES ($1, $2, 'assistant', $3, $4, $5, $6, $7, $8)`,
        [
          ...[newId(), sessionId, content, error === null ? 'complete' : 'failed', error, code],
          ...[JSON.stringify(codes), JSON.stringify(content === 'called' ? calls : [])],
        ],
      )
    await pool.query(`INSERT INTO chat_sessions (id, user_id, session_name) VALUES ($1, $2, 'Lease')`, [
      ...[sessionId, userId],
    ])
    await insertMessage('bare', ERROR_TEXT, 'model_unreachable')
    await insertMessage('coded', ERROR_TEXT, 'model_key_refused', sentences)
    await insertMessage('long', 'The answer became too long and was cut here.', 'answer_too_long')
    await insertMessage('called', null, null)
    await pool.query(
      `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes, error)
     VALUES ($1::uuid, $2, 'image', md5($1::text) || md5($1::text), 'nowhere', 'a.jpg', 'image/jpeg', 1, $3)`,
      [itemId, userId, ERROR_TEXT],
    )
    await pool.query(
      `INSERT INTO media_steps (media_item_id, name, position, status, error) VALUES ($1, 'caption', 1, 'failed', $2)`,
      [itemId, ERROR_TEXT],
    )
  },
  async expectUpgraded({ pool }) {
    const fromBefore = [{ code: 'from_before', params: { said: ERROR_TEXT } }]
    const { rows } = await pool.query(
      'SELECT content, error, error_told, agent_calls FROM chat_messages WHERE session_id = $1',
      [sessionId],
    )
    const messages = Object.fromEntries(rows.map(({ content, ...row }) => [content, row]))
    expect(messages.bare).toEqual({ error: ERROR_TEXT, error_told: fromBefore, agent_calls: [] })
    expect(messages.coded).toMatchObject({ error_told: sentences })
    expect(messages.long).toMatchObject({ error_told: [] })
    expect(messages.called.agent_calls).toEqual([{ ...calls[0], summary_told: fromBefore }, calls[1], calls[2]])
    for (const [table, id] of [
      ['media_items', 'id'],
      ['media_steps', 'media_item_id'],
    ]) {
      const { rows: stored } = await pool.query(`SELECT error, error_told FROM ${table} WHERE ${id} = $1`, [itemId])
      expect(stored, table).toEqual([{ error: ERROR_TEXT, error_told: fromBefore }])
    }
  },
}
