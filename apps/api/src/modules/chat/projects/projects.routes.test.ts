import {
  type ChatEvent,
  type ChatSessionJson,
  MAX_PROJECTS,
  type ProjectJson,
  type ProjectsResponseJson,
} from '@mira/shared'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { type OpenAiServer, promptOf, startOpenAiServer, toolResults } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

/** Set from the start, since the list of models is cached. */
const MODELS = ['test-model', 'another', 'third']

let model: OpenAiServer
let server: TestApp
let account: TestAccount
let client: ChatClient
let url: string

beforeAll(async () => {
  model = await startOpenAiServer()
  model.models = MODELS
  const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' }
  server = await startTestApp({ environment, memoryTimeoutMs: 20_000 })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true })
  client = createChatClient(url, account.token)
})
afterEach(() => {
  model.reset()
  model.models = MODELS
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const call = async <Body>(method: string, path: string, body?: object, chat = client) =>
  (await chat.call<Body>(method, path, body)) as { status: number; body: Body }
const createProject = async (project: object, chat = client): Promise<ProjectJson> => {
  const { status, body } = await call<ProjectJson>('POST', '/projects', project, chat)
  expect(status).toBe(201)
  return body
}
const insertItem = async (name: string, body: string, tags: string[] = [], owner = account) => {
  const { database } = server.context
  const item = await insertMediaItem(database, owner.user.id, { mediaType: 'document', originalFilename: name })
  await database.prisma.mediaItem.update({ where: { id: item.id }, data: { tags } })
  await insertMoment(database, item, { kind: 'text', body, position: 0 })
  return item.id
}
const ask = async (content: string, fields: object = {}) => {
  const stream = await client.send({ content, ...fields })
  await stream.ended
  return stream
}
const readSession = async (id: string) => (await call<ChatSessionJson>('GET', `/chat/sessions/${id}`)).body

test('a project can be created, listed by name, changed and deleted, and its conversations stay', async () => {
  const lease = await insertItem('lease.pdf', 'The rent')
  const house = await createProject({ name: ' The house ', instructions: 'Be brief.', media_ids: [lease, lease] })
  expect(house).toMatchObject({
    name: 'The house',
    instructions: 'Be brief.',
    model: null,
    search: null,
    conversation_count: 0,
    items: [{ media_id: lease, title: 'lease.pdf', media_type: 'document' }],
  })
  await createProject({ name: 'a folder' })
  const first = await call<ProjectsResponseJson>('GET', '/projects?limit=1')
  expect(first.body.projects.map(({ name }) => name)).toEqual(['a folder'])
  const second = await call<ProjectsResponseJson>('GET', `/projects?limit=1&cursor=${first.body.next_cursor}`)
  expect([second.body.projects.map(({ name }) => name), second.body.next_cursor]).toEqual([['The house'], null])
  const changed = await call<ProjectJson>('PATCH', `/projects/${house.id}`, { search: ' tag:house ', media_ids: [] })
  expect(changed.body).toMatchObject({ name: 'The house', instructions: 'Be brief.', search: 'tag:house', items: [] })

  const { sessionId } = idsOf(await ask('Hello there', { project_id: house.id }))
  expect(await readSession(sessionId)).toMatchObject({ project_id: house.id })
  expect((await call('DELETE', `/projects/${house.id}`)).status).toBe(204)
  expect((await call('DELETE', `/projects/${house.id}`)).status).toBe(404)
  expect(await readSession(sessionId)).toMatchObject({ project_id: null })
})

describe('a conversation in a project', () => {
  test('is answered with the project’s instructions, from its items only', async () => {
    const lease = await insertItem('lease.pdf', 'The deposit for the flat is 900 euros.')
    await insertItem('other.pdf', 'The deposit for the bicycle cellar is 60 euros.')
    const { id } = await createProject({
      name: 'Flat',
      instructions: 'Call the landlord Mr Brandt.',
      media_ids: [lease],
    })
    const { sessionId } = idsOf(await ask('How much is the deposit?', { project_id: id }))
    expect(promptOf(model).system).toContain('Call the landlord Mr Brandt.')
    expect(promptOf(model).user).toContain('900 euros')
    expect(promptOf(model).user).not.toContain('60 euros')
    // later messages too, without a project id
    model.reset()
    await ask('Is the deposit for the bicycle cellar paid back?', { session_id: sessionId })
    expect(promptOf(model).system).toContain('Mr Brandt')
    expect(promptOf(model).user).not.toContain('60 euros')
    // outside the project, the whole memory is available again
    model.reset()
    await call('PATCH', `/chat/sessions/${sessionId}`, { project_id: null })
    await ask('How much is the deposit for the bicycle cellar?', { session_id: sessionId })
    expect(promptOf(model).system).not.toContain('Mr Brandt')
    expect(promptOf(model).user).toContain('60 euros')
  })

  test('is answered from the current results of the project’s search', async () => {
    const { id } = await createProject({ name: 'Flat', search: 'tag:flat' })
    await insertItem('other.pdf', 'The deposit for the cellar is 60 euros.')
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).not.toContain('60 euros')
    model.reset()
    await insertItem('lease.pdf', 'The deposit for the flat is 900 euros.', ['flat'])
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).toContain('900 euros')
    expect(promptOf(model).user).not.toContain('60 euros')
  })

  test('limits the model’s own searches to the same items', async () => {
    const lease = await insertItem('lease.pdf', 'The deposit for the flat is 900 euros.')
    await insertItem('other.pdf', 'The deposit for the bicycle cellar is 60 euros.')
    const { id } = await createProject({ name: 'Flat', media_ids: [lease] })
    model.next(
      { calls: [{ name: 'search_memory', arguments: '{"query":"deposit bicycle cellar"}' }] },
      { text: 'Done.' },
    )
    const stream = await ask('Tell me a joke', { project_id: id })
    expect(stream.received.at(-1)?.event as ChatEvent).toMatchObject({ type: 'complete' })
    expect(JSON.stringify(model.chats().at(-1))).not.toContain('60 euros')
  })

  test('looks nothing up once the project’s items are deleted, until the user lifts the limit', async () => {
    const lease = await insertItem('lease.pdf', 'The deposit for the flat is 900 euros.')
    await insertItem('other.pdf', 'The deposit for the bicycle cellar is 60 euros.')
    const { id, limited } = await createProject({ name: 'Flat', media_ids: [lease] })
    expect(limited).toBe(true)
    await call('DELETE', `/media/${lease}`)
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).not.toContain('60 euros')
    const patchProject = async (changes: object) => (await call<ProjectJson>('PATCH', `/projects/${id}`, changes)).body
    expect(await patchProject({ name: 'The flat' })).toMatchObject({ limited: true, items: [] })
    expect(await patchProject({ media_ids: [], search: null })).toMatchObject({ limited: true })
    expect(await patchProject({ limited: false })).toMatchObject({ limited: false })
    model.reset()
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).toContain('60 euros')
    // a search always sets a limit
    expect(await patchProject({ search: 'tag:flat', limited: false })).toMatchObject({ limited: true })
  })

  test('limits the file agent to the project’s items, however it’s asked', async () => {
    const user = await server.createUser({ can_upload: true, can_use_agents: true })
    const own = createChatClient(url, user.token)
    const lease = await insertItem('lease.pdf', 'The deposit for the flat is 900 euros.', ['home'], user)
    await insertItem('secret.pdf', 'The deposit for the cellar is 60 euros.', ['home'], user)
    const { id } = await createProject({ name: 'Flat', media_ids: [lease] }, own)
    const questions = [
      'my last three documents',
      'how many documents do I have',
      'how much space do my documents take',
      'documents about the deposit',
      'my documents from this year',
      'documents with the tag home',
    ]
    const toolResultsIn = async (fields: object) => {
      model.reset()
      const calls = questions.map((input) => ({ name: 'files', arguments: { input } }))
      model.next({ calls }, { text: 'Done.' })
      const stream = await own.send({ content: 'What do you know?', ...fields })
      await stream.ended
      return toolResults(model.chats()[1]!)
    }
    const inProject = await toolResultsIn({ project_id: id })
    expect(inProject).toHaveLength(questions.length)
    expect(inProject.join()).toContain('lease')
    expect(inProject.join()).not.toContain('secret')
    expect(inProject[1]).toContain('"count":1')
    // control: without the limit, it sees both
    const all = await toolResultsIn({})
    for (const [index, text] of all.entries()) expect(text, questions[index]).toMatch(/secret|"count":2/)
  })

  test('can be temporary, and then nothing is stored', async () => {
    const lease = await insertItem('lease.pdf', 'The deposit for the flat is 900 euros.')
    const { id } = await createProject({ name: 'Flat', instructions: 'Call him Mr Brandt.', media_ids: [lease] })
    await ask('How much is the deposit?', { project_id: id, temporary: true })
    expect(promptOf(model).system).toContain('Mr Brandt')
    expect(promptOf(model).user).toContain('900 euros')
    expect((await call<ChatSessionJson[]>('GET', `/chat/sessions?project_id=${id}`)).body).toEqual([])
  })
})

test('conversations can be moved together, and listed and searched within a project', async () => {
  const { id } = await createProject({ name: 'Rivers' })
  const [tagus, douro] = [idsOf(await ask('About the Tagus')), idsOf(await ask('About the Douro'))]
  idsOf(await ask('About the Tagus elsewhere'))
  const ids = [tagus.sessionId, douro.sessionId]
  expect((await call('POST', '/chat/sessions/change', { ids, project_id: id })).body).toEqual({ changed: 2 })
  const idsInProject = async (query = '') =>
    (await call<ChatSessionJson[]>('GET', `/chat/sessions?project_id=${id}${query}`)).body.map((one) => one.id)
  expect((await idsInProject()).sort()).toEqual(ids.sort())
  expect(await idsInProject('&query=tagus')).toEqual([tagus.sessionId])
  expect((await call<ProjectJson>('PATCH', `/projects/${id}`, {})).body.conversation_count).toBe(2)
  await call('POST', '/chat/sessions/change', { ids: [douro.sessionId], project_id: null })
  expect(await idsInProject()).toEqual([tagus.sessionId])
})

test('users can’t reach each other’s items or projects', async () => {
  const other = await server.createUser({ can_upload: true })
  const foreign = await insertItem('secret.pdf', 'The deposit is 1 euro.', ['flat'], other)
  expect((await call('POST', '/projects', { name: 'Mine', media_ids: [foreign] })).status).toBe(404)
  const theirs = await createProject({ name: 'Theirs', instructions: 'A secret.' }, createChatClient(url, other.token))
  expect((await call('POST', '/chat/message', { content: 'Hello', project_id: theirs.id })).status).toBe(404)
  const mine = await createProject({ name: 'Mine', search: 'tag:flat' })
  await ask('How much is the deposit?', { project_id: mine.id })
  expect(JSON.stringify(model.chats())).not.toContain('1 euro')
})

test('returns 409 beyond the maximum number of projects', async () => {
  const data = Array.from({ length: MAX_PROJECTS }, (_, index) => ({ userId: account.user.id, name: `${index}` }))
  await server.context.database.prisma.project.createMany({ data })
  expect(await call('POST', '/projects', { name: 'One more' })).toMatchObject({
    status: 409,
    body: { code: 'too_many_projects' },
  })
})

test.each([{}, { name: ' ' }, { name: 'x'.repeat(81) }, { name: 'x', media_ids: ['x'] }, { name: 'x', colour: 'red' }])(
  'returns 422 for %j',
  async (body) => {
    expect((await call('POST', '/projects', body)).status).toBe(422)
  },
)

test.each([
  ['project', '/projects'],
  ['persona', '/personas'],
])('a conversation of a %s keeps its model and parameters when later messages name none', async (kind, path) => {
  const { body } = await call<{ id: string }>('POST', path, { name: 'Mine', instructions: 'Be brief.' })
  const choice = { model: 'another', parameters: { temperature: 0.3 } }
  const { sessionId } = idsOf(await ask('First', { ...choice, [`${kind}_id`]: body.id }))
  for (const text of ['Second', 'Third']) await ask(text, { session_id: sessionId })
  const modelsAndTemperatures = model.chats().map((request) => [request.body.model, request.body.temperature])
  expect(modelsAndTemperatures).toEqual([1, 2, 3].map(() => ['another', 0.3]))
  expect(await readSession(sessionId)).toMatchObject({ ...choice, [`${kind}_id`]: body.id })
})

describe('a new conversation without a chosen model', () => {
  let questionCount = 0
  const modelOf = async (fields: object = {}) => {
    const text = `Hello for the ${++questionCount}. time`
    await ask(text, fields)
    return model.chats().find(({ body }) => JSON.stringify(body.messages?.at(-1)).includes(text))?.body.model
  }
  test('uses the project’s model, or else the user’s, or else the default', async () => {
    const { id } = await createProject({ name: 'Mine', model: 'third' })
    expect(await modelOf()).toBe('test-model')
    await call('PATCH', '/me/preferences', { model: 'another' })
    expect(await modelOf()).toBe('another')
    expect(await modelOf({ model: null })).toBe('test-model')
    expect(await modelOf({ project_id: id })).toBe('third')
    await call('PATCH', '/me/preferences', { model: 'gone' })
    expect(await modelOf()).toBe('test-model')
    // a model that its server no longer has
    await call('PATCH', `/projects/${id}`, { model: 'vanished' })
    expect(await modelOf({ project_id: id })).toBe('test-model')
  })
})
