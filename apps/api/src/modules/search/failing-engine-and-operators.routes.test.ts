import type { SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let models: OpenAiServer
let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  models = await startOpenAiServer()
  mira = await startTestApp({
    environment: { OPENAI_BASE_URL: models.baseUrl, EMBEDDING_MODEL: 'test-embedding' },
    // longer than the test, so that a skipped engine stays skipped until its end
    searchLimits: { queryTimeoutMs: 200, pauseMs: 600_000 },
  })
})
beforeEach(async () => {
  models.embeddings = { dimensions: 1024 }
  account = await mira.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

async function addMoment(body: string, language = 'english') {
  const item = await insertMediaItem(mira.context.database, account.user.id)
  return insertMoment(mira.context.database, item, { body, language })
}

const request = (query: string) =>
  mira.request.get('/api/media/search').query({ query }).auth(account.token, { type: 'bearer' })

async function contentsOf(query: string): Promise<string[]> {
  const { status, body } = await request(query)
  expect([query.slice(0, 50), status]).toEqual([query.slice(0, 50), 200])
  return (body as SearchResponseJson).results
    .filter(({ certainty }) => certainty === 'found')
    .map(({ content }) => content.replace(/\p{Cc}/gu, ''))
}

describe('any query has clear results or is refused with a reason', () => {
  test.each([
    '-',
    '--',
    '-""',
    '""',
    '" "',
    '“”',
    'AND OR NOT',
    '& | ! ( ) :*',
    "'; DROP TABLE moments; --",
    '\\',
    '%_%',
  ])('operators alone: %s', async (query) => {
    await addMoment('A lighthouse by the sea')
    expect(await contentsOf(query)).toEqual([])
  })

  test('words are found beside operators', async () => {
    await addMoment('A lighthouse by the sea')
    for (const query of ['lighthouse & | ! (', '(lighthouse) :*', "lighthouse'; --", 'lighthouse -', 'lighthouse ""']) {
      expect([query, await contentsOf(query)]).toEqual([query, ['A lighthouse by the sea']])
    }
  })

  test('emoji alone find nothing, and words are found beside them', async () => {
    await addMoment('A lighthouse by the sea 🎈')
    expect(await contentsOf('🎈👨‍👩‍👧🏳️‍🌈')).toEqual([])
    expect(await contentsOf('lighthouse 🏳️‍🌈')).toEqual(['A lighthouse by the sea 🎈'])
  })

  test('a single character of a script without spaces finds the words with it', async () => {
    await addMoment('祖母的紅色自行車', 'simple')
    await addMoment('A lighthouse')
    for (const query of ['車', '祖', '自'])
      expect([query, await contentsOf(query)]).toEqual([query, ['祖母的紅色自行車']])
    expect(await contentsOf('船')).toEqual([])
  })

  test('a query of the maximum length is searched for, and a longer one is refused with the reason', async () => {
    await addMoment('The boiler was mended')
    const longest = 'boiler '.repeat(1000).slice(0, 1000)
    expect(await contentsOf(longest)).toEqual(['The boiler was mended'])
    expect((await request('字'.repeat(1000))).status).toBe(200)
    const { status, body } = await request('boiler '.repeat(1000).slice(0, 3000))
    expect([status, body.detail]).toEqual([422, expect.stringContaining('A search can have at most 1000 characters.')])
  })
})

describe('a slow engine', () => {
  test('is skipped for a while after two timeouts: words are found immediately, with the reason', async () => {
    await addMoment('A lighthouse by the sea')
    models.embeddings = { failure: 'hang' }
    for (const query of ['lighthouse one', 'lighthouse two']) {
      expect((await request(query)).body).toMatchObject({ mode: 'words', mode_reason_code: 'embedding_engine_failed' })
    }
    const requestsBefore = models.requests.length
    // it would respond again, but isn't asked
    models.embeddings = { dimensions: 1024 }
    const { body } = await request('lighthouse three')
    expect(body).toMatchObject({ mode: 'words', mode_reason_code: 'embedding_engine_failed' })
    expect(body.mode_reason).toMatch(/didn’t respond within 0.2 seconds/)
    expect((body as SearchResponseJson).results[0]?.content).toContain('by the sea')
    expect(models.requests.length).toBe(requestsBefore)
  })
})
