import { expect, test, vi } from 'vitest'
import { createOldDatabase } from '../../../../test/old-database.ts'
import { newId } from '../../../platform/database/new-id.ts'

/** The last migration before all failures had codes. */
const LAST_OF_BEFORE = '20261128170000_access_that_moves'
const SAID = 'No model server can be reached at http://10.0.0.7:8080. Start it, or correct OPENAI_BASE_URL.'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

test('an upgrade gives failures that were stored as text alone a code, and leaves all others as they were', async () => {
  await using place = await createOldDatabase(LAST_OF_BEFORE)
  const old = await place.open()
  const [userId, sessionId] = [newId(), newId()]
  const sentences = [{ code: 'model_key_refused', params: { address: 'http://10.0.0.7:8080' } }]
  const calls = [
    { call_id: '1', name: 'make_picture', state: 'failed', summary: SAID },
    { call_id: '2', name: 'CalculatorAgent', state: 'finished', summary: '12' },
    { call_id: '3', name: 'WeatherAgent', state: 'failed' },
  ]
  const insertMessage = async (content: string, error: string | null, code: string | null, codes: object[] = []) =>
    old.pool.query(
      `INSERT INTO chat_messages (id, session_id, role, content, state, error, error_code, error_told, agent_calls)
       VALUES ($1, $2, 'assistant', $3, $4, $5, $6, $7, $8)`,
      [
        ...[newId(), sessionId, content, error === null ? 'complete' : 'failed', error, code],
        ...[JSON.stringify(codes), JSON.stringify(content === 'called' ? calls : [])],
      ],
    )
  await old.pool.query(
    `INSERT INTO users (id, username, email, password_hash) VALUES ($1, 'anna', 'anna@example.org', 'none')`,
    [userId],
  )
  await old.pool.query(`INSERT INTO chat_sessions (id, user_id, session_name) VALUES ($1, $2, 'Lease')`, [
    ...[sessionId, userId],
  ])
  await insertMessage('bare', SAID, 'model_unreachable')
  await insertMessage('coded', SAID, 'model_key_refused', sentences)
  await insertMessage('long', 'The answer became too long and was cut here.', 'answer_too_long')
  await insertMessage('called', null, null)
  const itemId = newId()
  await old.pool.query(
    `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes, error)
     VALUES ($1::uuid, $2, 'image', md5($1::text) || md5($1::text), 'nowhere', 'a.jpg', 'image/jpeg', 1, $3)`,
    [itemId, userId, SAID],
  )
  await old.pool.query(
    `INSERT INTO media_steps (media_item_id, name, position, status, error) VALUES ($1, 'caption', 1, 'failed', $2)`,
    [itemId, SAID],
  )
  await old.close()

  const database = await place.upgrade()
  const fromBefore = [{ code: 'from_before', params: { said: SAID } }]
  const { rows } = await database.pool.query('SELECT content, error, error_told, agent_calls FROM chat_messages')
  const messages = Object.fromEntries(rows.map(({ content, ...row }) => [content, row]))
  expect(messages.bare).toEqual({ error: SAID, error_told: fromBefore, agent_calls: [] })
  expect(messages.coded).toMatchObject({ error_told: sentences })
  expect(messages.long).toMatchObject({ error_told: [] })
  expect(messages.called.agent_calls).toEqual([{ ...calls[0], summary_told: fromBefore }, calls[1], calls[2]])
  for (const table of ['media_items', 'media_steps']) {
    const { rows: failures } = await database.pool.query(`SELECT error, error_told FROM ${table}`)
    expect(failures, table).toEqual([{ error: SAID, error_told: fromBefore }])
  }
  await database.close()
})
