import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChatClient, createChatClient, listen } from '../../../../test/chat-client.ts'
import { insertMediaItem } from '../../../../test/factories.ts'
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
  account = await server.createUser({ can_use_agents: true, can_upload: true })
  client = createChatClient(url, account.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

/** Number of rows that the user's conversations left behind. */
async function countTraces(): Promise<number> {
  const { prisma } = server.context.database
  const userId = account.user.id
  const counts = await Promise.all([
    prisma.chatSession.count({ where: { userId } }),
    prisma.chatMessage.count({ where: { session: { userId } } }),
    prisma.chatAnswer.count({ where: { userId } }),
    prisma.agentRun.count({ where: { userId } }),
    prisma.activity.count({ where: { userId, kind: { in: ['chat', 'agent', 'search'] } } }),
  ])
  return counts.reduce((sum, count) => sum + count, 0)
}

test('a temporary message is answered with its history, and nothing is stored', async () => {
  model.next({ calls: [{ name: 'calculator', arguments: { input: '6*7' } }] }, { text: 'It is 42, Anna.' })
  const history = [
    { role: 'user', content: 'I am Anna.' },
    { role: 'assistant', content: 'Hello Anna.' },
  ]
  const stream = await client.send({ content: 'What is 6*7?', temporary: true, history })
  await stream.ended
  expect(stream.text()).toBe('It is 42, Anna.')
  const types = stream.received.map(({ event }) => event.type)
  expect([types[0], types.at(-1), stream.isDone]).toEqual(['session', 'complete', true])
  expect(stream.received.map(({ event }) => ('session_id' in event ? event.session_id : null))).toEqual(
    types.map(() => null),
  )
  expect(stream.received.filter(({ event }) => event.type === 'agent').at(-1)?.event).toMatchObject({
    state: 'finished',
    summary: '= 42',
  })
  const messages = model.chats()[0]?.body.messages ?? []
  expect(messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
    ['user', 'I am Anna.'],
    ['assistant', 'Hello Anna.'],
    ['user', expect.stringContaining('What is 6*7?')],
  ])
  // a remembered fact would be stored
  expect(JSON.stringify(model.chats()[0]?.body.tools)).not.toContain('remember')
  expect(await countTraces()).toBe(0)
})

test('a model error is reported in the stream, an invalid message by its status', async () => {
  model.next({ error: { status: 401, message: 'no' } })
  const stream = await client.send({ content: 'Hello', temporary: true })
  await stream.ended
  expect(stream.received.at(-1)?.event).toMatchObject({ type: 'error', code: 'model_key_refused' })

  const owner = await server.createUser({ can_upload: true })
  const foreign = (await insertMediaItem(server.context.database, owner.user.id)).id
  const invalidFields = { session_id: foreign, parent_id: foreign, content: ' ' }
  for (const [field, value] of Object.entries(invalidFields)) {
    expect((await client.send({ content: 'Hello', temporary: true, [field]: value })).status).toBe(422)
  }
  const mediaIds = { content: 'Hello', temporary: true, media_ids: [foreign] }
  expect((await client.send(mediaIds)).status).toBe(404)
  expect(await countTraces()).toBe(0)
})

test('leaving the stream aborts the answer', async () => {
  model.next({ text: ['One ', 'two ', 'three'], hang: 2 })
  const stream = await client.send({ content: 'Count', temporary: true })
  await stream.until((one) => one.text() !== '')
  const [request] = model.chats()
  stream.leave()
  await expect.poll(() => request?.abandonedAt).toBeTypeOf('number')
  expect(await countTraces()).toBe(0)
})
