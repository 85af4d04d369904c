// Growth with the size of a library: pages and answers with a thousand, ten thousand and a hundred thousand items.
//   node bench/growth.bench.ts [--sizes 1000,10000,100000] [--people 100] [--rounds 9] [--only embedded|server] [--no-write]
// Runs on the embedded database, and on a server too when TEST_DATABASE_URL names one (scripts/postgres-for-tests.sh).
// One user has so many items, each with a text of about 40 words and a line in the activities of 180 days, and as many conversations of two
// messages, at most 10,000; others have 50 items each. Figures are medians of requests to an HTTP server in this process.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildAnalytics } from '../apps/api/src/modules/admin/insights/index.ts'
import { type Database, openDatabase } from '../apps/api/src/platform/database/client.ts'
import { createServerDatabase, silentLog } from '../apps/api/test/database-template.ts'
import { startTestApp, type TestAccount, type TestApp } from '../apps/api/test/test-app.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

/** Maximum number of conversations; until then, there are as many as items. */
const MAX_CONVERSATIONS = 10_000
const ROWS_PER_STATEMENT = 1000
const DAYS = 180
/** Messages in the conversation that is opened. */
const LONG_CONVERSATION = 40
const WARM_UP_ROUNDS = 3
/** Warm-up rounds before the first size is measured, which would otherwise show cold code. */
const COLD_ROUNDS = 40
const MAX_GROWTH = 2
/** Number of items of each other user. */
const OTHERS_ITEMS = 50

/**
 * SQL expression for a text of 40 words, few of which make up most of it, as in any language.
 * @param perRow numeric expression of the row; without it, the database makes a single text for all rows.
 */
const textFor = (perRow: string) =>
  `(SELECT string_agg('word' || floor(20000 ^ random())::int, ' ') FROM generate_series(1, 40 + 0 * ${perRow}))`
const WHEN = `now() - interval '${DAYS} days' * random()`

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    people: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '9' },
    only: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
})

await bench()

async function bench(): Promise<void> {
  const machine = describeMachine()
  const tables: FigureTable[] = []
  if (flags.only !== 'server') {
    const dataDir = mkdtempSync(join(tmpdir(), 'mira-bench-growth-'))
    try {
      tables.push(await measure('embedded', await openDatabase({ dataDir, log: silentLog })))
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
  const serverUrl = process.env.TEST_DATABASE_URL
  if (serverUrl && flags.only !== 'embedded') {
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    try {
      const database = await openDatabase({ databaseUrl, dataDir: 'memory://', log: silentLog })
      tables.push(await measure('PostgreSQL', database))
    } finally {
      await drop()
    }
  }
  report('Growth', machine, tables, flags['no-write'])
}

async function measure(setup: string, database: Database): Promise<FigureTable> {
  const sizes = flags.sizes.split(',').map(Number)
  const mira = await startTestApp({ database })
  try {
    const account = await mira.createUser({ can_upload: true, can_use_agents: true })
    await addOthers(database, Number(flags.people))
    const openedId = await addConversations(database, account.user.id, 1, LONG_CONVERSATION / 2)
    const medians = new Map<string, number[]>()
    let [items, conversations] = [0, 0]
    for (const size of sizes) {
      const startedAt = performance.now()
      await addItems(database, account.user.id, size - items)
      items = size
      const target = Math.min(size, MAX_CONVERSATIONS)
      await addConversations(database, account.user.id, target - conversations, 1)
      conversations = target
      // the server does this automatically after a while
      await buildAnalytics({ database, queue: { enqueue: async () => {} }, log: silentLog }).rollups.run()
      await database.pool.query('VACUUM ANALYZE')
      console.info(`${setup}: ${size} items after ${Math.round((performance.now() - startedAt) / 1000)} s`)
      const requests = await requestsOf(mira, account, openedId)
      if (medians.size === 0) {
        for (let round = 0; round < COLD_ROUNDS; round++) for (const [, ask] of requests) await ask()
      }
      for (const [name, ask] of requests) {
        const median = await timeOf(ask)
        medians.set(name, [...(medians.get(name) ?? []), median])
        console.info(name, median.toFixed(1))
      }
    }
    const rows = [...medians].map(([name, figures]): FigureTable['rows'][number] => {
      const value = (figures.at(-1) ?? Number.NaN) / (figures[0] ?? Number.NaN)
      return [name, ...figures, { value, comparison: value > MAX_GROWTH ? `target ≤ ${MAX_GROWTH}` : '' }]
    })
    return { setup, metrics: [...sizes.map((size) => `${size.toLocaleString('en')} items (ms)`), 'growth (×)'], rows }
  } finally {
    await mira.close()
  }
}

async function timeOf(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + Number(flags.rounds); round++) {
    const startedAt = performance.now()
    await ask()
    if (round >= WARM_UP_ROUNDS) times.push(performance.now() - startedAt)
  }
  return percentiles(times).median
}

/** Requests of a user by name. */
async function requestsOf(
  mira: TestApp,
  { user, token }: TestAccount,
  openedId: string,
): Promise<[string, () => Promise<unknown>][]> {
  const get = async (path: string) => {
    const response = await mira.app.inject({ url: `/api${path}`, headers: { authorization: `Bearer ${token}` } })
    if (response.statusCode !== 200) throw new Error(`${path} failed with ${response.statusCode}: ${response.body}`)
    return response
  }
  let cursor = ''
  for (let page = 0; page < 2; page++) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    cursor = (await get(`/media/library?limit=400${after}`)).json<{ next_cursor: string }>().next_cursor
  }
  const reader = { ...user, name: user.username, language: 'en', timeZone: 'UTC' }
  const startExport = async () => {
    const archive = mira.context.account.exports.open(reader as never, undefined)
    await once(archive, 'data')
    archive.destroy()
    await once(archive, 'close')
  }
  return [
    ['library, first page', () => get('/media/library')],
    ['library, scrolled to the 800th', () => get(`/media/library?cursor=${encodeURIComponent(cursor)}`)],
    ['library, by size', () => get('/media/library?sort=largest')],
    ['figures of the library', () => get('/media/stats')],
    ['conversations', () => get('/chat/sessions')],
    ['conversations by messages', () => get('/chat/sessions?sort=messages')],
    ['figures of the conversations', () => get('/chat/stats')],
    ['a conversation', () => get(`/chat/sessions/${openedId}`)],
    ['overview', () => get('/dashboard/overview')],
    ['activity', () => get('/dashboard/activity')],
    ['analytics of a quarter', () => get('/analytics?period=quarter')],
    ['search, a rare word', () => get('/media/search?query=word17000')],
    ['search, a common word', () => get('/media/search?query=word3')],
    ['search, three words', () => get('/media/search?query=word40%20word900%20word8000')],
    ['export, its first byte', startExport],
  ]
}

async function addOthers({ pool, ...database }: Database, people: number): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO users (id, username, email, password_hash, updated_at)
     SELECT gen_random_uuid(), 'other-' || n, 'other-' || n || '@example.org', '', now() FROM generate_series(1, $1::int) AS n
     RETURNING id`,
    [people],
  )
  for (const { id } of rows) {
    await addItems({ pool, ...database }, id, OTHERS_ITEMS)
    await addConversations({ pool, ...database }, id, OTHERS_ITEMS, 1)
  }
}

async function addItems({ pool }: Pick<Database, 'pool'>, userId: string, count: number): Promise<void> {
  for (let remaining = count; remaining > 0; remaining -= ROWS_PER_STATEMENT) {
    await pool.query(
      `WITH given AS MATERIALIZED (
         SELECT gen_random_uuid() AS id, n, ${WHEN} AS at, ${textFor('n')} AS body FROM generate_series(1, $2::int) AS n
       ), items AS (
         INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes,
           processing_status, extracted_text, tags, created_at, updated_at)
         SELECT id, $1, (ARRAY['image', 'video', 'document'])[1 + n % 3], encode(sha256(id::text::bytea), 'hex'), id::text,
           'file ' || n, 'text/plain', 1000 + n, 'completed', body, ARRAY['tag ' || n % 20], at, at FROM given
       ), texts AS (
         INSERT INTO moments (id, media_item_id, user_id, kind, position, body, lang, engine)
         SELECT gen_random_uuid(), id, $1, 'text', 0, body, 'english', 'built-in' FROM given
       )
       INSERT INTO activities (id, user_id, kind, subject_id, duration_ms, created_at)
       SELECT gen_random_uuid(), $1, 'upload', id, 100, at FROM given`,
      [userId, Math.min(remaining, ROWS_PER_STATEMENT)],
    )
  }
}

/** Adds conversations with this many questions and answers. @returns the id of one of them. */
async function addConversations(
  { pool }: Pick<Database, 'pool'>,
  userId: string,
  count: number,
  questions: number,
): Promise<string> {
  let lastId = ''
  for (let remaining = count; remaining > 0; remaining -= ROWS_PER_STATEMENT) {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO chat_sessions (id, user_id, session_name, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 'conversation ' || n, at, at
       FROM (SELECT n, ${WHEN} AS at FROM generate_series(1, $2::int) AS n) given RETURNING id`,
      [userId, Math.min(remaining, ROWS_PER_STATEMENT)],
    )
    const sessions = rows.map(({ id }) => id)
    lastId = sessions[0] ?? lastId
    for (let index = 0; index < questions; index++) {
      await pool.query(
        `WITH given AS MATERIALIZED (
           SELECT s.id AS session, s.current_message_id AS parent, s.updated_at + $2::int * interval '1 minute' AS at,
             gen_random_uuid() AS question, gen_random_uuid() AS answer, ${textFor('length(s.session_name)')} AS body
           FROM chat_sessions s WHERE s.id = ANY($1::uuid[])
         ), asked AS (
           INSERT INTO chat_messages (id, session_id, parent_id, role, content, lang, created_at)
           SELECT question, session, parent, 'user', body, 'english', at FROM given
         ), answered AS (
           INSERT INTO chat_messages (id, session_id, parent_id, role, content, lang, engine, model_used, input_tokens,
             output_tokens, duration_ms, first_token_ms, created_at)
           SELECT answer, session, question, 'assistant', body, 'english', 'remote', 'bench', 50, 50, 900, 90,
             at + interval '1 second' FROM given
         ), noted AS (
           INSERT INTO activities (id, user_id, kind, subject_id, detail_id, duration_ms, first_token_ms, input_tokens,
             output_tokens, detail, created_at)
           SELECT answer, $3, 'chat', session, answer, 900, 90, 50, 50, '{"action": "answered"}', at FROM given
         )
         UPDATE chat_sessions s SET current_message_id = answer FROM given WHERE s.id = given.session`,
        [sessions, index, userId],
      )
    }
  }
  return lastId
}
