import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { connectTo } from '../../../test/remote-server.ts'
import { prefixed } from '../embedding/embedding-prefixes.ts'

let server: OpenAiServer

beforeAll(async () => {
  server = await startOpenAiServer()
})
afterEach(() => server.reset())
afterAll(() => server.close())

const signal = new AbortController().signal
const inputs = () =>
  server.requests.flatMap(({ path, body }) => (path === '/v1/embeddings' ? [[body.input].flat()] : []))
const similarity = (one: number[] = [], other: number[] = []) =>
  one.reduce((sum, value, axis) => sum + value * (other[axis] ?? 0), 0)
const failureOf = (remote = connectTo(server), texts = ['hello']) =>
  remote.embedder.embed(texts, 'passage', signal).then(
    () => null,
    ({ name, code, isPermanent }) => ({ name, code, isPermanent }),
  )

describe('texts', () => {
  test('become vectors of length 1, close together when their meanings are similar', async () => {
    const texts = ['The dentist sent an invoice', 'Rechnung vom Zahnarzt', 'A sunset over the sea']
    const { vectors, ...info } = await connectTo(server).embedder.embed(texts, 'passage', signal)
    expect(info).toEqual({ model: 'test-embedding', dimensions: 128 })
    for (const vector of vectors) expect(similarity(vector, vector)).toBeCloseTo(1, 5)
    expect(similarity(vectors[0], vectors[1])).toBeGreaterThan(0.6)
    expect(similarity(vectors[0], vectors[2])).toBeLessThan(0.3)
  })

  test('get the same vectors from base64 as from numbers, in the order of the texts', async () => {
    const texts = ['one lighthouse', 'two cars', 'three trees']
    const asBase64 = await connectTo(server).embedder.embed(texts, 'passage', signal)
    server.embeddings.refusesBase64 = true
    const asNumbers = await connectTo(server).embedder.embed(texts, 'passage', signal)
    const close = (vectors: number[][]) => vectors.map((vector) => vector.map((number) => Number(number.toFixed(5))))
    expect(close(asNumbers.vectors)).toEqual(close(asBase64.vectors))
    server.embeddings = {
      data: [
        { index: 1, embedding: [0, 2] },
        { index: 0, embedding: [3, 0] },
      ],
    }
    const { vectors } = await connectTo(server).embedder.embed(['a', 'b'], 'query', signal)
    expect(vectors).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  test('are sent in batches limited by count and by length', async () => {
    const many = Array.from({ length: 150 }, (_, index) => `text ${index}`)
    const { vectors } = await connectTo(server).embedder.embed(many, 'passage', signal)
    expect(vectors).toHaveLength(150)
    expect(inputs().map(({ length }) => length)).toEqual([64, 64, 22])
    server.reset()
    await connectTo(server).embedder.embed(Array(5).fill('x'.repeat(10_000)), 'passage', signal)
    expect(inputs().map(({ length }) => length)).toEqual([2, 2, 1])
  })

  test('are sent in smaller batches when the server demands it', async () => {
    server.embeddings.maxTexts = 10
    const many = Array.from({ length: 40 }, (_, index) => `text ${index}`)
    const remote = connectTo(server)
    expect((await remote.embedder.embed(many, 'passage', signal)).vectors).toHaveLength(40)
    expect(inputs().map(({ length }) => length)).toEqual([40, 10, 10, 10, 10])
  })

  test('are cut to the limit of the model, also the next time', async () => {
    server.embeddings.maxCharacters = 1000
    const remote = connectTo(server)
    const long = 'lighthouse '.repeat(400)
    const { vectors } = await remote.embedder.embed([long, 'short'], 'passage', signal)
    expect(vectors).toHaveLength(2)
    await remote.embedder.embed([long], 'passage', signal)
    expect(inputs().map((texts) => texts.map((text) => String(text).length))).toEqual([[4400, 5], [899, 5], [899]])
  })

  test('get the prefixes that the model expects', async () => {
    const remote = connectTo(server, { embeddingModel: 'intfloat/multilingual-e5-small' })
    await remote.embedder.embed(['car'], 'query', signal)
    await remote.embedder.embed(['car'], 'passage', signal)
    expect(inputs()).toEqual([['query: car'], ['passage: car']])
  })

  test('need no server when there are none', async () => {
    const remote = connectTo(server, { embeddingModel: 'some' })
    expect(await remote.embedder.embed([], 'passage', signal)).toEqual({ vectors: [], model: 'some', dimensions: 0 })
  })
})

test.each([
  ['nomic-embed-text:latest', 'search_query: car', 'search_document: car'],
  ['bge-large-en-v1.5', 'Represent this sentence for searching relevant passages: car', 'car'],
  ['multilingual-e5-large-instruct', expect.stringMatching(/^Instruct: .*\nQuery: car$/), 'car'],
  ['text-embedding-3-small', 'car', 'car'],
  ['bge-m3', 'car', 'car'],
])('%s gets its own prefixes for queries and passages', (model, query, passage) => {
  expect([prefixed('car', 'query', model), prefixed('car', 'passage', model)]).toEqual([query, passage])
})

describe('failures:', () => {
  test('another model under the same name fails once; then its vectors are accepted', async () => {
    const remote = connectTo(server)
    await remote.embedder.embed(['one'], 'passage', signal)
    server.embeddings.dimensions = 64
    expect(await failureOf(remote)).toEqual({
      name: 'EngineError',
      code: 'embedding_model_changed',
      isPermanent: false,
    })
    expect((await remote.embedder.embed(['one'], 'passage', signal)).dimensions).toBe(64)
  })

  test('a chat server without embeddings is not asked again for a while', async () => {
    const message = 'This server does not support embeddings. Start it with `--embeddings`'
    server.embeddings.failure = { status: 501, message, type: 'not_supported_error' }
    const remote = connectTo(server)
    expect(await failureOf(remote)).toEqual({ name: 'EngineError', code: 'capability_missing', isPermanent: true })
    const address = new URL(server.baseUrl).origin
    const params = {
      address,
      model: 'test-embedding',
      capability: 'embedding',
      variable: 'EMBEDDING_MODEL',
      said: message,
    }
    expect(remote.check('embedding')).toEqual({
      state: 'off',
      told: [{ code: 'capability_missing', params }],
      reason: `The model server at ${address} can’t turn texts into vectors with the model “test-embedding”: ${message}. Correct EMBEDDING_MODEL or OPENAI_BASE_URL.`,
    })
    expect(inputs()).toHaveLength(1)
  })

  test.each([
    ['an empty list', []],
    ['an empty vector', [{ index: 0, embedding: [] }]],
    ['zeros', [{ index: 0, embedding: [0, 0] }]],
    ['strings', [{ index: 0, embedding: ['a', 'b'] }]],
    ['a string', 'nothing'],
  ])('a response with %s instead of vectors is rejected', async (_case, data) => {
    server.embeddings = { data }
    expect(await failureOf()).toEqual({ name: 'EngineError', code: 'useless_vectors', isPermanent: false })
  })

  test('a model that accepts no text at all is a permanent failure', async () => {
    server.embeddings.maxCharacters = 2
    expect(await failureOf(connectTo(server), ['lighthouse'])).toMatchObject({
      code: 'context_too_long',
      isPermanent: true,
    })
  })

  test('a silent server times out', async () => {
    server.embeddings.failure = 'hang'
    expect(await failureOf(connectTo(server, { callTimeoutMs: 50 }))).toMatchObject({ code: 'model_timeout' })
  })

  test('a temporary error is retried', async () => {
    server.embeddings.failure = { status: 503, message: 'Loading model' }
    const embedding = connectTo(server, { retryDelayMs: 100 }).embedder.embed(['one'], 'passage', signal)
    await expect.poll(() => inputs().length).toBe(1)
    server.embeddings.failure = undefined
    expect((await embedding).dimensions).toBe(128)
  })

  test('a temporary error is not retried while a user waits for search results', async () => {
    server.embeddings.failure = { status: 503, message: 'Loading model' }
    const embedding = connectTo(server).embedder.embed(['one'], 'query', signal)
    await expect(embedding).rejects.toMatchObject({ code: 'model_error', isPermanent: false })
    expect(inputs()).toHaveLength(1)
  })
})
