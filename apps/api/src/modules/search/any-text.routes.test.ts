import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertMediaItem } from '../../../test/factories.ts'
import { searchesOf } from '../../../test/search-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

// hostile queries: texts with a meaning to the database, and too many searches at once
let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

describe('any text', () => {
  const texts = [
    `'`,
    `"`,
    `''); DROP TABLE moments; --`,
    '%',
    '_',
    '\\',
    'a\\',
    '"\\y("',
    '"(?i)***=a"',
    ':*',
    'a & b | !c <-> d',
    '!lighthouse & (',
    `'lighthouse':*A`,
    'lighthouse:A',
    '((((((',
    '<% %> ~* $1 $2',
    '🎉 lighthouse 👩‍👩‍👧',
    '日本語 テスト',
    'مرحبا שלום',
    'e\u0301cole',
    '\ud800',
    '\u0002\u0003',
    '-',
    '- -- ---',
    '-lighthouse',
    'tag:" before: type:',
    'tag:%',
    'x'.repeat(1000),
    'ab '.repeat(333),
    '"a" '.repeat(250),
    `${'('.repeat(500)}${')'.repeat(500)}`,
  ]

  test.each(texts)('can be searched for safely: %j', async (query) => {
    const { addItem, search, snippets } = searchesOf(mira, account)
    await addItem({}, ['A lighthouse', { kind: 'text', body: `100% of ${query}` }])
    const { results } = await search(query)
    for (const { content } of results) expect(content.length).toBeLessThan(500)
    expect(await snippets('lighthouse')).toHaveLength(1)
  })

  test.each([
    ['', 422],
    ['   ', 422],
    ['a\0b', 422],
    ['x'.repeat(1001), 422],
  ])('is refused when it’s empty, too long or has a NUL character: %j', async (query, status) => {
    await mira.request.get('/api/media/search').query({ query }).auth(account.token, { type: 'bearer' }).expect(status)
  })
})

test('a flood of misspelled searches is answered or refused, while other requests get through', async () => {
  const { addItem, snippets } = searchesOf(mira, account)
  const item = await insertMediaItem(mira.context.database, account.user.id)
  for (const from of [0, 1000, 2000]) {
    await mira.context.database.pool.query(
      `INSERT INTO moments (id, media_item_id, user_id, kind, position, body, lang, engine)
     SELECT gen_random_uuid(), $1, $2, 'speech', n,
       (SELECT string_agg(chr(97 + (n * 7 + k * 11) % 23) || 'estaurat' || chr(97 + (n + k) % 26) || 'o', ' ') FROM generate_series(1, 30) k),
       'english', 'built-in'
     FROM generate_series($3::int + 1, $3::int + 1000) n`,
      [item.id, account.user.id, from],
    )
  }
  await addItem({}, ['Dinner at the restaurant'])
  // on a busy machine a search may time out before it's complete
  await expect
    .poll(() => snippets('restaurnt'), { timeout: 30_000, interval: 50 })
    .toContain('Dinner at the ‹restaurant›')
  const flood = Array.from({ length: 20 }, (_, index) =>
    mira.request
      .get('/api/media/search')
      .query({ query: `restaurnt lightouse${index}` })
      .auth(account.token, { type: 'bearer' }),
  )
  let searching = true
  const searches = Promise.all(flood).finally(() => {
    searching = false
  })
  let answeredMeanwhile = 0
  while (searching) {
    await mira.request.get('/api/auth/me').auth(account.token, { type: 'bearer' }).expect(200)
    answeredMeanwhile++
  }
  const responses = await searches
  const successful = responses.filter(({ status }) => status === 200)
  const refused = responses.filter(({ status }) => status !== 200)
  // two running and sixteen waiting
  expect(successful.length).toBeGreaterThanOrEqual(18)
  for (const { status, headers } of refused) expect([status, headers['retry-after']]).toEqual([429, '5'])
  expect(answeredMeanwhile).toBeGreaterThan(1)
})
