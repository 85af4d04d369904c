import { type ChatSessionJson, type ChatTags, SESSION_MAX_TAGS } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChatClient, createChatClient, listen } from '../../../../test/chat-client.ts'
import { insertChatSession } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let url: string
let account: TestAccount
let client: ChatClient

beforeAll(async () => {
  server = await startTestApp()
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser()
  client = createChatClient(url, account.token)
})
afterAll(() => server.close())

const insertSession = async (name: string, owner = account) =>
  (await insertChatSession(server.context.database, owner.user.id, name)).session.id
const names = async (query = '') =>
  (await client.call<ChatSessionJson[]>('GET', `/chat/sessions${query}`)).body.map((one) => one.session_name).sort()
const change = (body: object) => client.call<{ changed: number; code?: string }>('POST', '/chat/sessions/change', body)
const read = async (id: string) => (await client.call<ChatSessionJson>('GET', `/chat/sessions/${id}`)).body

test('an archived conversation moves to the archive list, and a new message restores it', async () => {
  const [rivers, hills] = [await insertSession('Rivers'), await insertSession('Hills')]
  expect((await change({ ids: [rivers, hills], archived: true })).body).toEqual({ changed: 2 })
  expect(await names()).toEqual([])
  expect(await names('?archived=true')).toEqual(['Hills', 'Rivers'])
  expect(await names('?archived=any&query=rivers')).toEqual(['Rivers'])
  await client.call('PATCH', `/chat/sessions/${hills}`, { archived: false })
  expect(await names()).toEqual(['Hills'])
  await (await client.send({ content: 'Go on', session_id: rivers })).ended
  expect(await names()).toEqual(['Hills', 'Rivers'])
  expect((await read(rivers)).archived).toBe(false)
})

test('several conversations can be tagged at once and listed by tag, in which upper and lower case differ', async () => {
  const [rivers, hills, lakes] = [
    await insertSession('Rivers'),
    await insertSession('Hills'),
    await insertSession('Lakes'),
  ]
  await change({ ids: [rivers, hills], add_tags: [' far  away ', 'Water'] })
  await change({ ids: [hills, lakes], add_tags: ['water'], remove_tags: ['Water'] })
  expect((await read(hills)).tags).toEqual(['far away', 'water'])
  expect(await names('?tag=Water')).toEqual(['Rivers'])
  expect(await names('?tag=far%20away')).toEqual(['Hills', 'Rivers'])
  expect((await client.call<ChatTags>('GET', '/chat/tags')).body.tags).toEqual([
    { tag: 'far away', count: 2 },
    { tag: 'water', count: 2 },
    { tag: 'Water', count: 1 },
  ])
  const changed = await client.call<ChatSessionJson>('PATCH', `/chat/sessions/${rivers}`, { tags: ['one', 'one'] })
  expect(changed.body.tags).toEqual(['one'])
})

test('a change is rejected for every conversation when one of them would have too many tags', async () => {
  const [full, empty] = [await insertSession('Full'), await insertSession('Empty')]
  const max = Array.from({ length: SESSION_MAX_TAGS }, (_, index) => `tag ${index}`)
  await change({ ids: [full], add_tags: max })
  expect(await change({ ids: [empty, full], add_tags: ['one more'] })).toMatchObject({
    status: 409,
    body: { code: 'too_many_tags' },
  })
  expect((await read(empty)).tags).toEqual([])
  expect((await change({ ids: [full], add_tags: ['one more'], remove_tags: ['tag 3'] })).body).toEqual({ changed: 1 })
})

test('other users’ conversations are neither changed, listed nor counted', async () => {
  const other = await server.createUser()
  const foreign = await insertSession('Foreign', other)
  expect((await change({ ids: [foreign], archived: true, add_tags: ['mine'] })).body).toEqual({ changed: 0 })
  expect((await client.call<ChatTags>('GET', '/chat/tags')).body.tags).toEqual([])
  const theirs = createChatClient(url, other.token)
  expect((await theirs.call<ChatSessionJson>('GET', `/chat/sessions/${foreign}`)).body).toMatchObject({
    archived: false,
    tags: [],
  })
  await theirs.call('PATCH', `/chat/sessions/${foreign}`, { tags: ['theirs'] })
  expect((await theirs.call<ChatTags>('GET', '/chat/tags')).body.tags).toEqual([{ tag: 'theirs', count: 1 }])
  expect((await client.call<ChatTags>('GET', '/chat/tags')).body.tags).toEqual([])
  expect([await names(), await names('?tag=theirs')]).toEqual([[], []])
})

test.each([
  { ids: [] },
  { ids: ['mine'] },
  { ids: ['0198c0de-0000-7000-8000-000000000000'], add_tags: [' '] },
  { ids: ['0198c0de-0000-7000-8000-000000000000'], add_tags: ['x'.repeat(51)] },
])('returns 422 for %j', async (body) => {
  expect((await change(body)).status).toBe(422)
})
