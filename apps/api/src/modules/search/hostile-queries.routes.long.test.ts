import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertChatSession, insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { newId } from '../../platform/database/new-id.ts'
import { createRecallStore, MISSPELLED_MS } from '../chat/turns/recall.store.ts'

const MESSAGE_CHARACTERS = 32_000
const MOMENT_CHARACTERS = 2000
const MOMENTS = 10
/** Allowed cost, as a multiple of a harmless search of the same length. Backtracking takes thousands. */
const MAX_COST_FACTOR = 30
const TRIES = 3

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const repeated = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** An account with a text stored in a message and passages of maximum length. */
async function accountWith(piece: string): Promise<TestAccount> {
  const { database } = mira.context
  const account = await mira.createUser({ can_upload: true })
  const { session } = await insertChatSession(database, account.user.id)
  await database.pool.query(
    `INSERT INTO chat_messages (id, session_id, role, content, lang) VALUES ($1, $2, 'user', $3, 'english')`,
    [newId(), session.id, repeated(piece, MESSAGE_CHARACTERS)],
  )
  const item = await insertMediaItem(database, account.user.id, {})
  const body = repeated(piece, MOMENT_CHARACTERS)
  for (let position = 0; position < MOMENTS; position++) await insertMoment(database, item, { body, position })
  return account
}

type Search = (account: TestAccount, query: string) => Promise<unknown>

const get =
  (path: string): Search =>
  ({ token }, query) =>
    mira.request.get(path).query({ query }).auth(token, { type: 'bearer' }).expect(200)

const searches: [name: string, max: number, search: Search][] = [
  ['conversations', 200, get('/api/chat/sessions')],
  ['the library', 500, get('/api/media/library')],
  ['the memory', 1000, get('/api/media/search')],
  [
    'earlier conversations for an answer',
    500,
    ({ user }, text) =>
      createRecallStore(mira.context.database).search({
        userId: user.id,
        text,
        searchConfiguration: 'english',
        exceptMessageId: newId(),
        exceptSessionId: null,
        limit: 5,
      }),
  ],
]

/** Milliseconds of the fastest try, since the machine may be busy. */
async function costOf(search: Search, account: TestAccount, query: string): Promise<number> {
  let minMs = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES; n++) {
    const startedAt = performance.now()
    await search(account, query)
    minMs = Math.min(minMs, performance.now() - startedAt)
  }
  return minMs
}

const hostileInputs: [stored: string, query: string][] = [
  ['a.b c.d ', 'a.b a.b c.d'],
  ['a.b c.d ', 'a.b c.d '.repeat(200)],
  ['a-b c-d ', 'b-a d-c '.repeat(200)],
  ['a b ', '"a b" "b a" '.repeat(200)],
  ['a/b/c.d ', 'c/b/a.d '.repeat(200)],
  ['aaaaaaaaa', 'a'.repeat(1000)],
  ['restauran ', 'restaurant'],
  ['restau aurant ', 'restaurantrestaurant restaurnt '.repeat(50)],
  ['ab\\ c% ', '\\%_'.repeat(400)],
  ['ab ab- ', '"a-b-a-b '.repeat(100)],
]

describe.each(searches)('a search in %s', (_name, max, search) => {
  test('isn’t slowed by hostile queries and texts', async () => {
    const harmless = await accountWith('We walked to the lighthouse above the harbour. ')
    const slow: string[] = []
    for (const [piece, typed] of hostileInputs) {
      const query = typed.slice(0, max).trim()
      const usualMs = await costOf(search, harmless, repeated('walking lighthouses harbours ', query.length).trim())
      const costMs = await costOf(search, await accountWith(piece), query)
      // harmless words need no search for misspellings
      if (costMs > usualMs * MAX_COST_FACTOR + MISSPELLED_MS)
        slow.push(`${query.slice(0, 40)}: ${Math.round(costMs)} ms, else ${Math.round(usualMs)} ms`)
    }
    expect(slow).toEqual([])
  }, 300_000)
})
