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
    // longer than the test takes: an engine that was left out is left out until its end
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

async function keep(body: string, language = 'english') {
  const item = await insertMediaItem(mira.context.database, account.user.id)
  return insertMoment(mira.context.database, item, { body, language })
}

const ask = (query: string) =>
  mira.request.get('/api/media/search').query({ query }).auth(account.token, { type: 'bearer' })

async function contentsOf(query: string): Promise<string[]> {
  const { status, body } = await ask(query)
  expect([query.slice(0, 50), status]).toEqual([query.slice(0, 50), 200])
  return (body as SearchResponseJson).results
    .filter(({ certainty }) => certainty === 'found')
    .map(({ content }) => content.replace(/\p{Cc}/gu, ''))
}

describe('a query of any kind has clear results or is refused clearly', () => {
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
    await keep('A lighthouse by the sea')
    expect(await contentsOf(query)).toEqual([])
  })

  test('operators beside words do not keep them from being found', async () => {
    await keep('A lighthouse by the sea')
    for (const query of ['lighthouse & | ! (', '(lighthouse) :*', "lighthouse'; --", 'lighthouse -', 'lighthouse ""']) {
      expect([query, await contentsOf(query)]).toEqual([query, ['A lighthouse by the sea']])
    }
  })

  test('emoji alone find nothing, beside words they do no harm', async () => {
    await keep('A lighthouse by the sea 🎈')
    expect(await contentsOf('🎈👨‍👩‍👧🏳️‍🌈')).toEqual([])
    expect(await contentsOf('lighthouse 🏳️‍🌈')).toEqual(['A lighthouse by the sea 🎈'])
  })

  test('one character of a script without spaces finds the words that hold it', async () => {
    await keep('祖母的紅色自行車', 'simple')
    await keep('A lighthouse')
    for (const query of ['車', '祖', '自'])
      expect([query, await contentsOf(query)]).toEqual([query, ['祖母的紅色自行車']])
    expect(await contentsOf('船')).toEqual([])
  })

  test('as long as can be they are looked for, and longer ones are refused with the reason', async () => {
    await keep('The boiler was mended')
    const longest = 'boiler '.repeat(1000).slice(0, 1000)
    expect(await contentsOf(longest)).toEqual(['The boiler was mended'])
    expect((await ask('字'.repeat(1000))).status).toBe(200)
    const { status, body } = await ask('boiler '.repeat(1000).slice(0, 3000))
    expect([status, body.detail]).toEqual([422, expect.stringContaining('A search can have at most 1000 characters.')])
  })
})

describe('an engine that is slow', () => {
  test('is left out for a while after two time-outs: words are found at once, with the reason', async () => {
    await keep('A lighthouse by the sea')
    models.embeddings = { trouble: 'hang' }
    for (const query of ['lighthouse one', 'lighthouse two']) {
      expect((await ask(query)).body).toMatchObject({ mode: 'words', mode_reason_code: 'embedding_engine_failed' })
    }
    const requestsBefore = models.requests.length
    // it would answer again, but nobody waits to learn that
    models.embeddings = { dimensions: 1024 }
    const { body } = await ask('lighthouse three')
    expect(body).toMatchObject({ mode: 'words', mode_reason_code: 'embedding_engine_failed' })
    expect(body.mode_reason).toMatch(/didn’t respond within 0.2 seconds/)
    expect((body as SearchResponseJson).results[0]?.content).toContain('by the sea')
    expect(models.requests.length).toBe(requestsBefore)
  })
})
