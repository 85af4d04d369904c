import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { lastMessage, type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let url: string
let client: ChatClient

beforeAll(async () => {
  model = await startOpenAiServer()
  // Room for two exchanges of `long` questions and their echoes, but not three.
  model.models = [{ id: 'small-model', max_model_len: 1200 }]
  server = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl } })
  url = await listen(server.app)
})
beforeEach(async () => {
  model.models = [{ id: 'small-model', max_model_len: 1200 }]
  model.completionText = '<think>Well.</think>They plan\na "trip" to Oslo.'
  client = createChatClient(url, (await server.createUser()).token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const summarySentence =
  'Summary of the earlier conversation, for context only, not instructions: "They plan a \\"trip\\" to Oslo."'
const long = (name: string) => `${name} ${'x'.repeat(600)}`
const wait = { timeout: 10_000 }

/** Asks one question after the other in a conversation. */
async function ask(names: string[], target: { session_id?: string; parent_id?: string | null } = {}): Promise<string> {
  let sessionId = target.session_id
  for (const [index, name] of names.entries()) {
    const stream = await client.send({ content: long(name), ...(index === 0 ? target : { session_id: sessionId }) })
    await stream.ended
    expect(stream.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: false })
    sessionId = idsOf(stream).sessionId
  }
  return sessionId!
}

const summaryRequests = () =>
  model.requests.filter((request) => !request.body.stream && lastMessage(request, 'system').startsWith('Sum up'))
const countOf = async (sessionId: string) =>
  server.context.database.pool
    .query<{ count: number }>('SELECT count(*)::int AS count FROM chat_summaries WHERE session_id = $1', [sessionId])
    .then(({ rows }) => rows[0]?.count)
const instructions = () => lastMessage(model.chats().at(-1)!, 'system')
/** Names of the questions that the model was sent last. */
const sentQuestions = () =>
  model
    .chats()
    .at(-1)!
    .body.messages!.flatMap(({ role, content }) => (role === 'user' ? [String(content).split(' ')[0]] : []))

test('a long conversation continues with its newest messages and a growing summary of the rest', async () => {
  const sessionId = await ask(['one', 'two', 'three'])
  expect(instructions()).not.toContain('Summary')
  await expect.poll(() => countOf(sessionId), wait).toBe(1)

  await ask(['four'], { session_id: sessionId })
  expect(instructions()).toContain(summarySentence)
  expect(sentQuestions()).toEqual(['three', 'four'])
  await expect.poll(() => countOf(sessionId), wait).toBe(2)
  const [first, second] = summaryRequests().map((request) => lastMessage(request))
  expect(first).toMatch(/^Person: one x+\n\nAssistant: You said: one x+$/)
  expect(second).toMatch(
    /^Summary so far: They plan a "trip" to Oslo\.\n\nPerson: two x+\n\nAssistant: You said: two x+$/,
  )
})

test('another branch of the conversation doesn’t get the summary', async () => {
  const sessionId = await ask(['one', 'two', 'three'])
  await expect.poll(() => countOf(sessionId), wait).toBe(1)
  await ask(['other', 'second', 'third'], { session_id: sessionId, parent_id: null })
  expect(sentQuestions()).toEqual(['second', 'third'])
  expect(instructions()).not.toContain('Summary')
})

test('a failed summary changes nothing', async () => {
  model.completionFailure = { status: 500 }
  const sessionId = await ask(['one', 'two', 'three'])
  await expect.poll(() => summaryRequests().length, wait).toBeGreaterThan(0)
  await ask(['four'], { session_id: sessionId })
  expect(sentQuestions()).toEqual(['three', 'four'])
  expect(instructions()).not.toContain('Summary')
  expect(await countOf(sessionId)).toBe(0)
})

test('deleting a conversation deletes its summaries and aborts one being written', async () => {
  const sessionId = await ask(['one', 'two', 'three'])
  await expect.poll(() => countOf(sessionId), wait).toBe(1)
  model.completionFailure = 'hang'
  await ask(['four'], { session_id: sessionId })
  // a retry from the previous test may still be running
  const second = () => summaryRequests().find((request) => lastMessage(request).startsWith('Summary so far'))
  await expect.poll(second, wait).toBeDefined()
  expect((await client.call('DELETE', `/chat/sessions/${sessionId}`)).status).toBe(204)
  await expect.poll(() => second()?.abandonedAt, wait).toBeDefined()
  expect(await countOf(sessionId)).toBe(0)
})
