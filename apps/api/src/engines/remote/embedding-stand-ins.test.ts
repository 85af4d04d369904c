import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { type StandIn, type StandInServer, sendError, sendJson, startStandIn } from '../../../test/stand-in-server.ts'
import { createRemote } from './remote-ai.ts'

let server: StandInServer

beforeAll(async () => {
  server = await startStandIn()
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

const createEngines = () =>
  createRemote({
    baseUrl: server.baseUrl,
    apiKey: undefined,
    embeddingModel: 'stand-in-embedding',
    log: silentLog,
    retryDelayMs: 1,
  })

describe('embedding', () => {
  const signal = new AbortController().signal
  const embedder = () => createEngines().embedder
  const isBad = (text: string) => text.includes('bad')
  const inputsOf = (body: { input?: unknown }) => [body.input ?? []].flat().map(String)
  const vectorsOf = (texts: string[], vectorOf: (text: string) => unknown = () => [3, 4]) => ({
    data: texts.map((text, index) => ({ index, embedding: vectorOf(text) })),
  })
  const texts = Array.from({ length: 40 }, (_, index) => (index === 17 ? 'bad' : `text ${index}`))

  test.each<[string, StandIn]>([
    [
      'a 500 error, as with Ollama',
      ({ body }, response) =>
        inputsOf(body).some(isBad)
          ? sendError(response, { status: 500, message: 'failed to encode response: json: unsupported value: NaN' })
          : sendJson(response, vectorsOf(inputsOf(body))),
    ],
    [
      'null values',
      ({ body }, response) =>
        sendJson(
          response,
          vectorsOf(inputsOf(body), (text) => (isBad(text) ? [null, null] : [3, 4])),
        ),
    ],
    [
      'a 400 error',
      ({ body }, response) =>
        inputsOf(body).some(isBad)
          ? sendError(response, { status: 400, message: 'invalid input' })
          : sendJson(response, vectorsOf(inputsOf(body))),
    ],
  ])('skips the one text that causes %s', async (_failure, serve) => {
    server.serve = serve
    const { vectors } = await embedder().embed(texts, 'passage', signal, { skipsRefused: true })
    expect(vectors.map(({ length }) => length)).toEqual(texts.map((text) => (isBad(text) ? 0 : 2)))
    expect(server.requests.length).toBeLessThan(25)
  })

  test('fails when the server fails on every text', async () => {
    server.serve = ({ path, body }, response) =>
      path === '/embeddings'
        ? sendJson(
            response,
            vectorsOf(inputsOf(body), () => [0, 0]),
          )
        : sendError(response, { status: 404 })
    await expect(embedder().embed(texts, 'passage', signal, { skipsRefused: true })).rejects.toMatchObject({
      code: 'useless_vectors',
    })
  })

  test.each([
    ['DashScope', 'batch size is invalid, it should not be larger than 10.'],
    ['Google', 'at most 10 requests can be in one batch'],
    ['a gateway', 'The number of documents exceeds the limit of 10'],
    ['another server', 'Too many inputs: maximum 10'],
  ])('reduces the batch size to the limit that %s reports', async (_provider, message) => {
    server.serve = ({ body }, response) =>
      inputsOf(body).length > 10
        ? sendError(response, { status: 400, message })
        : sendJson(response, vectorsOf(inputsOf(body)))
    expect((await embedder().embed(texts, 'passage', signal)).vectors).toHaveLength(40)
    const sizes = server.requests.map(({ body }) => inputsOf(body).length)
    expect(sizes).toEqual([40, 10, 10, 10, 10])
  })
})
