import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { enginesOf } from '../../../test/stand-in-questions.ts'
import { type StandInServer, sendJson, startStandIn } from '../../../test/stand-in-server.ts'
import { writeWav } from '../../../test/wav-files.ts'

let server: StandInServer

beforeAll(async () => {
  server = await startStandIn()
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

const { signal } = new AbortController()
const createEngines = () =>
  enginesOf(server, {
    rerankModel: 'stand-in-rerank',
    transcriptionModel: 'stand-in-whisper',
    imageModel: 'stand-in-image',
  })
type Engines = ReturnType<typeof createEngines>

const calls: [string, (engines: Engines) => Promise<unknown>][] = [
  ['texts are embedded', ({ embedder }) => embedder.embed(['a'], 'passage', signal, { skipsRefused: true })],
  [
    'speech is transcribed',
    ({ transcriber }) => transcriber.transcribe(writeWav([{ seconds: 2 }]), { durationSeconds: 2, signal }),
  ],
  ['results are reordered', ({ reranker }) => reranker.rerank('a', ['b', 'c'], signal)],
  ['a picture is drawn', ({ imageEditor }) => imageEditor.draw('a boat', signal)],
]

test.each(calls)(
  'an error sent with status 200 when %s is the server’s error, with its message',
  async (_when, call) => {
    server.serve = (_, response) => sendJson(response, { error: { message: 'Provider returned error', code: 502 } })
    await expect(call(createEngines())).rejects.toThrow('Provider returned error')
    server.serve = (_, response) => sendJson(response, { error: 'failed to process audio' })
    await expect(call(createEngines())).rejects.toThrow('failed to process audio')
  },
)

test('a rate limit sent with status 200 is waited for', async () => {
  server.serve = ({ round }, response) =>
    sendJson(
      response,
      round === 0
        ? { error: { message: 'Rate limited', code: 429 } }
        : { error: null, data: [{ index: 0, embedding: [3, 4] }] },
    )
  const { vectors } = await createEngines().embedder.embed(['a'], 'passage', signal)
  expect(vectors).toEqual([[0.6, 0.8]])
})
