import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { countStatements } from '../../../test/statement-counter.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

vi.setConfig({ testTimeout: 60_000 })

let models: OpenAiServer
let mira: TestApp
let ana: TestAccount
beforeAll(async () => {
  models = await startOpenAiServer()
  models.embeddings = { dimensions: 1024 }
  mira = await startTestApp({ environment: { OPENAI_BASE_URL: models.baseUrl, EMBEDDING_MODEL: 'test-embedding' } })
  ana = await mira.createUser({ can_upload: true })
  for (const body of ['A lighthouse on the cliff', 'Supper in the harbour', 'The invoice of the plumber']) {
    const item = await insertMediaItem(mira.context.database, ana.user.id, {})
    await insertMoment(mira.context.database, item, { body })
    await mira.context.embedding.embedItem(item, new AbortController().signal)
  }
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

const search = (query: string) =>
  mira.request.get('/api/media/search').query({ query }).auth(ana.token, { type: 'bearer' }).expect(200)

/** Statements of a search once the caches are filled, without those of authentication. */
async function costOf(query: string) {
  await search(query)
  const counter = countStatements()
  try {
    await search(query)
    const isOfSignIn = (text: string) => !/moment|media_items|INSERT INTO activities/.test(text)
    return counter.countMentioning([ana.user.id], isOfSignIn)
  } finally {
    counter.stop()
  }
}

test('a search runs few statements, and no transaction of several', async () => {
  // size, words, tags, nearest, background; compounds of two rare words; moments that are only near;
  // their and their items' cosines and lengths; results and the record
  expect(await costOf('invoice of the plumber')).toEqual({ statements: 9, transactions: 0 })
})

test('a search for an unknown or misspelled word runs two or three more, for prefixes and misspellings', async () => {
  expect(await costOf('qwxzvb')).toEqual({ statements: 11, transactions: 0 })
  expect(await costOf('lighthuose')).toEqual({ statements: 12, transactions: 0 })
})

test('quoted words are searched for literally, without misspellings', async () => {
  expect(await costOf('"qwxzvb"')).toEqual({ statements: 6, transactions: 0 })
})
