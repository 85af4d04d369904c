import type { AuditResponseJson, ChatSessionJson, PersonaJson, PersonasResponseJson, PersonaTools } from '@mira/shared'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { type OpenAiServer, promptOf, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let account: TestAccount
let client: ChatClient
let admin: TestAccount
let administrator: ChatClient
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
  admin = await server.createUser({ role: 'admin', can_upload: true })
  administrator = createChatClient(url, admin.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const createPersona = async (persona: object, chat = client): Promise<PersonaJson> => {
  const { status, body } = await chat.call<PersonaJson>('POST', '/personas', persona)
  expect(status).toBe(201)
  return body
}
const insertItem = async (body: string, owner = account) => {
  const { database } = server.context
  const item = await insertMediaItem(database, owner.user.id, { mediaType: 'document', originalFilename: 'a.pdf' })
  await insertMoment(database, item, { kind: 'text', body, position: 0 })
  return item.id
}
const ask = async (content: string, fields: object = {}, chat = client) => {
  model.reset()
  const stream = await chat.send({ content, ...fields })
  await stream.ended
  return stream
}
const PICTURE = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(40)}`

test('a persona can be created, changed and deleted, and its conversations stay', async () => {
  const item = await insertItem('The rent')
  const created = await createPersona({
    name: 'Cook',
    description: 'Recipes',
    instructions: 'Use grams.',
    tools: ['CalculatorAgent'],
    media_ids: [item],
    starters: ['What is for dinner?'],
    picture: PICTURE,
  })
  expect(created).toMatchObject({
    name: 'Cook',
    description: 'Recipes',
    tools: ['CalculatorAgent'],
    starters: ['What is for dinner?'],
    picture: PICTURE,
    shared: false,
    own: true,
    items: [{ media_id: item }],
  })
  const changed = await client.call<PersonaJson>('PATCH', `/personas/${created.id}`, { tools: null, picture: null })
  expect(changed.body).toMatchObject({ name: 'Cook', tools: null, picture: null, items: [{ media_id: item }] })
  const { sessionId } = idsOf(await ask('Hello there', { persona_id: created.id }))
  const session = async () => (await client.call<ChatSessionJson>('GET', `/chat/sessions/${sessionId}`)).body
  expect(await session()).toMatchObject({ persona_id: created.id })
  expect((await client.call('DELETE', `/personas/${created.id}`)).status).toBe(204)
  expect(await session()).toMatchObject({ persona_id: null })
})

test('a conversation with a persona uses its instructions, only its items, and only its agents', async () => {
  const item = await insertItem('The deposit for the flat is 900 euros.')
  await insertItem('The deposit for the bicycle cellar is 60 euros.')
  const { id } = await createPersona({
    name: 'Lawyer',
    instructions: 'Name the paragraph.',
    tools: ['CalculatorAgent'],
    media_ids: [item],
  })
  await ask('How much is the deposit?', { persona_id: id })
  const { system, user, tools } = promptOf(model)
  expect(system).toContain('Name the paragraph.')
  expect(user).toContain('900 euros')
  expect(user).not.toContain('60 euros')
  expect(tools).toContain('calculator')
  expect(tools).not.toContain('weather')
  // along with the instructions of a project
  const project = await client.call<{ id: string }>('POST', '/projects', { name: 'Flat', instructions: 'Be brief.' })
  await ask('Hello there', { persona_id: id, project_id: project.body.id })
  expect(promptOf(model).system).toMatch(/Name the paragraph\.[\s\S]*Be brief\./)
  await ask('Hello there', { persona_id: id, temporary: true })
  expect(promptOf(model).system).toContain('Name the paragraph.')
})

test('a persona only uses the tools chosen for it, including built-in ones', async () => {
  await insertItem('The deposit for the bicycle cellar is 60 euros.')
  const availableTools = (await client.call<PersonaTools>('GET', '/personas/tools')).body.tools
  expect(availableTools).toEqual(
    expect.arrayContaining(['CalculatorAgent', 'search_memory', 'remember', 'make_picture']),
  )
  const { id } = await createPersona({ name: 'Reckoner', tools: ['CalculatorAgent', 'Shop: order'] })
  await ask('How much is the deposit for the bicycle cellar?', { persona_id: id })
  expect(promptOf(model).user).not.toContain('60 euros')
  expect(promptOf(model).tools).toContain('calculator')
  expect(promptOf(model).tools).not.toMatch(/search_memory|remember|make_picture/)
  // a tool that wasn't offered can't be called either
  model.reset()
  model.next({ calls: [{ name: 'search_memory', arguments: '{"query":"deposit"}' }] }, { text: 'No.' })
  await (await client.send({ content: 'Tell me a joke', persona_id: id })).ended
  expect(JSON.stringify(model.chats().at(-1))).not.toContain('60 euros')
  await client.call('PATCH', `/personas/${id}`, { tools: ['search_memory'] })
  await ask('How much is the deposit for the bicycle cellar?', { persona_id: id })
  expect(promptOf(model).user).toContain('60 euros')
  expect(promptOf(model).tools).not.toContain('calculator')
})

test('a persona whose items are all deleted stays limited for its owner; others are answered from their own memory', async () => {
  const item = await insertItem('The deposit for the flat is 900 euros.', admin)
  await insertItem('The deposit for the bicycle cellar is 60 euros.')
  await insertItem('The deposit for the garage is 70 euros.', admin)
  const { id } = await createPersona({ name: 'Lawyer', media_ids: [item] }, administrator)
  await administrator.call('PATCH', `/admin/personas/${id}`, { shared: true })
  await administrator.call('DELETE', `/media/${item}`)
  const [ownerView, userView] = await Promise.all(
    [administrator, client].map(async (chat) => {
      const { personas } = (await chat.call<PersonasResponseJson>('GET', '/personas?limit=200')).body
      return personas.find((persona) => persona.id === id)
    }),
  )
  expect([ownerView?.limited, userView?.limited]).toEqual([true, false])
  await ask('How much is the deposit?', { persona_id: id }, administrator)
  expect(model.chats()).not.toEqual([])
  expect(JSON.stringify(model.chats())).not.toMatch(/[679]0+ euros/)
  await ask('How much is the deposit?', { persona_id: id })
  expect(promptOf(model).user).toContain('60 euros')
})

test('an administrator can share a persona with everyone, which is audited; its items stay private', async () => {
  const item = await insertItem('The deposit is 900 euros.', admin)
  const { id } = await createPersona(
    { name: 'House rules', instructions: 'Be kind.', media_ids: [item] },
    administrator,
  )
  expect((await client.call('POST', '/chat/message', { content: 'Hello', persona_id: id })).status).toBe(404)
  expect((await client.call('PATCH', `/admin/personas/${id}`, { shared: true })).status).toBe(403)
  await administrator.call('PATCH', `/admin/personas/${id}`, { shared: true })

  const listedPersona = (await client.call<PersonasResponseJson>('GET', '/personas')).body.personas.find(
    (persona) => persona.id === id,
  )
  expect(listedPersona).toMatchObject({ name: 'House rules', shared: true, own: false, items: [] })
  const { sessionId } = idsOf(await ask('How much is the deposit?', { persona_id: id }))
  expect(promptOf(model).system).toContain('Be kind.')
  expect(JSON.stringify(model.chats())).not.toContain('900 euros')
  expect((await client.call('PATCH', `/personas/${id}`, { name: 'Mine' })).status).toBe(404)
  expect((await administrator.call('PATCH', `/personas/${id}`, { name: 'Other' })).status).toBe(409)
  const audit = await administrator.call<AuditResponseJson>('GET', '/admin/audit?action=persona.changed')
  expect(
    audit.body.entries.filter((entry) => entry.subject_id === id && entry.actor_id === admin.user.id),
  ).toHaveLength(1)

  // no longer shared: other users' conversations continue without it
  await administrator.call('PATCH', `/admin/personas/${id}`, { shared: false })
  await ask('Go on', { session_id: sessionId })
  expect(promptOf(model).system).not.toContain('Be kind.')
})

test('other administrators can change and delete a shared persona, but not attach items or unshare it', async () => {
  const { id } = await createPersona({ name: 'Rules' }, administrator)
  const other = createChatClient(url, (await server.createUser({ role: 'admin', can_upload: true })).token)
  expect((await other.call('PATCH', `/admin/personas/${id}`, { name: 'Mine' })).status).toBe(404)
  await administrator.call('PATCH', `/admin/personas/${id}`, { shared: true })
  expect((await other.call('PATCH', `/admin/personas/${id}`, { media_ids: [] })).status).toBe(403)
  expect((await other.call('PATCH', `/admin/personas/${id}`, { shared: false })).status).toBe(403)
  expect((await other.call<PersonaJson>('PATCH', `/admin/personas/${id}`, { name: 'All' })).body.name).toBe('All')
  expect((await other.call('DELETE', `/admin/personas/${id}`)).status).toBe(204)
})

test.each([
  {},
  { name: ' ' },
  { name: 'x', tools: ['NoAgent'] },
  { name: 'x', starters: Array(7).fill('Hello') },
  { name: 'x', picture: 'data:text/html;base64,AAAA' },
  { name: 'x', picture: 'data:image/png;base64,AAAA' },
  { name: 'x', picture: `data:image/png;base64,iVBORw0KGgo${'A'.repeat(60_000)}` },
  { name: 'x', shared: true },
])('returns 422 for %j', async (body) => {
  expect((await client.call('POST', '/personas', body)).status).toBe(422)
})
