import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { DONE, deltaEvent, openStream, startStandIn } from '../../../test/stand-in-server.ts'
import { createConnection } from './connection.ts'
import { createRelay } from './relay.ts'

let server: OpenAiServer

beforeAll(async () => {
  server = await startOpenAiServer()
})
afterEach(() => server.reset())
afterAll(() => server.close())

const limits = { firstTokenTimeoutMs: 100, idleTimeoutMs: 100 }
const maxSilenceMs = 1_000
const request = { model: 'test-model', messages: [{ role: 'user', content: 'Count' }] }

function post(body: object, signal = new AbortController().signal, baseUrl = server.baseUrl) {
  const connection = createConnection({ baseUrl, apiKey: undefined, log: silentLog, ...limits })
  return createRelay(connection, () => 'test-model', { maxSilenceMs }).post(
    '/chat/completions',
    { ...request, ...body },
    signal,
  )
}

/** Text received, and the error that ended it. */
async function read(body: AsyncIterable<Uint8Array> | null) {
  let text = ''
  try {
    for await (const part of body ?? []) text += new TextDecoder().decode(part)
  } catch (error) {
    return { text, error }
  }
  return { text, error: null }
}

test('passes a streamed answer on', async () => {
  server.next({ text: 'one two', delayMs: 50 })
  const { contentType, body } = await post({ stream: true })
  const { text, error } = await read(body)
  expect([contentType, error]).toEqual(['text/event-stream', null])
  expect(text).toMatch(/"one ".*"two".*\[DONE\]/s)
})

test('ends a finished answer although the server keeps the connection open', async () => {
  const standIn = await startStandIn()
  standIn.serve = (_, response) => {
    openStream(response)
    response.write(`${deltaEvent({ content: 'one' }, 'stop')}${DONE}`)
  }
  const { text, error } = await read((await post({ stream: true }, undefined, standIn.baseUrl)).body)
  expect([text.endsWith(DONE), error]).toEqual([true, null])
  await standIn.close()
})

test('allows longer silence than in a conversation, before and during an answer', async () => {
  server.next({ text: ['one ', 'two '], delayMs: 4 * limits.idleTimeoutMs })
  const { text, error } = await read((await post({ stream: true })).body)
  expect(error).toBeNull()
  expect(text).toMatch(/"one ".*"two ".*\[DONE\]/s)
})

test.each([
  ['falls silent', { text: ['one ', 'two '], hang: 1 }, 'model_timeout'],
  ['breaks off', { text: ['one ', 'two '], cutAfter: 1 }, 'answer_cut_off'],
] as const)(
  'an answer that %s ends with an error after the text so far, and its request is aborted',
  async (_case, answer, code) => {
    server.next({ ...answer, text: [...answer.text] })
    const { text, error } = await read((await post({ stream: true })).body)
    expect(text).toContain('"one "')
    expect(error).toMatchObject({ name: 'EngineError', code })
    await expect.poll(() => server.chats()[0]?.abandonedAt).toBeDefined()
  },
)

test('times out when a stream does not start; a response without streaming may take longer', async () => {
  server.next({ hang: 'headers' })
  await expect(post({ stream: true })).rejects.toMatchObject({ code: 'model_timeout' })
  server.completionFailure = 'hang'
  const controller = new AbortController()
  const pending = post({}, controller.signal)
  const isWaiting = await Promise.race([
    pending.then(
      () => false,
      () => false,
    ),
    new Promise((resolve) => setTimeout(() => resolve(true), maxSilenceMs + 300)),
  ])
  expect(isWaiting).toBe(true)
  controller.abort()
  await expect(pending).rejects.toThrow()
})

test('waits for the models of a silent server once, not with each request', async () => {
  const standIn = await startStandIn()
  standIn.serve = () => {}
  const connection = createConnection({
    ...{ baseUrl: standIn.baseUrl, apiKey: undefined, log: silentLog },
    ...{ probeTimeoutMs: 50, probeIntervalMs: 60_000 },
  })
  const relay = createRelay(connection, () => null)
  expect([await relay.models(), await relay.models()]).toEqual([[], []])
  expect(standIn.requests).toHaveLength(1)
  await standIn.close()
})
