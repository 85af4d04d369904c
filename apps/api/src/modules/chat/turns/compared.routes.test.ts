import { type AnswerVersionsJson, MAX_COMPARED_ANSWERS } from '@mira/shared'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let client: ChatClient
let url: string

beforeAll(async () => {
  model = await startOpenAiServer()
  model.models = ['test-model', 'another', 'third']
  server = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  url = await listen(server.app)
})
beforeEach(async () => {
  client = createChatClient(url, (await server.createUser()).token)
})
afterEach(() => {
  model.reset()
  model.models = ['test-model', 'another', 'third']
})
afterAll(async () => {
  await server.close()
  await model.close()
})

/** Slow enough that all answers start before one ends. */
const SLOW_ANSWER = { text: 'The Tagus', firstDelayMs: 4000 }

const answerForComparison = (sessionId: string, messageId: string, name: string) =>
  client.regenerate(sessionId, messageId, { model: name, beside: true })

test('several models can answer a question at once, and the conversation shows the first until another is chosen', async () => {
  model.when('river', SLOW_ANSWER)
  const first = await client.send({ content: 'Name a river' })
  await first.until(({ received }) => received.length > 0)
  const { sessionId, messageId } = idsOf(first)
  const others = await Promise.all(['another', 'third'].map((name) => answerForComparison(sessionId, messageId, name)))
  await Promise.all(others.map((stream) => stream.until(({ received }) => received.length > 0)))
  // a regular regeneration is still rejected
  expect(await client.regenerate(sessionId, messageId)).toMatchObject({ status: 409 })
  await Promise.all([first, ...others].map((stream) => stream.ended))
  expect(model.chats().map(({ body }) => body.model)).toEqual(
    expect.arrayContaining(['test-model', 'another', 'third']),
  )
  const latest = async () => (await client.read(sessionId)).messages.at(-1)
  expect(await latest()).toMatchObject({ id: messageId, siblings: { count: 3 } })
  const otherId = idsOf(others[0]!).messageId
  await client.call('PATCH', `/chat/sessions/${sessionId}`, { current_message_id: otherId })
  expect(await latest()).toMatchObject({ id: otherId, model_used: 'another' })
  // any of them leads to all versions, as after a reload
  const versions = async (id: string) =>
    (await client.call<AnswerVersionsJson>('GET', `/chat/messages/${id}/versions`)).body.messages
  for (const id of [messageId, otherId]) {
    expect((await versions(id)).map(({ model_used, content }) => [model_used, content])).toEqual(
      expect.arrayContaining(['test-model', 'another', 'third'].map((name) => [name, 'The Tagus'])),
    )
    expect(await versions(id)).toHaveLength(3)
  }
  const [question] = (await client.read(sessionId)).messages
  expect((await client.call('GET', `/chat/messages/${question?.id}/versions`)).status).toBe(422)
  // the question exists once
  expect((await client.read(sessionId)).messages).toHaveLength(2)
})

test('an unknown model leaves the other answers running, and all of them are stopped together', async () => {
  model.when('river', SLOW_ANSWER)
  const first = await client.send({ content: 'Name a river' })
  await first.until(({ received }) => received.length > 0)
  const { sessionId, messageId } = idsOf(first)
  expect(await answerForComparison(sessionId, messageId, 'no-such-model')).toMatchObject({ status: 422 })
  const other = await answerForComparison(sessionId, messageId, 'another')
  await other.until(({ received }) => received.length > 0)
  expect(await client.stop(sessionId)).toBeLessThan(300)
  await Promise.all([first.ended, other.ended])
  for (const stream of [first, other]) {
    expect(stream.received.map(({ event }) => event).find(({ type }) => type === 'complete')).toMatchObject({
      interrupted: true,
    })
  }
})

test('returns 409 beyond the maximum number of compared answers', async () => {
  model.when('river', SLOW_ANSWER)
  const first = await client.send({ content: 'Name a river' })
  await first.until(({ received }) => received.length > 0)
  const { sessionId, messageId } = idsOf(first)
  const streams = []
  for (let count = 0; count < MAX_COMPARED_ANSWERS; count += 1)
    streams.push(await answerForComparison(sessionId, messageId, 'another'))
  expect(await answerForComparison(sessionId, messageId, 'third')).toMatchObject({ status: 409 })
  await Promise.all([first, ...streams].map((stream) => stream.ended))
})
