import type { ChatMessageJson, ChatSessionDetailJson, ProjectJson } from '@mira/shared'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { type OpenAiServer, promptOf, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let account: TestAccount
let client: ChatClient
let url: string

beforeAll(async () => {
  model = await startOpenAiServer()
  const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' }
  server = await startTestApp({ environment, memoryTimeoutMs: 20_000 })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true, can_use_agents: true })
  client = createChatClient(url, account.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const insertItem = async (body: string, tags: string[] = [], owner = account) => {
  const { database } = server.context
  const item = await insertMediaItem(database, owner.user.id, { mediaType: 'document', originalFilename: 'a.pdf' })
  await database.prisma.mediaItem.update({ where: { id: item.id }, data: { tags } })
  await insertMoment(database, item, { kind: 'text', body, position: 0 })
  return item.id
}
const ask = async (content: string, fields: object = {}) => {
  model.reset()
  const stream = await client.send({ content, ...fields })
  await stream.ended
  return idsOf(stream)
}
const createProject = async (project: object): Promise<ProjectJson> =>
  (await client.call<ProjectJson>('POST', '/projects', project)).body

test('a mentioned tag limits the sources of that message only', async () => {
  await insertItem('The deposit for the flat is 900 euros.', ['caf\u00e9'])
  await insertItem('The deposit for the bicycle cellar is 60 euros.')
  // decomposed, as macOS writes it
  const { sessionId } = await ask('How much is the deposit?', { mentions: [{ kind: 'tag', name: 'cafe\u0301' }] })
  expect(promptOf(model).user).toContain('900 euros')
  expect(promptOf(model).user).not.toContain('60 euros')
  await ask('How much is the deposit for the bicycle cellar?', { session_id: sessionId })
  expect(promptOf(model).user).toContain('60 euros')
})

test('a mentioned project provides its instructions and items without moving the conversation', async () => {
  const lease = await insertItem('The deposit for the flat is 900 euros.')
  await insertItem('The deposit for the bicycle cellar is 60 euros.')
  const { id, name } = await createProject({ name: 'Flat', instructions: 'Call him Mr Brandt.', media_ids: [lease] })
  const { sessionId } = await ask('How much is the deposit?', { mentions: [{ kind: 'project', id }] })
  expect(promptOf(model).system).toContain('Mr Brandt')
  expect(promptOf(model).user).toContain('900 euros')
  expect(promptOf(model).user).not.toContain('60 euros')
  const { body } = await client.call<ChatSessionDetailJson>('GET', `/chat/sessions/${sessionId}`)
  expect(body.project_id).toBeNull()
  expect(body.messages[0]?.mentions).toEqual([{ kind: 'project', id, name }])

  // regenerated answers use it too; after its deletion only its limit remains
  const answer = body.messages.at(-1) as ChatMessageJson
  const regenerateAnswer = async (messageId: string) => {
    model.reset()
    const stream = await client.regenerate(sessionId, messageId)
    await stream.ended
    return idsOf(stream).messageId
  }
  const second = await regenerateAnswer(answer.id)
  expect(promptOf(model).system).toContain('Mr Brandt')
  expect(promptOf(model).user).not.toContain('60 euros')
  await client.call('DELETE', `/projects/${id}`)
  await regenerateAnswer(second)
  expect(promptOf(model).system).not.toContain('Mr Brandt')
  expect(promptOf(model).user).not.toContain('60 euros')
})

test('a mentioned agent is the only tool offered', async () => {
  await insertItem('The deposit for the bicycle cellar is 60 euros.')
  await ask('How much is the deposit for the cellar?', { mentions: [{ kind: 'agent', name: 'CalculatorAgent' }] })
  expect(promptOf(model).tools).toContain('calculator')
  expect(promptOf(model).tools).not.toMatch(/weather|search_memory/)
  expect(promptOf(model).system).toContain('calculator')
  expect(promptOf(model).user).not.toContain('60 euros')
})

test('mentions work in temporary conversations', async () => {
  await insertItem('The deposit for the flat is 900 euros.', ['flat'])
  await insertItem('The deposit for the bicycle cellar is 60 euros.')
  model.reset()
  const stream = await client.send({
    content: 'How much is the deposit?',
    temporary: true,
    mentions: [{ kind: 'tag', name: 'flat' }],
  })
  await stream.ended
  expect(promptOf(model).user).toContain('900 euros')
  expect(promptOf(model).user).not.toContain('60 euros')
})

test('mentions of another user’s tags or projects, or of unavailable agents, are rejected without being stored', async () => {
  const other = await server.createUser({ can_upload: true })
  await insertItem('A secret', ['theirs'], other)
  const theirs = await createChatClient(url, other.token).call<ProjectJson>('POST', '/projects', { name: 'Theirs' })
  const status = async (mention: object, chat = client) =>
    (await chat.call('POST', '/chat/message', { content: 'Hello', mentions: [mention] })).status
  expect(await status({ kind: 'project', id: theirs.body.id })).toBe(404)
  expect(await status({ kind: 'tag', name: 'theirs' })).toBe(404)
  expect(await status({ kind: 'agent', name: 'NoAgent' })).toBe(422)
  const plain = createChatClient(url, (await server.createUser({ can_use_agents: false, can_upload: false })).token)
  expect(await status({ kind: 'agent', name: 'CalculatorAgent' }, plain)).toBe(403)
  expect(await status({ kind: 'tag', name: 'flat' }, plain)).toBe(403)
  expect((await client.call<unknown[]>('GET', '/chat/sessions')).body).toEqual([])
})

test('a mention can’t make a persona use an agent that it may not use', async () => {
  const persona = await client.call<{ id: string }>('POST', '/personas', { name: 'Poet', tools: ['search_memory'] })
  const mentions = [{ kind: 'agent', name: 'CalculatorAgent' }]
  const response = await client.call('POST', '/chat/message', { content: '1+1', persona_id: persona.body.id, mentions })
  expect(response.status).toBe(403)
})
