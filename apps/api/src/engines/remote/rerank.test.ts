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
const connectReranker = () => connectTo(server, { rerankModel: 'test-reranker' })
const requestBodies = () => server.requests.filter(({ path }) => path === '/v1/rerank').map(({ body }) => body)
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ name, code }) => ({ name, code }),
  )

describe('texts', () => {
  test('get a score each, in their own order, whatever the order of the response', async () => {
    server.rerank.scoreOf = (text) => (text.includes('invoice') ? 2.5 : -7)
    const result = await connectReranker().reranker.rerank('when to pay', ['a dog', 'the invoice', 'a cat'], signal)
    expect(result).toEqual({ scores: [-7, 2.5, -7], model: 'test-reranker' })
    expect(requestBodies()).toEqual([
      { model: 'test-reranker', query: 'when to pay', documents: ['a dog', 'the invoice', 'a cat'], top_n: 3 },
    ])
  })

  test('are sent in the format of Text Embeddings Inference to a server that needs it, also the next time', async () => {
    server.rerank.isBareList = true
    const { reranker } = connectReranker()
    expect((await reranker.rerank('q', ['one', 'two'], signal)).scores).toEqual([0, 1])
    expect((await reranker.rerank('q', ['one', 'two'], signal)).scores).toEqual([0, 1])
    expect(requestBodies().map((body) => Object.keys(body))).toEqual([
      ['model', 'query', 'documents', 'top_n'],
      ['query', 'texts', 'truncate'],
      ['query', 'texts', 'truncate'],
    ])
  })

  test('are cut to what rerankers read, and need no server when there are none', async () => {
    const { reranker } = connectReranker()
    await reranker.rerank('q', ['lighthouse '.repeat(1000)], signal)
    expect(requestBodies()[0]).toMatchObject({ documents: [expect.stringMatching(/^.{2000}$/)] })
    expect(await reranker.rerank('q', [], signal)).toEqual({ scores: [], model: 'test-reranker' })
    expect(requestBodies()).toHaveLength(1)
  })
})

describe('texts that are longer than the server reads', () => {
  test('are cut to its limit, also the next time', async () => {
    server.rerank.maxCharacters = 1000
    const { reranker } = connectReranker()
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

  test('fail when it accepts none, however short', async () => {
    server.rerank.maxCharacters = 10
    const failure = await failureOf(
      connectReranker().reranker.rerank('q', ['lighthouse '.repeat(400), 'short'], signal),
    )
    expect(failure).toMatchObject({ name: 'EngineError' })
    expect(requestBodies()).toHaveLength(2)
  })
})

describe('an unusable response', () => {
  test.each([
    ['an empty object', {}],
    ['fewer scores', { results: [{ index: 0, relevance_score: 1 }] }],
    ['an index of no text', [0, 2].map((index) => ({ index, relevance_score: 1 }))],
    ['a negative index', [0, -1].map((index) => ({ index, relevance_score: 1 }))],
    ['one text twice', [0, 0].map((index) => ({ index, relevance_score: 1 }))],
    ['a score that is null', [0, 1].map((index) => ({ index, relevance_score: index === 0 ? null : 1 }))],
    ['a score that is a string', [0, 1].map((index) => ({ index, score: 'high' }))],
    ['no list', { results: 'ok' }],
    ['a null entry', { results: [null, { index: 1, relevance_score: 1 }] }],
  ])('is rejected: %s', async (_case, answer) => {
    server.rerank.answer = answer
    expect(await failureOf(connectReranker().reranker.rerank('q', ['one', 'two'], signal))).toEqual({
      name: 'EngineError',
      code: 'useless_order',
    })
  })
})

describe('a server', () => {
  test('is asked only once when it does not respond, and fails without the path', async () => {
    server.rerank.failure = 'hang'
    const remote = connectReranker()
    expect(await failureOf(remote.reranker.rerank('q', ['one'], signal))).toMatchObject({ code: 'model_timeout' })
    expect(requestBodies()).toHaveLength(1)
    expect(remote.check('rerank')).toMatchObject({ state: 'error', model: 'test-reranker' })
    server.rerank = {}
    await remote.reranker.rerank('q', ['one'], signal)
    const checked_at = expect.any(String)
    expect(remote.check('rerank')).toEqual({ state: 'ok', engine: 'remote', model: 'test-reranker', checked_at })
    server.rerank = { failure: { status: 404, message: 'File Not Found' } }
    expect(await failureOf(remote.reranker.rerank('q', ['one'], signal))).not.toBeNull()
  })

  test('has its request aborted when the search is', async () => {
    server.rerank.failure = 'hang'
    const controller = new AbortController()
    const work = failureOf(connectReranker().reranker.rerank('q', ['one'], controller.signal))
    await expect.poll(() => requestBodies().length).toBe(1)
    controller.abort()
    expect(await work).toMatchObject({ name: 'AbortError' })
    await expect.poll(() => server.requests.find(({ path }) => path === '/v1/rerank')?.abandonedAt).toBeDefined()
  })

  test('reranks with a model that is named as a reranker, or not at all', async () => {
    const remote = connectTo(server)
    await expect.poll(() => remote.check('rerank').state).toBe('off')
    expect(remote.check('rerank').reason).toContain('RERANK_MODEL')
    server.models.push('bge-reranker-v2-m3')
    const otherRemote = connectTo(server)
    await otherRemote.reranker.rerank('q', ['one'], signal)
    expect([
      otherRemote.check('rerank').model,
      otherRemote.check('chat').model,
      otherRemote.models('embedding'),
    ]).toEqual(['bge-reranker-v2-m3', 'test-model', ['test-embedding']])
  })

  test('needs no model name when it is only used for reranking', async () => {
    server.modelsError = { status: 404, message: 'not found' }
    const { reranker } = connectTo(server, { isForReranking: true })
    expect(await reranker.rerank('q', ['one', 'two'], signal)).toMatchObject({ scores: [0, 1] })
  })
})
