import type { ChatMessageJson } from '@mira/shared'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let url: string
let account: TestAccount
let client: ChatClient

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser()
  client = createChatClient(url, account.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const ask = async () => {
  const stream = await client.send({ content: 'Tell me a long story' })
  await stream.ended
  return { ...idsOf(stream), end: stream.received.at(-1)?.event }
}
const resume = (sessionId: string, messageId: string) =>
  client.call<ChatMessageJson>('POST', `/chat/sessions/${sessionId}/messages/${messageId}/continue`)
const answerOf = async (sessionId: string) => (await client.read(sessionId)).messages[1]!

test.each([
  ['length', 'length'],
  ['MAX_TOKENS', 'length'],
  ['content_filter', 'content_filter'],
  ['SAFETY', 'content_filter'],
])('an answer with the finish reason %s is marked as cut off', async (finishReason, stop_reason) => {
  model.next({ text: 'Once upon a', finishReason })
  const { sessionId, end } = await ask()
  expect(end).toMatchObject({ type: 'complete', interrupted: false, stop_reason })
  expect(await answerOf(sessionId)).toMatchObject({ content: 'Once upon a', stop_reason, error: null })
})

test('a complete answer has no stop reason', async () => {
  model.next({ text: 'The end.' })
  const { sessionId, end } = await ask()
  expect(end).not.toHaveProperty('stop_reason')
  expect(await answerOf(sessionId)).not.toHaveProperty('stop_reason')
})

test('a cut-off answer is resumed in place, once, and can be cut off again', async () => {
  model.next({ text: 'Once upon a ti', finishReason: 'length', usage: { prompt_tokens: 5, completion_tokens: 4 } })
  const { sessionId, messageId } = await ask()
  const bothRequested = Promise.withResolvers<void>()
  model.next({
    text: 'me there was',
    finishReason: 'length',
    usage: { prompt_tokens: 9, completion_tokens: 3 },
    // otherwise it could end before the second attempt, which would then resume it again
    lastAfter: bothRequested.promise,
  })
  const attempts = await Promise.all([resume(sessionId, messageId), resume(sessionId, messageId)])
  bothRequested.resolve()
  expect(attempts.map(({ status }) => status).sort()).toEqual([200, 409])
  const rest = await client.streamAnswer(sessionId, { messageId })
  await rest.ended
  expect(rest.text()).toBe('Once upon a time there was')
  expect(await answerOf(sessionId)).toMatchObject({
    id: messageId,
    content: 'Once upon a time there was',
    stop_reason: 'length',
    usage: { input_tokens: 14, output_tokens: 7 },
  })
  const messages = model.chats().at(-1)?.body.messages ?? []
  expect(messages.at(-2)).toEqual({ role: 'assistant', content: 'Once upon a ti' })
  expect(messages.at(-1)).toMatchObject({
    role: 'user',
    content: expect.stringContaining('Go on exactly where it stops'),
  })
  model.next({ text: ' a lighthouse.' })
  expect((await resume(sessionId, messageId)).status).toBe(200)
  await expect.poll(async () => (await answerOf(sessionId)).content).toBe('Once upon a time there was a lighthouse.')
  expect(await answerOf(sessionId)).not.toHaveProperty('stop_reason')
  expect((await resume(sessionId, messageId)).status).toBe(409)
})

test('an answer of only reasoning reports that the model reached its limit', async () => {
  model.next({ text: '', reasoning: ['Hm, ', 'hm.'], finishReason: 'length' })
  expect((await ask()).end).toMatchObject({
    type: 'error',
    code: 'only_thoughts',
    content: expect.stringContaining('limit'),
  })
})

test('API clients get the finish reason', async () => {
  const openAi = new OpenAI({ baseURL: `${url}/v1`, apiKey: account.token, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Tell me a story' }]
  for (const store of [false, true]) {
    model.next({ text: 'Once', finishReason: 'length' })
    const completion = await openAi.chat.completions.create({ model: 'mira', messages, store })
    expect(completion.choices[0]?.finish_reason).toBe('length')
  }
  model.next({ text: 'Once', finishReason: 'content_filter' })
  const reasons: unknown[] = []
  for await (const { choices } of await openAi.chat.completions.create({ model: 'mira', messages, stream: true })) {
    reasons.push(choices[0]?.finish_reason)
  }
  expect(reasons.at(-1)).toBe('content_filter')
  model.next({ text: 'Once', finishReason: 'length' })
  expect(await openAi.responses.create({ model: 'mira', input: 'Tell me' })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  })
})
