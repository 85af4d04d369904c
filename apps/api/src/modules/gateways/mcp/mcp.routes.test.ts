import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { type McpCalls, mcpCallsOf, READ_TOOLS } from '../../../../test/mcp-calls.ts'
import { startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let account: TestAccount
let mcp: McpCalls
let url: string

beforeAll(async () => {
  server = await startTestApp({ memoryTimeoutMs: 10_000 })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true, can_use_agents: true })
  mcp = mcpCallsOf({ mira: server, url, account })
})
afterAll(() => server.close())

async function insertLease(owner = account) {
  const { database } = server.context
  const item = await insertMediaItem(database, owner.user.id, { mediaType: 'document', originalFilename: 'lease.pdf' })
  const place = { kind: 'text' as const, page: 3 }
  await insertMoment(database, item, { ...place, body: 'The house belongs to the harbour.', position: 1 })
  await insertMoment(database, item, { ...place, body: 'The lease of the boathouse ends in October.', position: 2 })
  await insertMoment(database, item, { ...place, body: 'Notice is three months.', position: 3 })
  return item.id
}

/** Union of the tools' results; the assertions check the fields of each. */
interface ToolResult {
  id: string
  text: string
  results: { id: string; media_id: string }[]
  items: { id: string; file: string }[]
  answer: string
  sources: object[]
}
const contentOf = (result: unknown) => (result as { structuredContent: ToolResult }).structuredContent

describe.each(['newest', 'previous'])('a client of the %s protocol version', (version) => {
  const open = async (token: string) =>
    version === 'newest' ? mcp.connect(token) : (await mcp.connectPrevious(token)).client

  test('lists the tools that its token allows and marks those that only read', async () => {
    const reader = await open(await mcp.tokenWith(['read']))
    const { tools } = await reader.listTools()
    expect(tools.map(({ name }) => name)).toEqual(READ_TOOLS)
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    const writer = await open(await mcp.tokenWith(['read', 'chat', 'upload', 'agents']))
    const all = (await writer.listTools()).tools
    expect(all.map(({ name }) => name)).toEqual([...READ_TOOLS, 'ask', 'add_note', 'add_file', 'remind'])
    expect(all.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      ...['add_note', 'add_file', 'remind'],
    ])
    await Promise.all([reader.close(), writer.close()])
  })

  test('finds a passage and reads its context and item; no result has a signed link', async () => {
    const item = await insertLease()
    const client = await open(await mcp.tokenWith(['read']))
    const searchResult = await client.callTool({
      name: 'search_memory',
      arguments: { query: 'when does the lease end' },
    })
    const first = contentOf(searchResult).results[0]!
    expect(first).toMatchObject({ media_id: item, file: 'lease.pdf', page: 3, certainty: expect.any(String) })
    const passage = contentOf(await client.callTool({ name: 'get_passage', arguments: { id: first.id } }))
    expect(passage.text).toContain('The house belongs to the harbour.')
    expect(passage.text).toContain('The lease of the boathouse ends in October.')
    const itemResult = await client.callTool({ name: 'get_item', arguments: { id: item } })
    expect(contentOf(itemResult)).toMatchObject({ id: item, file: 'lease.pdf' })
    const listed = contentOf(await client.callTool({ name: 'list_items', arguments: {} }))
    expect(listed).toMatchObject({ total: 1, items: [{ id: item }] })
    const resource = await client.readResource({ uri: `mira://item/${item}` })
    expect(JSON.parse((resource.contents[0] as { text: string }).text)).toMatchObject({ id: item })
    const moment = await client.readResource({ uri: `mira://moment/${first.id}` })
    expect((moment.contents[0] as { text: string }).text).toContain('The lease of the boathouse ends in October.')
    expect(JSON.stringify([searchResult, passage, itemResult, listed, resource, moment])).not.toContain('signature=')
    await client.close()
  })

  test('lists prompts and fills in the user’s question', async () => {
    const client = await open(await mcp.tokenWith(['read']))
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['answer_from_memory', 'summarise_item'])
    const question = 'When does my lease end?'
    const { messages } = await client.getPrompt({ name: 'answer_from_memory', arguments: { question } })
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining(question) } }])
    await client.close()
  })

  test('can’t get, read or find another user’s item', async () => {
    const foreign = await insertLease(await server.createUser({ can_upload: true }))
    const client = await open(await mcp.tokenWith(['read']))
    const result = await client.callTool({ name: 'get_item', arguments: { id: foreign } })
    expect(result).toMatchObject({ isError: true, content: [{ text: 'This item no longer exists.' }] })
    await expect(client.readResource({ uri: `mira://item/${foreign}` })).rejects.toThrow()
    expect(
      contentOf(await client.callTool({ name: 'search_memory', arguments: { query: 'lease boathouse' } })),
    ).toMatchObject({
      results: [],
    })
    await client.close()
  })
})

test.each([
  ['America/Los_Angeles', '2026-05-31T07:00:00.000Z', '2026-06-01T07:00:00.000Z'],
  ['Pacific/Auckland', '2026-05-30T12:00:00.000Z', '2026-05-31T12:00:00.000Z'],
])('searches by days in the time zone %s', async (zone, begin, end) => {
  const { database } = server.context
  const moments = [begin, end].flatMap((bound) => [Date.parse(bound) - 1, Date.parse(bound)])
  const ids: string[] = []
  for (const moment of moments) {
    const item = await insertMediaItem(database, account.user.id, { createdAt: new Date(moment) })
    await insertMoment(database, item, { kind: 'caption', body: 'A lighthouse' })
    ids.push(item.id)
  }
  const client = await mcp.connect(await mcp.tokenWith(['read']), { 'x-time-zone': zone })
  const days = { from: '2026-05-31', to: '2026-06-01' }
  const searchResult = await client.callTool({ name: 'search_memory', arguments: { query: 'lighthouse', ...days } })
  expect(
    contentOf(searchResult)
      .results.map(({ media_id }) => media_id)
      .toSorted(),
  ).toEqual(ids.slice(1, 3).toSorted())
  await client.close()
})

test('ask answers with sources and stores no conversation', async () => {
  const item = await insertLease()
  const client = await mcp.connect(await mcp.tokenWith(['read', 'chat']))
  const { answer, sources } = contentOf(
    await client.callTool({ name: 'ask', arguments: { question: 'When does the lease of the boathouse end?' } }),
  )
  expect(answer).toContain('October')
  expect(sources).toContainEqual(expect.objectContaining({ media_id: item, page: 3 }))
  const { body } = await server.request.get('/api/chat/sessions').auth(account.token, { type: 'bearer' }).expect(200)
  expect(body).toEqual([])
  await client.close()
})

test('ask leaves out the reasoning of a model that omits the opening tag', async () => {
  const model = await startOpenAiServer()
  const withModel = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  model.next({ text: ['They greet.', '</think>', 'Hello.'] })
  const calls = mcpCallsOf({ mira: withModel, url: await listen(withModel.app), account: await withModel.createUser() })
  const client = await calls.connect(await calls.tokenWith(['read', 'chat']))
  const { answer } = contentOf(await client.callTool({ name: 'ask', arguments: { question: 'Hello' } }))
  expect(answer).toBe('Hello.')
  await client.close()
  await withModel.close()
  await model.close()
})

test('adds notes and files, and refuses internal addresses', async () => {
  const client = await mcp.connect(await mcp.tokenWith(['read', 'upload']))
  const note = await client.callTool({ name: 'add_note', arguments: { title: 'Boiler', text: 'Serviced in May.' } })
  expect(contentOf(note)).toMatchObject({ id: expect.any(String), is_new: true })
  const base64 = Buffer.from('The key hangs behind the door.').toString('base64')
  const file = await client.callTool({ name: 'add_file', arguments: { name: 'key.txt', base64 } })
  const { items } = contentOf(await client.callTool({ name: 'list_items', arguments: {} }))
  expect(items.map(({ file: name }) => name)).toEqual(['key.txt', 'Boiler.md'])
  expect(contentOf(file).id).toBe(items[0]?.id)
  const internalFile = { name: 'add_file', arguments: { name: 'secrets.txt', url: 'http://127.0.0.1:1/secrets' } }
  expect(await client.callTool(internalFile)).toMatchObject({
    isError: true,
    content: [{ text: 'This address isn’t on the public internet.' }],
  })
  await client.close()
})

test('sets a reminder and refuses one in the past', async () => {
  const client = await mcp.connect(await mcp.tokenWith(['read', 'agents']))
  const set = await client.callTool({ name: 'remind', arguments: { text: 'Call Ada', at: '2199-05-31T18:00' } })
  expect(contentOf(set)).toMatchObject({ text: 'Call Ada', due_at: expect.stringMatching(/^2199-05-31T/) })
  const past = await client.callTool({ name: 'remind', arguments: { text: 'Call Ada', at: '2001-01-01' } })
  expect(past).toMatchObject({ isError: true })
  await client.close()
})
