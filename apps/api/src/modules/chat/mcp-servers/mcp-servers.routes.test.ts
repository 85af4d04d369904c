import type { AgentCall, ChatMessageJson, McpServerJson } from '@mira/shared'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { type McpToolsServer, startMcpToolsServer } from '../../../../test/mcp-tools-server.ts'
import { type OpenAiServer, startOpenAiServer, toolResults } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

const KEY = 'key-of-the-tools-4711'

let mira: TestApp
let model: OpenAiServer
let tools: McpToolsServer
let account: TestAccount
let chat: ChatClient
let url: string

beforeAll(async () => {
  ;[model, tools] = await Promise.all([startOpenAiServer(), startMcpToolsServer()])
  mira = await startTestApp({
    environment: {
      OPENAI_BASE_URL: model.baseUrl,
      CHAT_MODEL: 'test-model',
      FETCH_ALLOWED_HOSTS: new URL(tools.url).host,
    },
    mcpLimits: { callMs: 1500, listMs: 3000 },
  })
  url = await listen(mira.app)
})
beforeEach(async () => {
  account = await mira.createUser({ can_use_agents: true })
  chat = createChatClient(url, account.token)
})
afterEach(async () => {
  model.reset()
  tools.movedItems.length = 0
  for (const { id } of (await call('get', '').expect(200)).body.servers) await call('delete', `/${id}`).expect(204)
})
afterAll(async () => {
  await mira.close()
  await Promise.all([model.close(), tools.close()])
})

const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) => {
  const pending = mira.request[method](`/api/admin/mcp-servers${path}`).auth(mira.admin.token, { type: 'bearer' })
  return body === undefined ? pending : pending.send(body)
}
const connect = async (fields: object = {}): Promise<McpServerJson> => {
  const body = { name: 'Boxes', url: tools.url, audience: 'everyone', ...fields }
  return (await call('post', '', body).expect(201)).body
}

/** Webhook events of an answer, in order: true when it waits for the user. */
async function waitingFlagsOfHooks(messageId: string): Promise<boolean[]> {
  const { rows } = await mira.context.database.pool.query<{ waiting: boolean }>(
    `SELECT told->'waiting' AS waiting FROM (
       SELECT data AS told, created_at FROM hook_notices
       UNION ALL SELECT payload->'data', (payload->>'timestamp')::timestamptz FROM hook_deliveries
     ) AS all_told WHERE told->>'message_id' = $1 ORDER BY created_at`,
    [messageId],
  )
  return rows.map(({ waiting }) => waiting)
}

/** Names under which the server's tools were offered to the model. */
const offeredToolNames = () =>
  ((model.chats()[0]?.body as { tools?: { function: { name: string } }[] } | undefined)?.tools ?? [])
    .map(({ function: { name } }) => name)
    .filter((name) => name.startsWith('Boxes_'))

/** Sends a message that the model answers with a tool call; a first message reveals the tool's name. */
async function ask(name: string, args: object) {
  model.next({ text: 'Hello.' })
  await (await chat.send({ content: 'Hello' })).ended
  const toolName = offeredToolNames().find((one) => one.startsWith(`Boxes_${name}_`)) ?? name
  model.reset()
  model.next({ calls: [{ name: toolName, arguments: args }] }, { text: 'Done.' })
  const stream = await chat.send({ content: 'And now do it.' })
  await stream.ended
  const { sessionId } = idsOf(stream)
  const calls = ((await chat.read(sessionId)).messages.at(-1)?.agent_calls ?? []) as AgentCall[]
  return { sessionId, calls, results: toolResults(model.chats()[1]!) }
}

describe('a connected server', () => {
  test('lists its tools, allowing read-only ones and asking before others, and keeps its key encrypted and hidden', async () => {
    const server = await connect({ api_key: KEY, headers: { 'X-Team': 'research' } })
    expect(server).toMatchObject({
      transport: 'http',
      check: { state: 'ok' },
      has_key: true,
      header_names: ['X-Team'],
    })
    expect(server.tools.map(({ name, rule }) => [name, rule])).toEqual([
      ['look', 'allow'],
      ['move', 'ask'],
      ['hang', 'allow'],
      ['flood', 'allow'],
      ['fail', 'allow'],
    ])
    expect(tools.headers.at(-1)).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'research' })
    const { rows } = await mira.context.database.pool.query('SELECT * FROM mcp_servers')
    const everything = JSON.stringify([server, (await call('get', '')).body, rows])
    expect(everything).not.toContain(KEY)
    expect(everything).not.toContain('research')
    const movedServer = (await call('patch', `/${server.id}`, { url: `http://localhost:1/mcp` }).expect(200)).body
    expect(movedServer).toMatchObject({ has_key: false, header_names: [], check: { state: 'error' } })
  })

  test('has its tools called in a conversation, with their output marked as quoted and the call recorded', async () => {
    await connect()
    const { calls, results } = await ask('look', { what: 'box' })
    expect(results[0]).toContain('There is a box.')
    expect(calls).toMatchObject([{ name: 'Boxes: look', state: 'finished', quotes_others: true }])
    const runs = await mira.context.database.prisma.agentRun.findMany({ where: { userId: account.user.id } })
    expect(runs).toMatchObject([{ agentName: 'Boxes: look', outcome: 'completed', input: '{"what":"box"}' }])
  })

  test('has a mentioned tool offered alone, provided that the user may use it', async () => {
    await connect()
    const mentions = [{ kind: 'tool', name: 'Boxes: look' }]
    const stream = await chat.send({ content: 'What is in the cellar?', mentions })
    await stream.ended
    expect(model.chats()[0]?.body.tools).toHaveLength(1)
    expect(offeredToolNames()).toEqual([expect.stringMatching(/^Boxes_look_/)])
    const [question] = (await chat.read(idsOf(stream).sessionId)).messages
    expect(question?.mentions).toEqual([{ kind: 'tool', id: null, name: 'Boxes: look' }])
    // the next message mentions nothing
    model.reset()
    await (await chat.send({ content: 'And now?', session_id: idsOf(stream).sessionId })).ended
    expect(model.chats()[0]?.body.tools?.length).toBeGreaterThan(1)

    const status = async (name: string, chatClient = chat) =>
      (await chatClient.call('POST', '/chat/message', { content: 'Hello', mentions: [{ kind: 'tool', name }] })).status
    expect(await status('Boxes: vanish')).toBe(404)
    expect(await status('search_web')).toBe(403)
    await connect({ name: 'Shelves', audience: 'admins' })
    expect(await status('Shelves: look')).toBe(404)
    const plain = createChatClient(url, (await mira.createUser({ can_use_agents: false })).token)
    expect(await status('Boxes: look', plain)).toBe(403)
  })

  test('changes nothing until the user allows it, and then only once', async () => {
    await connect()
    const { sessionId, calls, results } = await ask('move', { what: 'box' })
    expect(calls).toMatchObject([{ name: 'Boxes: move', state: 'waiting', arguments: { what: 'box' } }])
    expect(results[0]).toContain('asked to allow')
    expect(tools.movedItems).toEqual([])
    const path = `/chat/sessions/${sessionId}/calls/${calls[0]?.call_id}`
    model.next({ text: 'It stands at the door now.' })
    const { status, body } = await chat.call<ChatMessageJson>('POST', path, { allow: true })
    expect([status, body.streaming, body.content]).toEqual([200, true, 'Done.'])
    await (await chat.streamAnswer(sessionId)).ended
    expect(tools.movedItems).toEqual(['box'])
    expect((await chat.call('POST', path, { allow: true })).status).toBe(409)
    expect(tools.movedItems).toEqual(['box'])
  })

  test.each([
    ['move', 'may change something', false],
    ['look', 'only reads', true],
  ])(
    'whose tool %s is called without asking and %s: afterwards, an API client’s own tools are offered: %s',
    async (tool, _what, isOffered) => {
      const { tools: listed } = await connect({ tool_rules: { move: 'allow' } })
      expect(listed.find(({ name }) => name === tool)?.rule).toBe('allow')
      await (await chat.send({ content: 'Hello' })).ended
      const name = offeredToolNames().find((one) => one.startsWith(`Boxes_${tool}_`))!
      model.reset()
      const lamp = { type: 'function', function: { name: 'lamp', parameters: { type: 'object' } } }
      model.next({ calls: [{ name, arguments: { what: 'box' } }] }, { text: 'Done.' })
      const body = { model: 'mira', messages: [{ role: 'user', content: 'Do it' }], tools: [lamp] }
      await mira.request.post('/v1/chat/completions').auth(account.token, { type: 'bearer' }).send(body).expect(200)
      const areOffered = model
        .chats()
        .map((chatted) => chatted.body.tools?.some((tool) => tool.function.name === 'lamp'))
      expect(areOffered).toEqual([true, isOffered])
      expect(tools.movedItems).toEqual(isOffered ? [] : ['box'])
    },
  )

  test('resumes its answer with the result of an allowed tool, as others’ words, or with the refusal', async () => {
    await connect()
    const hook = { name: 'All answers', url: new URL('/hook', tools.url).href, events: ['chat.answered'] }
    expect((await chat.call('POST', '/me/hooks', hook)).status).toBe(201)
    for (const [allow, output, state] of [
      [true, /written by others.*orders nothing.*Moved box/s, 'finished'],
      [false, /The person declined/, 'refused'],
    ] as const) {
      model.reset()
      const { sessionId, calls } = await ask('move', { what: 'box' })
      expect(await waitingFlagsOfHooks((await chat.read(sessionId)).messages.at(-1)!.id)).toEqual([true])
      model.next({ text: 'And so it is.' })
      await chat.call('POST', `/chat/sessions/${sessionId}/calls/${calls[0]?.call_id}`, { allow })
      const stream = await chat.streamAnswer(sessionId)
      await stream.ended
      expect(stream.text()).toBe('Done.\n\nAnd so it is.')
      const lastChat = model.chats().at(-1)!
      expect(toolResults(lastChat)).toEqual([expect.stringMatching(output)])
      expect(lastChat.body.messages?.at(-2)).toMatchObject({ role: 'assistant', content: 'Done.' })
      const answer = (await chat.read(sessionId)).messages.at(-1)!
      expect(answer).toMatchObject({ content: 'Done.\n\nAnd so it is.', streaming: false, agent_calls: [{ state }] })
      const { prisma } = mira.context.database
      const activities = await prisma.activity.findMany({ where: { detailId: answer.id, kind: 'chat' } })
      expect(activities).toMatchObject([{ outcome: 'completed', durationMs: answer.duration_ms }])
      expect(await waitingFlagsOfHooks(answer.id)).toEqual([true, false])
      const next = await chat.send({ content: 'Thanks', session_id: sessionId })
      await next.ended
      expect(JSON.stringify(model.chats().at(-1)?.body.messages)).toContain('And so it is.')
    }
    expect(tools.movedItems).toEqual(['box'])
  })

  test('whose allowed tool hangs leaves the earlier text, even when the model then fails', async () => {
    await connect({ tool_rules: { hang: 'ask' } })
    const { sessionId, calls } = await ask('hang', {})
    model.next({ error: { status: 400, message: 'broken' } })
    await chat.call('POST', `/chat/sessions/${sessionId}/calls/${calls[0]?.call_id}`, { allow: true })
    await (await chat.streamAnswer(sessionId)).ended
    expect(toolResults(model.chats().at(-1)!)[0]).toContain('didn’t answer in time')
    const answer = (await chat.read(sessionId)).messages.at(-1)!
    expect(answer).toMatchObject({ content: 'Done.', streaming: false, agent_calls: [{ state: 'failed' }] })
    expect(answer.error).not.toBeNull()
  })

  test('is limited to the users chosen by an administrator, and its tools by their rules', async () => {
    const server = await connect({ audience: 'admins' })
    const offeredTools = async () => {
      model.reset()
      model.next({ text: 'Hello.' })
      await (await chat.send({ content: 'Hello' })).ended
      return offeredToolNames().map((name) => name.split('_')[1])
    }
    expect(await offeredTools()).toEqual([])
    await call('patch', `/${server.id}`, { audience: 'chosen', user_ids: [account.user.id] }).expect(200)
    expect(await offeredTools()).toEqual(['look', 'move', 'hang', 'flood', 'fail'])
    await call('patch', `/${server.id}`, { tool_rules: { move: 'off', hang: 'off', flood: 'off' } }).expect(200)
    expect(await offeredTools()).toEqual(['look', 'fail'])
    await call('patch', `/${server.id}`, { tool_rules: { look: 'ask' } }).expect(200)
    expect((await ask('look', { what: 'box' })).calls).toMatchObject([{ state: 'waiting' }])
    await call('patch', `/${server.id}`, { enabled: false }).expect(200)
    expect(await offeredTools()).toEqual([])
  })

  test('shares the tools that a model gets with the others, and says how many are left out', async () => {
    const { database } = mira.context
    const addTools = async (id: string, count: number) => {
      const stored = Array.from({ length: count }, (_, index) => ({
        ...{
          name: `tool${index}`,
          title: '',
          description: 'Does it',
          parameters: { type: 'object' },
          isReadOnly: true,
        },
        isTooLarge: index === 0,
      }))
      await database.prisma.mcpServer.update({ where: { id }, data: { tools: stored } })
    }
    const large = await connect({ name: 'Many' })
    const small = await connect()
    await addTools(large.id, 101)
    await addTools(small.id, 11)
    // a change makes the server read all of them again
    const changedServer = (await call('patch', `/${large.id}`, { tool_rules: { tool1: 'off' } }).expect(200)).body
    expect(changedServer.tools_left_out).toBe(100 - 50)
    const leftOut = async () =>
      (await call('get', '').expect(200)).body.servers.map((one: McpServerJson) => one.tools_left_out)
    expect(await leftOut()).toEqual([50, 1])
    await (await chat.send({ content: 'Hello' })).ended
    const names = model.chats()[0]?.body.tools?.map(({ function: { name } }) => name) ?? []
    expect(names.filter((name) => name.startsWith('Many_'))).toHaveLength(50)
    expect(offeredToolNames()).toHaveLength(10)
    const rules = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`tool${index}`, 'off']))
    await call('patch', `/${large.id}`, { tool_rules: rules }).expect(200)
    expect(await leftOut()).toEqual([0, 1])
  })

  test.each([
    ['hangs', 'hang', 'didn’t answer in time'],
    ['returns too much', 'flood', 'Boxes'],
    ['fails', 'fail', 'No such box.'],
  ])('that %s ends the call with a clear error', async (_name, tool, message) => {
    await connect()
    const { calls, results } = await ask(tool, {})
    expect(results[0]).toContain(message)
    expect(calls).toMatchObject([{ name: `Boxes: ${tool}`, state: 'failed' }])
  })

  test('lists its tools again when one is missing; new ones ask first, whatever they declare', async () => {
    const { id } = await connect()
    tools.isUpdated = true
    await ask('look', { what: 'box' })
    const rulesNow = async () => {
      const { servers } = (await call('get', '').expect(200)).body as { servers: McpServerJson[] }
      return servers.find((one) => one.id === id)?.tools.map(({ name, rule }) => [name, rule])
    }
    await expect
      .poll(async () => (await rulesNow())?.slice(0, 3))
      .toEqual([
        ['peek', 'ask'],
        ['move', 'ask'],
        ['hang', 'allow'],
      ])
    // testing counts as an administrator's review
    expect((await call('post', `/${id}/test`).expect(200)).body.tools[0]).toMatchObject({ name: 'peek', rule: 'allow' })
    tools.isUpdated = false
  })

  test('is reported when it’s unreachable, and keeps its listed tools', async () => {
    const temporaryServer = await startMcpToolsServer()
    const server = await connect({ url: temporaryServer.url })
    await temporaryServer.close()
    const testedServer = (await call('post', `/${server.id}/test`).expect(200)).body as McpServerJson
    expect(testedServer.check).toMatchObject({ state: 'error', told: [{ code: 'mcp_unreachable' }] })
    expect(testedServer.tools).toHaveLength(5)
    expect((await ask('look', { what: 'box' })).results[0]).toContain('can’t be reached')
  })
})

describe("a user's own servers", () => {
  const callOwn = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object, owner = account) => {
    const pending = mira.request[method](`/api/me/mcp-servers${path}`).auth(owner.token, { type: 'bearer' })
    return body === undefined ? pending : pending.send(body)
  }
  const allow = async (allows_own_mcp_servers: boolean) => {
    const settingsRequest = (method: 'get' | 'put') =>
      mira.request[method]('/api/admin/settings').auth(mira.admin.token, { type: 'bearer' })
    const { settings } = (await settingsRequest('get').expect(200)).body
    await settingsRequest('put')
      .send({ ...settings, allows_own_mcp_servers })
      .expect(200)
  }
  afterEach(() => allow(false))
  const offeredTools = async (chatClient: ChatClient) => {
    model.reset()
    model.next({ text: 'Hello.' })
    await (await chatClient.send({ content: 'Hello' })).ended
    return offeredToolNames().map((name) => name.split('_')[1])
  }

  test('can be connected and used only while an administrator allows it, and only by that user', async () => {
    const body = { name: 'Boxes', url: tools.url, api_key: KEY }
    expect((await callOwn('post', '', body).expect(403)).body.code).toBe('own_mcp_servers_off')
    expect((await callOwn('get', '').expect(200)).body).toEqual({ allowed: false, servers: [] })
    await allow(true)
    const server = (await callOwn('post', '', body).expect(201)).body as McpServerJson
    expect(server).toMatchObject({ check: { state: 'ok' }, has_key: true, transport: 'http' })
    expect(JSON.stringify((await callOwn('get', '').expect(200)).body)).not.toContain(KEY)
    await callOwn('patch', `/${server.id}`, {
      tool_rules: { look: 'allow', hang: 'off', flood: 'off', fail: 'off' },
    }).expect(200)
    expect(await offeredTools(chat)).toEqual(['look', 'move'])
    // neither administrators nor other users can see or change it
    expect((await call('get', '').expect(200)).body.servers).toEqual([])
    await call('patch', `/${server.id}`, { enabled: false }).expect(404)
    const other = await mira.createUser({ can_use_agents: true })
    await callOwn('delete', `/${server.id}`, undefined, other).expect(404)
    expect(await offeredTools(createChatClient(url, other.token))).toEqual([])
    model.reset()
    const { calls } = await ask('move', { what: 'chair' })
    expect(calls).toMatchObject([{ name: 'Boxes (own): move', state: 'waiting' }])
    await allow(false)
    expect(await offeredTools(chat)).toEqual([])
    await callOwn('post', `/${server.id}/test`).expect(403)
    await callOwn('delete', `/${server.id}`).expect(204)
  })

  test.each(['http://127.0.0.1:9/mcp', 'http://10.0.0.1/mcp', 'http://169.254.169.254/mcp'])(
    'can’t have a private address: %s',
    async (address) => {
      await allow(true)
      expect((await callOwn('post', '', { name: 'Inside', url: address }).expect(422)).body.code).toBe(
        'address_forbidden',
      )
    },
  )

  test('can’t have a name that resolves to a private address, or be programs', async () => {
    await allow(true)
    const { port } = new URL(tools.url)
    const requestsBefore = tools.headers.length
    const namedServer = await callOwn('post', '', { name: 'Inside', url: `http://localhost:${port}/mcp` }).expect(201)
    expect(namedServer.body).toMatchObject({
      check: { state: 'error', told: [{ code: 'mcp_unreachable' }] },
      tools: [],
    })
    expect(tools.headers).toHaveLength(requestsBefore)
    await callOwn('post', '', { name: 'Program', command: process.execPath }).expect(422)
    await callOwn('delete', `/${namedServer.body.id}`).expect(204)
  })
})
