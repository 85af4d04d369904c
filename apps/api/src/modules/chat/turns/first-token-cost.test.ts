import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer, toolResults } from '../../../../test/openai-server.ts'
import { countStatements } from '../../../../test/statement-counter.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const question = 'Tell me of the token, and be brief'

let mira: TestApp
let model: OpenAiServer
let url: string

beforeAll(async () => {
  model = await startOpenAiServer()
  mira = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  url = await listen(mira.app)
})
afterAll(async () => {
  await mira.close()
  await model.close()
})

/**
 * True for statements that don't delay the model: notifications between servers, activity times, and the question,
 * which is stored meanwhile.
 */
const isInBackground = (text: string) =>
  /pg_notify|UPDATE users SET last_active_at|SET last_used_at|INSERT INTO chat_messages/i.test(text)

/** Statements sent to the database between a request and the call of the model. */
async function statementsBeforeModel(ask: () => Promise<unknown>): Promise<string[]> {
  const counter = countStatements()
  const before: string[][] = []
  model.defaultResponse = () => {
    before.push(counter.texts().filter((text) => !isInBackground(text)))
    return { text: ['Hello.'] }
  }
  try {
    await ask()
    return before[0] ?? []
  } finally {
    counter.stop()
  }
}

test('few statements run between a question and the call of the model', async () => {
  // without a memory, nothing is looked up
  const account = await mira.createUser()
  const chat = createChatClient(url, account.token)
  const sessions = async () =>
    (await mira.request.get('/api/chat/sessions').auth(account.token, { type: 'bearer' }).expect(200)).body
  const send = async (more: object) => {
    const stream = await chat.send({ content: question, ...more })
    await stream.ended
    return idsOf(stream)
  }
  const complete = async (name: string) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: name, stream: true, messages: [{ role: 'user', content: question }] }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.token}` },
    })
    expect(await response.text()).toContain('[DONE]')
  }
  // fills the caches; these requests write nothing afterwards that could be counted with the next one
  await complete('mira')
  // the user and their instructions
  expect(await statementsBeforeModel(() => complete('mira'))).toHaveLength(2)
  expect(await statementsBeforeModel(() => complete('test-model'))).toHaveLength(1)

  // the user, their default model and their instructions
  let sessionId = ''
  const statements = await statementsBeforeModel(async () => {
    sessionId = (await send({})).sessionId
  })
  expect(statements).toHaveLength(3)

  // the title and everything else written after an answer is stored by then
  await vi.waitFor(async () => expect(await sessions()).toMatchObject([{ session_name: 'A short title' }]), 30_000)
  // the user, the conversation, its messages and the user's instructions; background work of the server may come in
  // between once
  await expect.poll(() => statementsBeforeModel(() => send({ session_id: sessionId }))).toHaveLength(4)
})

/** Delays the storing of questions until `store` is called. */
function holdStoring(): { store(): void } {
  const original = pg.Client.prototype.query
  const release = Promise.withResolvers<void>()
  const delayedQuery = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args
    const text = typeof first === 'string' ? first : (first as pg.QueryConfig).text
    if (!/INSERT INTO chat_messages/.test(text ?? '')) return Reflect.apply(original, this, args)
    return release.promise.then(() => Reflect.apply(original, this, args))
  }
  pg.Client.prototype.query = delayedQuery as typeof original
  return {
    store() {
      pg.Client.prototype.query = original
      release.resolve()
    },
  }
}

test('the model is called while a question is being stored, but its output is neither shown nor acted on before', async () => {
  const account = await mira.createUser({ can_use_agents: true })
  const chat = createChatClient(url, account.token)
  const call = { name: 'calculator', arguments: { input: '15% of 80' } }
  model.defaultResponse = (request) =>
    toolResults(request).length > 0 ? { text: ['It is 12.'] } : { text: ['Let me see. '], calls: [call] }
  const calls = async () => (await mira.context.database.pool.query('SELECT FROM agent_runs')).rowCount
  const chatsBefore = model.chats().length
  const callsBefore = await calls()
  const storing = holdStoring()
  let isShown = false
  const sending = chat.send({ content: question }).then((stream) => {
    isShown = true
    return stream
  })
  try {
    await vi.waitFor(() => expect(model.chats()).toHaveLength(chatsBefore + 1), 30_000)
    await vi.waitFor(() => expect(model.chats().at(-1)?.answeredAt).toBeDefined(), 30_000)
    // long enough to act on the output; an embedded database can't be queried while the question is held
    for (let count = 0; count < 20; count++) await fetch(`${model.baseUrl}/models`)
    expect(isShown).toBe(false)
    expect(model.chats()).toHaveLength(chatsBefore + 1)
  } finally {
    storing.store()
  }
  const stream = await sending
  await stream.ended
  expect(stream.text()).toContain('It is 12.')
  expect(await calls()).toBe((callsBefore ?? 0) + 1)
  expect(model.chats()).toHaveLength(chatsBefore + 2)
})

test('a rejected question leaves no answer, and its model call is aborted', async () => {
  const account = await mira.createUser()
  const chat = createChatClient(url, account.token)
  model.defaultResponse = { text: ['Slowly ', 'and ', 'surely.'], delayMs: 60_000 }
  const first = await chat.send({ content: question })
  await first.until(({ received }) => received.some(({ event }) => event.type === 'chunk'))
  const { sessionId } = idsOf(first)
  const chatsBefore = model.chats().length
  const storing = holdStoring()
  const sending = chat.send({ content: question, session_id: sessionId })
  await vi.waitFor(() => expect(model.chats()).toHaveLength(chatsBefore + 1), 30_000).finally(storing.store)
  const second = await sending
  expect([second.status, second.body?.code]).toEqual([409, 'answer_running'])
  await vi.waitFor(() => expect(model.chats().at(-1)?.abandonedAt).toBeDefined(), 30_000)
  await chat.stop(sessionId)
  await first.ended
  expect((await chat.read(sessionId)).messages).toHaveLength(2)
})
