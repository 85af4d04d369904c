import type { SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let models: OpenAiServer
let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  models = await startOpenAiServer()
  mira = await startTestApp({ environment: { OPENAI_BASE_URL: models.baseUrl, RERANK_MODEL: 'test-rerank' } })
  account = await mira.createUser({ can_upload: true })
  for (const body of [
    'The lease, the lease and the lease',
    'The lease ends in March',
    'A long letter about the lease',
  ]) {
    const item = await insertMediaItem(mira.context.database, account.user.id, {})
    await insertMoment(mira.context.database, item, { body })
  }
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

async function search(): Promise<string[]> {
  const response = await mira.request
    .get('/api/media/search')
    .query({ query: 'lease' })
    .auth(account.token, { type: 'bearer' })
    .expect(200)
  return (response.body as SearchResponseJson).results.map(({ media_id }) => media_id)
}

test('a reranking engine decides the order, and a failing one leaves it unchanged', async () => {
  models.rerank = { scoreOf: (_text, index) => -index }
  const order = await search()
  expect(order).toHaveLength(3)

  // without scores, the stand-in reverses the order
  models.rerank = {}
  expect(await search()).toEqual(order.toReversed())

  models.rerank = { failure: { status: 500, message: 'out of memory' } }
  expect(await search()).toEqual(order)
})
