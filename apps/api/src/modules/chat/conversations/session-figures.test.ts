import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { expectMatchingStatistics, insertSessionMessages, insertSessions } from '../../../../test/session-figures.ts'
import type { Database } from '../../../platform/database/client.ts'
import { nonAgentToolNames } from './sessions.store.ts'

let database: Database
let userId: string
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(async () => {
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

test('statistics of conversations match their messages after inserts, updates and deletes', async () => {
  const { pool } = database
  const [first = '', second = '', third = '', empty = ''] = await insertSessions(database, userId, 4)
  const [question = '', answer = ''] = await insertSessionMessages(database, [
    { session: first },
    { session: first, state: 'streaming' },
    { session: second, tokens: 7, durationMs: 900, calls: ['NewsAgent', 'search_memory'] },
    { session: second, tokens: null, durationMs: 500, state: 'interrupted' },
    { session: third, durationMs: 300, calls: ['FileAgent'] },
  ])
  expect((await expectMatchingStatistics(database)).users).toEqual([
    { user_id: userId, timed_answers: 2, response_ms: 1200, agent_calls: 2 },
  ])

  const finish = `UPDATE chat_messages SET state = 'complete', input_tokens = 30, output_tokens = 12, duration_ms = 700,
    agent_calls = '[{"name": "WeatherAgent"}, {"name": "search_web"}]' WHERE id = $1`
  await pool.query(finish, [answer])
  await pool.query('UPDATE chat_messages SET parent_id = $1 WHERE id = $2', [question, answer])
  expect((await expectMatchingStatistics(database)).users).toMatchObject([
    { timed_answers: 3, response_ms: 1900, agent_calls: 3 },
  ])
  // a waiting answer resumes
  await pool.query(`UPDATE chat_messages SET state = 'streaming' WHERE id = $1`, [answer])
  await pool.query(`UPDATE chat_messages SET state = 'interrupted', rating = 'up' WHERE id = $1`, [answer])
  await expectMatchingStatistics(database)

  // deleting a message deletes the branch below it
  await pool.query('DELETE FROM chat_messages WHERE id = $1', [question])
  await expectMatchingStatistics(database)
  await pool.query('DELETE FROM chat_sessions WHERE id = ANY ($1::uuid[])', [[second, empty]])
  expect((await expectMatchingStatistics(database)).users).toMatchObject([
    { timed_answers: 1, response_ms: 300, agent_calls: 1 },
  ])
})

test('statistics match after inserting and deleting many conversations at once, and a deleted user leaves none', async () => {
  const { pool } = database
  const sessions = await insertSessions(database, userId, 1500)
  const other = await insertUser(database)
  const [sessionId = ''] = await insertSessions(database, other.id, 1)
  await insertSessionMessages(database, [
    ...sessions.flatMap((session, index) => [{ session }, { session, durationMs: index, calls: ['NewsAgent'] }]),
    { session: sessionId, durationMs: 5 },
  ])
  await expectMatchingStatistics(database)
  await pool.query('DELETE FROM chat_sessions WHERE id = ANY ($1::uuid[])', [sessions.slice(0, 1000)])
  await expectMatchingStatistics(database)
  await pool.query('DELETE FROM users WHERE id = $1', [userId])
  expect((await expectMatchingStatistics(database)).users.filter((row) => row.user_id === userId)).toEqual([])
})

test('messages inserted concurrently into the same conversations are all counted', async () => {
  const sessions = await insertSessions(database, userId, 3)
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      insertSessionMessages(
        database,
        (index % 2 === 0 ? sessions : sessions.toReversed()).map((session) => ({ session, durationMs: index })),
      ),
    ),
  )
  const { sessions: rows } = await expectMatchingStatistics(database)
  const insertedRows = rows.filter((row) => sessions.includes(row.session_id))
  expect(insertedRows.map((row) => row.message_count)).toEqual([30, 30, 30])
})

test('the database doesn’t count lookups as agent calls', async () => {
  const count = async (names: string[]) => {
    const { rows } = await database.pool.query('SELECT agent_calls_in($1) AS count', [
      JSON.stringify(names.map((name) => ({ name }))),
    ])
    return rows[0].count
  }
  expect(await count(nonAgentToolNames)).toBe(0)
  expect(await count([...nonAgentToolNames, 'NewsAgent', 'a tool of a server', 'NewsAgent'])).toBe(3)
})
