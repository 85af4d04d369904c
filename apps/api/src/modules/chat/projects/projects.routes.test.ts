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

/** Told from the start: a server is not asked for its list again at once. */
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

const call = async <Body>(method: string, path: string, body?: object, by = client) =>
  (await by.call<Body>(method, path, body)) as { status: number; body: Body }
const make = async (project: object, by = client): Promise<ProjectJson> => {
  const { status, body } = await call<ProjectJson>('POST', '/projects', project, by)
  expect(status).toBe(201)
  return body
}
const keep = async (name: string, body: string, tags: string[] = [], owner = account) => {
  const { database } = server.context
  const item = await insertMediaItem(database, owner.user.id, { mediaType: 'document', originalFilename: name })
  await database.prisma.mediaItem.update({ where: { id: item.id }, data: { tags } })
  await insertMoment(database, item, { kind: 'text', body, position: 0 })
  return item.id
}
const ask = async (content: string, more: object = {}) => {
  const stream = await client.send({ content, ...more })
  await stream.ended
  return stream
}
const readSession = async (id: string) => (await call<ChatSessionJson>('GET', `/chat/sessions/${id}`)).body

test('a project is made, listed by its name, changed and deleted, and its conversations stay', async () => {
  const lease = await keep('lease.pdf', 'The rent')
  const house = await make({ name: ' The house ', instructions: 'Be brief.', media_ids: [lease, lease] })
  expect(house).toMatchObject({
    name: 'The house',
    instructions: 'Be brief.',
    model: null,
    search: null,
    conversation_count: 0,
    items: [{ media_id: lease, title: 'lease.pdf', media_type: 'document' }],
  })
  await make({ name: 'a folder' })
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

describe('a conversation of a project', () => {
  test('is answered by its instructions, from its items alone', async () => {
    const lease = await keep('lease.pdf', 'The deposit for the flat is 900 euros.')
    await keep('other.pdf', 'The deposit for the bicycle cellar is 60 euros.')
    const { id } = await make({ name: 'Flat', instructions: 'Call the landlord Mr Brandt.', media_ids: [lease] })
    const { sessionId } = idsOf(await ask('How much is the deposit?', { project_id: id }))
    expect(promptOf(model).system).toContain('Call the landlord Mr Brandt.')
    expect(promptOf(model).user).toContain('900 euros')
    expect(promptOf(model).user).not.toContain('60 euros')
    // and later messages, which name no project
    model.reset()
    await ask('Is the deposit for the bicycle cellar paid back?', { session_id: sessionId })
    expect(promptOf(model).system).toContain('Mr Brandt')
    expect(promptOf(model).user).not.toContain('60 euros')
    // out of the project, the whole memory is there again
    model.reset()
    await call('PATCH', `/chat/sessions/${sessionId}`, { project_id: null })
    await ask('How much is the deposit for the bicycle cellar?', { session_id: sessionId })
    expect(promptOf(model).system).not.toContain('Mr Brandt')
    expect(promptOf(model).user).toContain('60 euros')
  })

  test('is answered from what its search finds today', async () => {
    const { id } = await make({ name: 'Flat', search: 'tag:flat' })
    await keep('other.pdf', 'The deposit for the cellar is 60 euros.')
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).not.toContain('60 euros')
    model.reset()
    await keep('lease.pdf', 'The deposit for the flat is 900 euros.', ['flat'])
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).toContain('900 euros')
    expect(promptOf(model).user).not.toContain('60 euros')
  })

  test('searches the same items when the model asks for more', async () => {
    const lease = await keep('lease.pdf', 'The deposit for the flat is 900 euros.')
    await keep('other.pdf', 'The deposit for the bicycle cellar is 60 euros.')
    const { id } = await make({ name: 'Flat', media_ids: [lease] })
    model.next(
      { calls: [{ name: 'search_memory', arguments: '{"query":"deposit bicycle cellar"}' }] },
      { text: 'Done.' },
    )
    const stream = await ask('Tell me a joke', { project_id: id })
    expect(stream.received.at(-1)?.event as ChatEvent).toMatchObject({ type: 'complete' })
    expect(JSON.stringify(model.chats().at(-1))).not.toContain('60 euros')
  })

  test('looks nothing up when all that it knew is deleted, until its person gives it the whole memory', async () => {
    const lease = await keep('lease.pdf', 'The deposit for the flat is 900 euros.')
    await keep('other.pdf', 'The deposit for the bicycle cellar is 60 euros.')
    const { id, limited } = await make({ name: 'Flat', media_ids: [lease] })
    expect(limited).toBe(true)
    await call('DELETE', `/media/${lease}`)
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).not.toContain('60 euros')
    const read = async (changes: object) => (await call<ProjectJson>('PATCH', `/projects/${id}`, changes)).body
    expect(await read({ name: 'The flat' })).toMatchObject({ limited: true, items: [] })
    expect(await read({ media_ids: [], search: null })).toMatchObject({ limited: true })
    expect(await read({ limited: false })).toMatchObject({ limited: false })
    model.reset()
    await ask('How much is the deposit?', { project_id: id })
    expect(promptOf(model).user).toContain('60 euros')
    // what is given is always a limit
    expect(await read({ search: 'tag:flat', limited: false })).toMatchObject({ limited: true })
  })

  test('has the agent of files see nothing else, whichever way it is asked', async () => {
    const user = await server.createUser({ can_upload: true, can_use_agents: true })
    const own = createChatClient(url, user.token)
    const lease = await keep('lease.pdf', 'The deposit for the flat is 900 euros.', ['home'], user)
    await keep('secret.pdf', 'The deposit for the cellar is 60 euros.', ['home'], user)
    const { id } = await make({ name: 'Flat', media_ids: [lease] }, own)
    const questions = [
      'my last three documents',
      'how many documents do I have',
      'how much space do my documents take',
      'documents about the deposit',
      'my documents from this year',
      'documents with the tag home',
    ]
    const toolResultsIn = async (place: object) => {
      model.reset()
      const calls = questions.map((input) => ({ name: 'files', arguments: { input } }))
      model.next({ calls }, { text: 'Done.' })
      const stream = await own.send({ content: 'What do you know?', ...place })
      await stream.ended
      return toolResults(model.chats()[1]!)
    }
    const inProject = await toolResultsIn({ project_id: id })
    expect(inProject).toHaveLength(questions.length)
    expect(inProject.join()).toContain('lease')
    expect(inProject.join()).not.toContain('secret')
    expect(inProject[1]).toContain('"count":1')
    // where nothing is limited it sees both, or this proves nothing
    const all = await toolResultsIn({})
    for (const [index, text] of all.entries()) expect(text, questions[index]).toMatch(/secret|"count":2/)
  })

  test('in a temporary conversation, too, and nothing is stored', async () => {
    const lease = await keep('lease.pdf', 'The deposit for the flat is 900 euros.')
    const { id } = await make({ name: 'Flat', instructions: 'Call him Mr Brandt.', media_ids: [lease] })
    await ask('How much is the deposit?', { project_id: id, temporary: true })
    expect(promptOf(model).system).toContain('Mr Brandt')
    expect(promptOf(model).user).toContain('900 euros')
    expect((await call<ChatSessionJson[]>('GET', `/chat/sessions?project_id=${id}`)).body).toEqual([])
  })
})

test('conversations are moved together, and listed and searched inside a project', async () => {
  const { id } = await make({ name: 'Rivers' })
  const [tagus, douro] = [idsOf(await ask('About the Tagus')), idsOf(await ask('About the Douro'))]
  idsOf(await ask('About the Tagus elsewhere'))
  const ids = [tagus.sessionId, douro.sessionId]
  expect((await call('POST', '/chat/sessions/change', { ids, project_id: id })).body).toEqual({ changed: 2 })
  const inside = async (query = '') =>
    (await call<ChatSessionJson[]>('GET', `/chat/sessions?project_id=${id}${query}`)).body.map((one) => one.id)
  expect((await inside()).sort()).toEqual(ids.sort())
  expect(await inside('&query=tagus')).toEqual([tagus.sessionId])
  expect((await call<ProjectJson>('PATCH', `/projects/${id}`, {})).body.conversation_count).toBe(2)
  await call('POST', '/chat/sessions/change', { ids: [douro.sessionId], project_id: null })
  expect(await inside()).toEqual([tagus.sessionId])
})

test('what one person has never reaches another', async () => {
  const other = await server.createUser({ can_upload: true })
  const foreign = await keep('secret.pdf', 'The deposit is 1 euro.', ['flat'], other)
  expect((await call('POST', '/projects', { name: 'Mine', media_ids: [foreign] })).status).toBe(404)
  const theirs = await make({ name: 'Theirs', instructions: 'A secret.' }, createChatClient(url, other.token))
  expect((await call('POST', '/chat/message', { content: 'Hello', project_id: theirs.id })).status).toBe(404)
  const mine = await make({ name: 'Mine', search: 'tag:flat' })
  await ask('How much is the deposit?', { project_id: mine.id })
  expect(JSON.stringify(model.chats())).not.toContain('1 euro')
})

test('there are so many and no more', async () => {
  const data = Array.from({ length: MAX_PROJECTS }, (_, index) => ({ userId: account.user.id, name: `${index}` }))
  await server.context.database.prisma.project.createMany({ data })
  expect(await call('POST', '/projects', { name: 'One more' })).toMatchObject({
    status: 409,
    body: { code: 'too_many_projects' },
  })
})

test.each([{}, { name: ' ' }, { name: 'x'.repeat(81) }, { name: 'x', media_ids: ['x'] }, { name: 'x', colour: 'red' }])(
  '%j is refused',
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
  const asked = model.chats().map((request) => [request.body.model, request.body.temperature])
  expect(asked).toEqual([1, 2, 3].map(() => ['another', 0.3]))
  expect(await readSession(sessionId)).toMatchObject({ ...choice, [`${kind}_id`]: body.id })
})

describe('a new conversation for which no model is named', () => {
  let questionCount = 0
  const modelOf = async (more: object = {}) => {
    const text = `Hello for the ${++questionCount}. time`
    await ask(text, more)
    return model.chats().find(({ body }) => JSON.stringify(body.messages?.at(-1)).includes(text))?.body.model
  }
  test('begins with that of its project, then that of its person, then that of everybody', async () => {
    const { id } = await make({ name: 'Mine', model: 'third' })
    expect(await modelOf()).toBe('test-model')
    await call('PATCH', '/me/preferences', { model: 'another' })
    expect(await modelOf()).toBe('another')
    expect(await modelOf({ model: null })).toBe('test-model')
    expect(await modelOf({ project_id: id })).toBe('third')
    await call('PATCH', '/me/preferences', { model: 'gone' })
    expect(await modelOf()).toBe('test-model')
    // one that its server has no more
    await call('PATCH', `/projects/${id}`, { model: 'vanished' })
    expect(await modelOf({ project_id: id })).toBe('test-model')
  })
})
