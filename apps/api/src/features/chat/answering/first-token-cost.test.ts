import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
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

/** What servers tell each other, and that somebody was here, keeps no answer waiting. */
const isAside = (text: string) => /pg_notify|UPDATE users SET last_active_at|SET last_used_at/i.test(text)

/** What is asked of the database from a request until the model is. */
async function statementsBeforeModel(ask: () => Promise<unknown>): Promise<string[]> {
  const counter = countStatements()
  const before: string[][] = []
  model.fallback = () => {
    before.push(counter.texts().filter((text) => !isAside(text)))
    return { text: ['Hello.'] }
  }
  try {
    await ask()
    return before[0] ?? []
  } finally {
    counter.stop()
  }
}

test('few statements stand between a question and the model', async () => {
  // nothing is looked up in a memory that there is none of
  const person = await mira.createUser()
  const chat = createChatClient(url, person.token)
  const sessions = async () =>
    (await mira.request.get('/api/chat/sessions').auth(person.token, { type: 'bearer' }).expect(200)).body
  const send = async (more: object) => {
    const stream = await chat.send({ content: question, ...more })
    await stream.ended
    return idsOf(stream)
  }
  const complete = async (name: string) => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: name, stream: true, messages: [{ role: 'user', content: question }] }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}` },
    })
    expect(await answer.text()).toContain('[DONE]')
  }
  // what is read once is read by then; of these nothing is written afterwards that could be counted with the next
  await complete('mira')
  // who asks, and what they want kept in mind
  expect(await statementsBeforeModel(() => complete('mira'))).toHaveLength(2)
  expect(await statementsBeforeModel(() => complete('test-model'))).toHaveLength(1)

  // who asks, the model that they begin with, the question, what they want kept in mind
  let sessionId = ''
  const begun = await statementsBeforeModel(async () => {
    sessionId = (await send({})).sessionId
  })
  expect(begun).toHaveLength(4)

  // its title and what else follows an answer is written by then
  await vi.waitFor(async () => expect(await sessions()).toMatchObject([{ session_name: 'A short title' }]))
  // who asks, the conversation, the question with what stands before it, what the person wants kept in mind
  expect(await statementsBeforeModel(() => send({ session_id: sessionId }))).toHaveLength(4)
})
