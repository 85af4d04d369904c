import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { type Database, openDatabase } from '../../../platform/database/client.ts'
import { listMigrations, MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { createSessionsStore, lookups } from './sessions.store.ts'

/** The last migration before figures were kept. */
const LAST_OF_BEFORE = '20261124201500_step_places'

let database: Database
let userId: string
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(async () => {
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

type Pool = Pick<Database, 'pool'>

interface Message {
  session: string
  parent?: string | null
  state?: string
  tokens?: number | null
  durationMs?: number | null
  calls?: string[]
}

async function addSessions({ pool }: Pool, owner: string, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO chat_sessions (id, user_id, session_name)
     SELECT gen_random_uuid(), $1, 'A conversation ' || n FROM generate_series(1, $2::int) n RETURNING id`,
    [owner, count],
  )
  return rows.map(({ id }) => id)
}

/** Adds messages in one statement; their ids in the same order. */
async function addMessages({ pool }: Pool, messages: Message[]): Promise<string[]> {
  const rows = messages.map(({ calls, ...message }) => ({
    id: newId(),
    ...message,
    calls: (calls ?? []).map((name) => ({ name })),
  }))
  await pool.query(
    `INSERT INTO chat_messages (id, session_id, parent_id, role, content, state, input_tokens, duration_ms, agent_calls)
     SELECT id, session, parent, 'assistant', 'Said', coalesce(state, 'complete'), tokens, "durationMs", calls
     FROM jsonb_to_recordset($1::jsonb) AS g (id uuid, session uuid, parent uuid, state text, tokens int, "durationMs" int,
       calls jsonb)`,
    [JSON.stringify(rows)],
  )
  return rows.map(({ id }) => id)
}

/** Stored figures of all users, and the same counted from all messages. */
async function figures({ pool }: Pool) {
  const sessionFigures = await pool.query(
    `SELECT session_id, user_id, message_count, tokens_used::int, timed_answers, response_ms::int, agent_calls
     FROM chat_session_figures ORDER BY session_id`,
  )
  const countedSessions = await pool.query(
    `SELECT s.id AS session_id, s.user_id, count(m.id)::int AS message_count,
       coalesce(sum(coalesce(m.input_tokens, 0) + coalesce(m.output_tokens, 0)), 0)::int AS tokens_used,
       count(m.duration_ms) FILTER (WHERE m.state = 'complete')::int AS timed_answers,
       coalesce(sum(m.duration_ms) FILTER (WHERE m.state = 'complete'), 0)::int AS response_ms,
       (SELECT count(*)::int FROM chat_messages c, jsonb_array_elements(c.agent_calls) call
         WHERE c.session_id = s.id AND call->>'name' <> ALL ($1)) AS agent_calls
     FROM chat_sessions s LEFT JOIN chat_messages m ON m.session_id = s.id GROUP BY s.id ORDER BY s.id`,
    [lookups],
  )
  const ofPeople = await pool.query(
    `SELECT user_id, timed_answers, response_ms::int, agent_calls FROM chat_person_figures
     WHERE (timed_answers, response_ms, agent_calls) <> (0, 0, 0) ORDER BY user_id`,
  )
  const byPerson = Map.groupBy(countedSessions.rows, ({ user_id }) => user_id)
  const sum = (rows: Record<string, number>[], key: string) => rows.reduce((total, row) => total + (row[key] ?? 0), 0)
  const countedOfPeople = [...byPerson]
    .map(([user_id, rows]) => ({
      user_id,
      timed_answers: sum(rows, 'timed_answers'),
      response_ms: sum(rows, 'response_ms'),
      agent_calls: sum(rows, 'agent_calls'),
    }))
    .filter(({ timed_answers, response_ms, agent_calls }) => timed_answers + response_ms + agent_calls > 0)
    .toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))
  return {
    kept: { sessions: sessionFigures.rows, people: ofPeople.rows },
    counted: { sessions: countedSessions.rows, people: countedOfPeople },
  }
}

async function expectCounted(pool: Pool = database) {
  const { kept, counted } = await figures(pool)
  expect(kept).toEqual(counted)
  return kept
}

test('figures of conversations are those of all their messages, whatever is added, changed and removed', async () => {
  const { pool } = database
  const [first = '', second = '', third = '', empty = ''] = await addSessions(database, userId, 4)
  const [question = '', answer = ''] = await addMessages(database, [
    { session: first },
    { session: first, state: 'streaming' },
    { session: second, tokens: 7, durationMs: 900, calls: ['NewsAgent', 'search_memory'] },
    { session: second, tokens: null, durationMs: 500, state: 'interrupted' },
    { session: third, durationMs: 300, calls: ['FileAgent'] },
  ])
  expect((await expectCounted()).people).toEqual([
    { user_id: userId, timed_answers: 2, response_ms: 1200, agent_calls: 2 },
  ])

  const finish = `UPDATE chat_messages SET state = 'complete', input_tokens = 30, output_tokens = 12, duration_ms = 700,
    agent_calls = '[{"name": "WeatherAgent"}, {"name": "search_web"}]' WHERE id = $1`
  await pool.query(finish, [answer])
  await pool.query('UPDATE chat_messages SET parent_id = $1 WHERE id = $2', [question, answer])
  expect((await expectCounted()).people).toMatchObject([{ timed_answers: 3, response_ms: 1900, agent_calls: 3 }])
  // one that waited goes on
  await pool.query(`UPDATE chat_messages SET state = 'streaming' WHERE id = $1`, [answer])
  await pool.query(`UPDATE chat_messages SET state = 'interrupted', rating = 'up' WHERE id = $1`, [answer])
  await expectCounted()

  // a branch goes with the message that it began with
  await pool.query('DELETE FROM chat_messages WHERE id = $1', [question])
  await expectCounted()
  await pool.query('DELETE FROM chat_sessions WHERE id = ANY ($1::uuid[])', [[second, empty]])
  expect((await expectCounted()).people).toMatchObject([{ timed_answers: 1, response_ms: 300, agent_calls: 1 }])
})

test('thousands of conversations that are brought and taken away at once are counted, and an account leaves none', async () => {
  const { pool } = database
  const sessions = await addSessions(database, userId, 1500)
  const other = await insertUser(database)
  const [sessionId = ''] = await addSessions(database, other.id, 1)
  await addMessages(database, [
    ...sessions.flatMap((session, index) => [{ session }, { session, durationMs: index, calls: ['NewsAgent'] }]),
    { session: sessionId, durationMs: 5 },
  ])
  await expectCounted()
  await pool.query('DELETE FROM chat_sessions WHERE id = ANY ($1::uuid[])', [sessions.slice(0, 1000)])
  await expectCounted()
  await pool.query('DELETE FROM users WHERE id = $1', [userId])
  expect((await expectCounted()).people.filter((row) => row.user_id === userId)).toEqual([])
})

test('messages that are added to the same conversations at the same time are all counted', async () => {
  const sessions = await addSessions(database, userId, 3)
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      addMessages(
        database,
        (index % 2 === 0 ? sessions : sessions.toReversed()).map((session) => ({ session, durationMs: index })),
      ),
    ),
  )
  const { sessions: rows } = await expectCounted()
  const ofThese = rows.filter((row) => sessions.includes(row.session_id))
  expect(ofThese.map((row) => row.message_count)).toEqual([30, 30, 30])
})

test('the database counts no call of a tool that is no agent', async () => {
  const count = async (names: string[]) => {
    const { rows } = await database.pool.query('SELECT agent_calls_in($1) AS count', [
      JSON.stringify(names.map((name) => ({ name }))),
    ])
    return rows[0].count
  }
  expect(await count(lookups)).toBe(0)
  expect(await count([...lookups, 'NewsAgent', 'a tool of a server', 'NewsAgent'])).toBe(3)
})

test('conversations of the version before have their figures, and keep them', { timeout: 120_000 }, async () => {
  const work = mkdtempSync(join(tmpdir(), 'mira-figures-'))
  const serverUrl = process.env.TEST_DATABASE_URL
  const place = serverUrl ? await createServerDatabase(serverUrl) : { databaseUrl: undefined, drop: async () => {} }
  const where = { dataDir: join(work, 'data'), databaseUrl: place.databaseUrl, log: silentLog }
  try {
    const migrationsDir = join(work, 'migrations')
    for (const name of await listMigrations(MIGRATIONS_DIR)) {
      if (name <= LAST_OF_BEFORE) cpSync(join(MIGRATIONS_DIR, name), join(migrationsDir, name), { recursive: true })
    }
    mkdirSync(where.dataDir)
    const before = await openDatabase({ ...where, migrationsDir })
    const owner = newId()
    await before.pool.query(
      `INSERT INTO users (id, username, email, password_hash) VALUES ($1, 'anna', 'anna@example.org', '')`,
      [owner],
    )
    const sessions = await addSessions(before, owner, 40)
    await addMessages(
      before,
      sessions.slice(1).flatMap((session, index) => [
        { session, tokens: index },
        { session, tokens: 3, durationMs: index * 10, calls: index % 3 === 0 ? ['NewsAgent', 'read_page'] : [] },
        { session, durationMs: 40, state: 'failed' },
      ]),
    )
    await expect(before.pool.query('SELECT FROM chat_session_figures')).rejects.toThrow(/chat_session_figures/)
    await before.close()

    const opened = await openDatabase(where)
    try {
      expect((await expectCounted(opened)).sessions).toHaveLength(40)
      await addMessages(opened, [{ session: sessions[0] ?? '', durationMs: 1000, calls: ['FileAgent'] }])
      await opened.pool.query('DELETE FROM chat_sessions WHERE id = $1', [sessions[1]])
      await expectCounted(opened)
      const store = createSessionsStore(opened)
      const { total, agentCalls } = await store.stats(owner)
      expect({ total, agentCalls }).toEqual({ total: 39, agentCalls: 13 })
    } finally {
      await opened.close()
    }
  } finally {
    await place.drop()
    rmSync(work, { recursive: true, force: true })
  }
})
