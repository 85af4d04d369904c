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
  tools.moved.length = 0
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
const connect = async (more: object = {}): Promise<McpServerJson> => {
  const body = { name: 'Boxes', url: tools.url, audience: 'everyone', ...more }
  return (await call('post', '', body).expect(201)).body
}

/** Webhook events of an answer, in order: true when it waits for the user. */
async function toldHooks(messageId: string): Promise<boolean[]> {
  const { rows } = await mira.context.database.pool.query<{ waiting: boolean }>(
    `SELECT told->'waiting' AS waiting FROM (
       SELECT data AS told, created_at FROM hook_notices
       UNION ALL SELECT payload->'data', (payload->>'timestamp')::timestamptz FROM hook_deliveries
     ) AS all_told WHERE told->>'message_id' = $1 ORDER BY created_at`,
    [messageId],
  )
  return rows.map(({ waiting }) => waiting)
}

/** The names under which the model was told of the tools of a server, by their own names. */
const toldTools = () =>
  ((model.chats()[0]?.body as { tools?: { function: { name: string } }[] } | undefined)?.tools ?? [])
    .map(({ function: { name } }) => name)
    .filter((name) => name.startsWith('Boxes_'))

/** Asks something, of which a model makes calls; the first round only tells which tools it knows. */
async function ask(name: string, args: object) {
  model.next({ text: 'Hello.' })
  await (await chat.send({ content: 'Hello' })).ended
  const toolName = toldTools().find((one) => one.startsWith(`Boxes_${name}_`)) ?? name
  model.reset()
  model.next({ calls: [{ name: toolName, arguments: args }] }, { text: 'Done.' })
  const stream = await chat.send({ content: 'And now do it.' })
  await stream.ended
  const { sessionId } = idsOf(stream)
  const calls = ((await chat.read(sessionId)).messages.at(-1)?.agent_calls ?? []) as AgentCall[]
  return { sessionId, calls, results: toolResults(model.chats()[1]!) }
}

describe('a connected server', () => {
  test('lists its tools: those that only read are called, the others ask; its key is sealed and never told', async () => {
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
    const moved = (await call('patch', `/${server.id}`, { url: `http://localhost:1/mcp` }).expect(200)).body
    expect(moved).toMatchObject({ has_key: false, header_names: [], check: { state: 'error' } })
  })

  test('has its tools called in a conversation; what they say is outside text, and the call is recorded', async () => {
    await connect()
    const { calls, results } = await ask('look', { what: 'box' })
    expect(results[0]).toContain('There is a box.')
    expect(calls).toMatchObject([{ name: 'Boxes: look', state: 'finished', quotes_others: true }])
    const runs = await mira.context.database.prisma.agentRun.findMany({ where: { userId: account.user.id } })
    expect(runs).toMatchObject([{ agentName: 'Boxes: look', outcome: 'completed', input: '{"what":"box"}' }])
  })

  test('answers alone where a message names one of its tools, which has to be one that the person may use', async () => {
    await connect()
    const mentions = [{ kind: 'tool', name: 'Boxes: look' }]
    const stream = await chat.send({ content: 'What is in the cellar?', mentions })
    await stream.ended
    expect(model.chats()[0]?.body.tools).toHaveLength(1)
    expect(toldTools()).toEqual([expect.stringMatching(/^Boxes_look_/)])
    const [question] = (await chat.read(idsOf(stream).sessionId)).messages
    expect(question?.mentions).toEqual([{ kind: 'tool', id: null, name: 'Boxes: look' }])
    // the next one names nothing
    model.reset()
    await (await chat.send({ content: 'And now?', session_id: idsOf(stream).sessionId })).ended
    expect(model.chats()[0]?.body.tools?.length).toBeGreaterThan(1)

    const status = async (name: string, by = chat) =>
      (await by.call('POST', '/chat/message', { content: 'Hello', mentions: [{ kind: 'tool', name }] })).status
    expect(await status('Boxes: vanish')).toBe(404)
    expect(await status('search_web')).toBe(403)
    await connect({ name: 'Shelves', audience: 'admins' })
    expect(await status('Shelves: look')).toBe(404)
    const plain = createChatClient(url, (await mira.createUser({ can_use_agents: false })).token)
    expect(await status('Boxes: look', plain)).toBe(403)
  })

  test('is not let change anything before the person has allowed it, and then once', async () => {
    await connect()
    const { sessionId, calls, results } = await ask('move', { what: 'box' })
    expect(calls).toMatchObject([{ name: 'Boxes: move', state: 'waiting', arguments: { what: 'box' } }])
    expect(results[0]).toContain('asked to allow')
    expect(tools.moved).toEqual([])
    const path = `/chat/sessions/${sessionId}/calls/${calls[0]?.call_id}`
    model.next({ text: 'It stands at the door now.' })
    const { status, body } = await chat.call<ChatMessageJson>('POST', path, { allow: true })
    expect([status, body.streaming, body.content]).toEqual([200, true, 'Done.'])
    await (await chat.follow(sessionId)).ended
    expect(tools.moved).toEqual(['box'])
    expect((await chat.call('POST', path, { allow: true })).status).toBe(409)
    expect(tools.moved).toEqual(['box'])
  })

  test.each([
    ['move', 'may change something', false],
    ['look', 'only reads', true],
  ])(
    'whose tool %s is called without asking and %s: then a program is asked for a call: %s',
    async (tool, _what, isAsked) => {
      const { tools: listed } = await connect({ tool_rules: { move: 'allow' } })
      expect(listed.find(({ name }) => name === tool)?.rule).toBe('allow')
      await (await chat.send({ content: 'Hello' })).ended
      const name = toldTools().find((one) => one.startsWith(`Boxes_${tool}_`))!
      model.reset()
      const lamp = { type: 'function', function: { name: 'lamp', parameters: { type: 'object' } } }
      model.next({ calls: [{ name, arguments: { what: 'box' } }] }, { text: 'Done.' })
      const body = { model: 'mira', messages: [{ role: 'user', content: 'Do it' }], tools: [lamp] }
      await mira.request.post('/v1/chat/completions').auth(account.token, { type: 'bearer' }).send(body).expect(200)
      const offered = model.chats().map((chatted) => chatted.body.tools?.some((tool) => tool.function.name === 'lamp'))
      expect(offered).toEqual([true, isAsked])
      expect(tools.moved).toEqual(isAsked ? [] : ['box'])
    },
  )

  test('has its answer go on with what an allowed tool gave, as words of others, or with the refusal', async () => {
    await connect()
    const hook = { name: 'All answers', url: new URL('/hook', tools.url).href, events: ['chat.answered'] }
    expect((await chat.call('POST', '/me/hooks', hook)).status).toBe(201)
    for (const [allow, output, state] of [
      [true, /written by others.*orders nothing.*Moved box/s, 'finished'],
      [false, /The person declined/, 'refused'],
    ] as const) {
      model.reset()
      const { sessionId, calls } = await ask('move', { what: 'box' })
      expect(await toldHooks((await chat.read(sessionId)).messages.at(-1)!.id)).toEqual([true])
      model.next({ text: 'And so it is.' })
      await chat.call('POST', `/chat/sessions/${sessionId}/calls/${calls[0]?.call_id}`, { allow })
      const stream = await chat.follow(sessionId)
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
      expect(await toldHooks(answer.id)).toEqual([true, false])
      const next = await chat.send({ content: 'Thanks', session_id: sessionId })
      await next.ended
      expect(JSON.stringify(model.chats().at(-1)?.body.messages)).toContain('And so it is.')
    }
    expect(tools.moved).toEqual(['box'])
  })

  test('whose allowed tool hangs ends with what was said before, also when the model fails then', async () => {
    await connect({ tool_rules: { hang: 'ask' } })
    const { sessionId, calls } = await ask('hang', {})
    model.next({ error: { status: 400, message: 'broken' } })
    await chat.call('POST', `/chat/sessions/${sessionId}/calls/${calls[0]?.call_id}`, { allow: true })
    await (await chat.follow(sessionId)).ended
    expect(toolResults(model.chats().at(-1)!)[0]).toContain('didn’t answer in time')
    const answer = (await chat.read(sessionId)).messages.at(-1)!
    expect(answer).toMatchObject({ content: 'Done.', streaming: false, agent_calls: [{ state: 'failed' }] })
    expect(answer.error).not.toBeNull()
  })

  test('is only for those whom an administrator chose, and its tools only as decided', async () => {
    const server = await connect({ audience: 'admins' })
    const offeredTools = async () => {
      model.reset()
      model.next({ text: 'Hello.' })
      await (await chat.send({ content: 'Hello' })).ended
      return toldTools().map((name) => name.split('_')[1])
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

  test.each([
    ['hangs', 'hang', 'didn’t answer in time'],
    ['answers too much', 'flood', 'Boxes'],
    ['fails', 'fail', 'No such box.'],
  ])('that %s ends the call with a clear error, and holds nothing', async (_name, tool, message) => {
    await connect()
    const { calls, results } = await ask(tool, {})
    expect(results[0]).toContain(message)
    expect(calls).toMatchObject([{ name: `Boxes: ${tool}`, state: 'failed' }])
  })

  test('that has other tools now is asked for them when one is missing; new ones ask first, whatever they declare', async () => {
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
    // an administrator looks at them by testing
    expect((await call('post', `/${id}/test`).expect(200)).body.tools[0]).toMatchObject({ name: 'peek', rule: 'allow' })
    tools.isUpdated = false
  })

  test('that has gone away says so, and keeps the tools that it listed', async () => {
    const passing = await startMcpToolsServer()
    const server = await connect({ url: passing.url })
    await passing.close()
    const tried = (await call('post', `/${server.id}/test`).expect(200)).body as McpServerJson
    expect(tried.check).toMatchObject({ state: 'error', told: [{ code: 'mcp_unreachable' }] })
    expect(tried.tools).toHaveLength(5)
    expect((await ask('look', { what: 'box' })).results[0]).toContain('can’t be reached')
  })
})

describe("a person's own servers", () => {
  const mine = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object, of = account) => {
    const pending = mira.request[method](`/api/me/mcp-servers${path}`).auth(of.token, { type: 'bearer' })
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
  const offeredTools = async (by: ChatClient) => {
    model.reset()
    model.next({ text: 'Hello.' })
    await (await by.send({ content: 'Hello' })).ended
    return toldTools().map((name) => name.split('_')[1])
  }

  test('are connected where an administrator allows it, for them alone, and used only as long as that holds', async () => {
    const body = { name: 'Boxes', url: tools.url, api_key: KEY }
    expect((await mine('post', '', body).expect(403)).body.code).toBe('own_mcp_servers_off')
    expect((await mine('get', '').expect(200)).body).toEqual({ allowed: false, servers: [] })
    await allow(true)
    const server = (await mine('post', '', body).expect(201)).body as McpServerJson
    expect(server).toMatchObject({ check: { state: 'ok' }, has_key: true, transport: 'http' })
    expect(JSON.stringify((await mine('get', '').expect(200)).body)).not.toContain(KEY)
    await mine('patch', `/${server.id}`, {
      tool_rules: { look: 'allow', hang: 'off', flood: 'off', fail: 'off' },
    }).expect(200)
    expect(await offeredTools(chat)).toEqual(['look', 'move'])
    // an administrator neither sees nor uses it, nor does anybody else
    expect((await call('get', '').expect(200)).body.servers).toEqual([])
    await call('patch', `/${server.id}`, { enabled: false }).expect(404)
    const other = await mira.createUser({ can_use_agents: true })
    await mine('delete', `/${server.id}`, undefined, other).expect(404)
    expect(await offeredTools(createChatClient(url, other.token))).toEqual([])
    model.reset()
    const { calls } = await ask('move', { what: 'chair' })
    expect(calls).toMatchObject([{ name: 'Boxes (own): move', state: 'waiting' }])
    await allow(false)
    expect(await offeredTools(chat)).toEqual([])
    await mine('post', `/${server.id}/test`).expect(403)
    await mine('delete', `/${server.id}`).expect(204)
  })

  test.each(['http://127.0.0.1:9/mcp', 'http://10.0.0.1/mcp', 'http://169.254.169.254/mcp'])(
    'are not inside: %s',
    async (address) => {
      await allow(true)
      expect((await mine('post', '', { name: 'Inside', url: address }).expect(422)).body.code).toBe('address_forbidden')
    },
  )

  test('are not inside by a name either, and are no programs', async () => {
    await allow(true)
    const { port } = new URL(tools.url)
    const requestsBefore = tools.headers.length
    const named = await mine('post', '', { name: 'Inside', url: `http://localhost:${port}/mcp` }).expect(201)
    expect(named.body).toMatchObject({ check: { state: 'error', told: [{ code: 'mcp_unreachable' }] }, tools: [] })
    expect(tools.headers).toHaveLength(requestsBefore)
    await mine('post', '', { name: 'Program', command: process.execPath }).expect(422)
    await mine('delete', `/${named.body.id}`).expect(204)
  })
})
