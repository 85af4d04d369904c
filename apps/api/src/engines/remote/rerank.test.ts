import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { connectTo } from '../../../test/remote-server.ts'

let server: OpenAiServer

beforeAll(async () => {
  server = await startOpenAiServer()
})
afterEach(() => server.reset())
afterAll(() => server.close())

const signal = new AbortController().signal
const named = () => connectTo(server, { rerankModel: 'test-reranker' })
const requestBodies = () => server.requests.filter(({ path }) => path === '/v1/rerank').map(({ body }) => body)
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ name, code }) => ({ name, code }),
  )

describe('texts', () => {
  test('get a score each, in their own order, whatever the order of the answer', async () => {
    server.rerank.scoreOf = (text) => (text.includes('invoice') ? 2.5 : -7)
    const result = await named().reranker.rerank('when to pay', ['a dog', 'the invoice', 'a cat'], signal)
    expect(result).toEqual({ scores: [-7, 2.5, -7], model: 'test-reranker' })
    expect(requestBodies()).toEqual([
      { model: 'test-reranker', query: 'when to pay', documents: ['a dog', 'the invoice', 'a cat'], top_n: 3 },
    ])
  })

  test('are named and answered as Text Embeddings Inference does it, which is known the next time', async () => {
    server.rerank.isBareList = true
    const { reranker } = named()
    expect((await reranker.rerank('q', ['one', 'two'], signal)).scores).toEqual([0, 1])
    expect((await reranker.rerank('q', ['one', 'two'], signal)).scores).toEqual([0, 1])
    expect(requestBodies().map((body) => Object.keys(body))).toEqual([
      ['model', 'query', 'documents', 'top_n'],
      ['query', 'texts', 'truncate'],
      ['query', 'texts', 'truncate'],
    ])
  })

  test('are cut to what such models read, and none at all need no server', async () => {
    const { reranker } = named()
    await reranker.rerank('q', ['lighthouse '.repeat(1000)], signal)
    expect(requestBodies()[0]).toMatchObject({ documents: [expect.stringMatching(/^.{2000}$/)] })
    expect(await reranker.rerank('q', [], signal)).toEqual({ scores: [], model: 'test-reranker' })
    expect(requestBodies()).toHaveLength(1)
  })
})

describe('texts that are longer than the server reads', () => {
  test('are cut to what it takes, also the next time', async () => {
    server.rerank.maxCharacters = 1000
    const { reranker } = named()
    const texts = ['lighthouse '.repeat(400), 'short']
    expect((await reranker.rerank('q', texts, signal)).scores).toEqual([0, 1])
    await reranker.rerank('q', texts, signal)
    const lengths = requestBodies().map(({ documents }) => (documents as string[]).map(({ length }) => length))
    expect(lengths).toEqual([
      [2000, 5],
      [900, 5],
      [900, 5],
    ])
  })

  test('fail when it takes none, however short', async () => {
    server.rerank.maxCharacters = 10
    const failure = await failureOf(named().reranker.rerank('q', ['lighthouse '.repeat(400), 'short'], signal))
    expect(failure).toMatchObject({ name: 'EngineError' })
    expect(requestBodies()).toHaveLength(2)
  })
})

describe('an answer that is no order', () => {
  test.each([
    ['nothing', {}],
    ['fewer scores', { results: [{ index: 0, relevance_score: 1 }] }],
    ['a text that was not sent', [0, 2].map((index) => ({ index, relevance_score: 1 }))],
    ['a place before the first', [0, -1].map((index) => ({ index, relevance_score: 1 }))],
    ['one text twice', [0, 0].map((index) => ({ index, relevance_score: 1 }))],
    ['a score that is no number', [0, 1].map((index) => ({ index, relevance_score: index === 0 ? null : 1 }))],
    ['a score in words', [0, 1].map((index) => ({ index, score: 'high' }))],
    ['no list', { results: 'ok' }],
    ['an empty entry', { results: [null, { index: 1, relevance_score: 1 }] }],
  ])('is refused: %s', async (_what, answer) => {
    server.rerank.answer = answer
    expect(await failureOf(named().reranker.rerank('q', ['one', 'two'], signal))).toEqual({
      name: 'EngineError',
      code: 'useless_order',
    })
  })
})

describe('a server', () => {
  test('that is silent, or has no such path, is not waited for twice', async () => {
    server.rerank.trouble = 'hang'
    const remote = named()
    expect(await failureOf(remote.reranker.rerank('q', ['one'], signal))).toMatchObject({ code: 'model_timeout' })
    expect(requestBodies()).toHaveLength(1)
    expect(remote.check('rerank')).toMatchObject({ state: 'error', model: 'test-reranker' })
    server.rerank = {}
    await remote.reranker.rerank('q', ['one'], signal)
    const checked_at = expect.any(String)
    expect(remote.check('rerank')).toEqual({ state: 'ok', engine: 'remote', model: 'test-reranker', checked_at })
    server.rerank = { trouble: { status: 404, message: 'File Not Found' } }
    expect(await failureOf(remote.reranker.rerank('q', ['one'], signal))).not.toBeNull()
  })

  test('is not asked to the end when the search is given up', async () => {
    server.rerank.trouble = 'hang'
    const giveUp = new AbortController()
    const work = failureOf(named().reranker.rerank('q', ['one'], giveUp.signal))
    await expect.poll(() => requestBodies().length).toBe(1)
    giveUp.abort()
    expect(await work).toMatchObject({ name: 'AbortError' })
    await expect.poll(() => server.requests.find(({ path }) => path === '/v1/rerank')?.abandonedAt).toBeDefined()
  })

  test('that chats and embeds reranks with a model that is called so, or not at all', async () => {
    const remote = connectTo(server)
    await expect.poll(() => remote.check('rerank').state).toBe('off')
    expect(remote.check('rerank').reason).toContain('RERANK_MODEL')
    server.models.push('bge-reranker-v2-m3')
    const able = connectTo(server)
    await able.reranker.rerank('q', ['one'], signal)
    expect([able.check('rerank').model, able.check('chat').model, able.models('embedding')]).toEqual([
      'bge-reranker-v2-m3',
      'test-model',
      ['test-embedding'],
    ])
  })

  test('that is there for reranking alone needs no name of a model', async () => {
    server.modelsError = { status: 404, message: 'not found' }
    const { reranker } = connectTo(server, { isForReranking: true })
    expect(await reranker.rerank('q', ['one', 'two'], signal)).toMatchObject({ scores: [0, 1] })
  })
})
