import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { agentNames, scopeOf, type TokenScope, tokenScopes } from '@mira/shared'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ResourceIds } from '../test/access-table/access-line.ts'
import { accessTable } from '../test/access-table.ts'
import { insertOneOfEach } from '../test/everything-of.ts'
import { insertUser } from '../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../test/openai-server.ts'
import { plainCall } from '../test/plain-call.ts'
import { startTestApp, type TestApp } from '../test/test-app.ts'

let model: OpenAiServer
let mira: TestApp
let address: string
beforeAll(async () => {
  model = await startOpenAiServer()
  mira = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' },
    memoryTimeoutMs: 10_000,
  })
  address = await mira.app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => model.reset())
afterAll(async () => {
  await mira.close()
  await model.close()
})

/** Word in stored content that only responses to a token with the scope `read` contain. */
const MARKER = 'zanzibarine'

interface Owner {
  userId: string
  ids: ResourceIds
}

async function newOwner(): Promise<Owner> {
  const { database } = mira.context
  const flags = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }
  const { id: userId } = await insertUser(database, { role: 'admin', ...flags })
  return { userId, ids: await insertOneOfEach(database, userId) }
}

async function newToken(userId: string, scopes: readonly TokenScope[]) {
  const secret = randomBytes(32).toString('base64url')
  const secretHash = createHash('sha256').update(secret).digest('hex')
  const row = { userId, name: 'a script', scopes: [...scopes], secretHash }
  const { id } = await mira.context.database.prisma.apiToken.create({ data: row })
  return { id, token: `mira_${id}_${secret}` }
}

/** Calls a path with a token, or with only the signature in the path. */
async function call(method: string, path: string, options: { token?: string; body?: unknown } = {}) {
  const { token, body } = options
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const requestOptions = { method, path, headers, body: body === undefined ? undefined : JSON.stringify(body) }
  return plainCall(address, requestOptions, (_status, type) => type.includes('json'))
}

const HELLO = [{ role: 'user', content: 'Hello' }]

/** Calls of every route with the owner's ids, with the bodies that routes need to return content. */
function callsOf(ids: ResourceIds): { method: string; path: string; body?: unknown }[] {
  const bodies: Record<string, unknown> = {
    'POST /api/media/archive': { ids: [ids.mediaItem] },
    'PATCH /api/media/:id': { tags: ['seen'] },
    'POST /api/agents/:name/run': { input: 'find my files' },
    'POST /api/agents/ask': { input: 'find my files' },
    'POST /api/chat/message': { content: 'Hello', session_id: ids.chatSession, project_id: ids.project },
    'POST /api/chat/messages/:id/feedback': { rating: 'up' },
    'POST /api/chat/sessions/:id/regenerate': { message_id: ids.answer },
    'POST /v1/chat/completions': { model: 'mira', messages: HELLO, metadata: { session_id: ids.chatSession } },
    'POST /v1/responses': { model: 'mira', input: 'Hello', previous_response_id: `resp_${ids.question}` },
    'PATCH /api/chat/sessions/:id': { archived: false },
    'PATCH /api/reminders/:id': { text: 'Another text' },
    'PATCH /api/me/facts/:id': { text: 'Another fact' },
    'PATCH /api/personas/:id': { name: 'Another name' },
    'PATCH /api/projects/:id': { name: 'Another name' },
    'PATCH /api/prompts/:id': { name: 'Another name' },
    'POST /api/reminders/:id/snooze': { minutes: 10 },
  }
  const idOf: [RegExp, string][] = [
    [/^\/api\/media\//, ids.mediaItem],
    [/^\/api\/chat\/sessions\//, ids.chatSession],
    [/^\/api\/chat\/messages\/:id\/(versions|feedback)/, ids.answer],
    [/^\/api\/chat\/messages\//, ids.question],
    [/^\/api\/image-effects\/recipes\//, ids.effectRecipe],
    [/^\/api\/image-effects\//, ids.effectImage],
    [/^\/api\/me\/facts\//, ids.fact],
    [/^\/api\/reminders\//, ids.reminder],
    [/^\/api\/personas\//, ids.persona],
    [/^\/api\/projects\//, ids.project],
    [/^\/api\/prompts\//, ids.prompt],
    [/^\/api\/imports\//, ids.import],
  ]
  return Object.keys(accessTable).flatMap((route) => {
    const [method = '', pattern = ''] = route.split(' ')
    if (method === 'DELETE' || /logout|stop$|\*|\/events$|\/stream$|^\/mcp$/.test(pattern)) return []
    const id = idOf.find(([prefix]) => prefix.test(pattern))?.[1] ?? randomUUID()
    const path = pattern.replace(':name', 'FileAgent').replace(':n', '0').replace(/:\w+/g, id)
    return [{ method, path, ...(method === 'GET' ? {} : { body: bodies[route] ?? {} }) }]
  })
}

/** Signed paths in all responses to a token; `countOpen` counts those that can be read without it. */
async function signedPathsFor({ userId, ids }: Owner, scopes: readonly TokenScope[]) {
  const { id, token } = await newToken(userId, scopes)
  const paths = new Set<string>()
  for (const { method, path, body } of callsOf(ids)) {
    const { text } = await call(method, path, { token, body })
    for (const [url] of text.matchAll(/\/api\/[^"\s]+[?&]signature=[^"\s]+/g)) paths.add(url)
  }
  const countOpen = async () => {
    const statuses = await Promise.all([...paths].map(async (path) => (await call('GET', path)).status))
    return statuses.filter((status) => status !== 401 && status !== 403).length
  }
  return { id, count: paths.size, countOpen }
}

test.each(tokenScopes)(
  'signed URLs in responses to a token with the scope %s give no more access than the token',
  async (scope) => {
    const owner = await newOwner()
    const { count, countOpen } = await signedPathsFor(owner, [scope])
    expect(await countOpen()).toBe(scope === scopeOf({ access: 'upload', method: 'GET' }) ? count : 0)
  },
)

test('signed URLs in responses to a token stop working when it’s deleted', async () => {
  const owner = await newOwner()
  const { id, count, countOpen } = await signedPathsFor(owner, tokenScopes)
  expect(count).toBeGreaterThan(3)
  expect(await countOpen()).toBe(count)
  await mira.context.database.prisma.apiToken.delete({ where: { id } })
  expect(await countOpen()).toBe(0)
})

test.each(tokenScopes.filter((scope) => scope !== 'read'))(
  'responses to a token with only the scope %s contain no stored content',
  async (scope) => {
    const { userId, ids } = await newOwner()
    const { prisma } = mira.context.database
    const where = { userId }
    await prisma.mediaItem.update({ where: { id: ids.mediaItem }, data: { caption: MARKER, extractedText: MARKER } })
    await prisma.moment.updateMany({ where, data: { body: MARKER } })
    await prisma.fact.updateMany({ where, data: { text: MARKER } })
    await prisma.chatSession.updateMany({ where, data: { sessionName: MARKER } })
    await prisma.chatMessage.updateMany({ where: { session: where }, data: { content: MARKER } })
    await prisma.reminder.updateMany({ where, data: { text: MARKER } })
    await prisma.persona.updateMany({ where, data: { instructions: MARKER } })
    await prisma.project.updateMany({ where, data: { instructions: MARKER } })
    await prisma.prompt.updateMany({ where, data: { text: MARKER } })
    const { token } = await newToken(userId, [scope])
    const leaks = []
    for (const { method, path, body } of callsOf(ids)) {
      const { status, text } = await call(method, path, { token, body })
      if (text.includes(MARKER)) leaks.push(`${status} ${method} ${path}`)
    }
    expect(leaks).toEqual([])
  },
)

/** Requests to agents for stored content. */
const questionsAboutStored = [
  'find my files about the lagoon',
  'my newest files',
  'how many files do I have about the lagoon',
  'list my reminders',
  'snooze the reminder about the lagoon for 10 minutes',
  'complete the reminder about the lagoon',
  'delete the reminder about the moon',
]

test('agents return no stored content to a token without the scope read, even with all others', async () => {
  const { userId, ids } = await newOwner()
  const { prisma } = mira.context.database
  const stored = `The lagoon of ${MARKER}`
  const names = { originalFilename: `lagoon-${MARKER}.txt`, caption: stored, extractedText: stored }
  await prisma.mediaItem.update({ where: { id: ids.mediaItem }, data: names })
  await prisma.moment.updateMany({ where: { userId }, data: { body: stored } })
  await prisma.reminder.updateMany({ where: { userId }, data: { text: stored } })
  const leaksFor = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    const leaks = []
    for (const input of questionsAboutStored) {
      for (const path of ['ask', ...agentNames.map((name) => `${name}/run`)]) {
        const { status, text } = await call('POST', `/api/agents/${path}`, { token, body: { input } })
        if (text.includes(MARKER)) leaks.push(`${status} ${path} “${input}”`)
      }
    }
    return leaks
  }
  expect(await leaksFor(tokenScopes.filter((scope) => scope !== 'read'))).toEqual([])
  expect((await leaksFor(['agents', 'read'])).length).toBeGreaterThan(5)
})

test('chat refuses requests that refer to stored content from a token without the scope read', async () => {
  const { userId, ids } = await newOwner()
  const { prisma } = mira.context.database
  await prisma.chatMessage.updateMany({ where: { session: { userId } }, data: { content: MARKER } })
  await prisma.project.updateMany({ where: { userId }, data: { instructions: MARKER } })
  await prisma.persona.updateMany({ where: { userId }, data: { instructions: MARKER } })
  const { token } = await newToken(userId, ['chat', 'agents', 'upload', 'write'])
  const messages: Record<string, unknown>[] = [
    { session_id: ids.chatSession },
    { project_id: ids.project },
    { persona_id: ids.persona },
    { mentions: [{ kind: 'project', id: ids.project }] },
    { mentions: [{ kind: 'tag', name: 'sweets' }] },
    { media_ids: [ids.mediaItem] },
  ]
  const calls: [string, object][] = [
    ...messages.map((references): [string, object] => ['/api/chat/message', { content: 'Hello', ...references }]),
    ['/v1/chat/completions', { model: 'mira', messages: HELLO, metadata: { session_id: ids.chatSession } }],
    ['/v1/responses', { model: 'mira', input: 'Hello', previous_response_id: `resp_${ids.question}` }],
    [`/api/chat/sessions/${ids.chatSession}/regenerate`, { message_id: ids.answer }],
  ]
  model.reset()
  for (const [path, body] of calls) {
    const { status, text } = await call('POST', path, { token, body })
    expect([path, body, status, text.includes('lacks the scope “read”')]).toEqual([path, body, 403, true])
  }
  expect(JSON.stringify(model.chats())).not.toContain(MARKER)
})

test('a token with only the scope chat can continue its own conversation until another token writes to it', async () => {
  const { userId } = await newOwner()
  const writer = await newToken(userId, ['chat'])
  const other = await newToken(userId, ['chat'])
  const reader = await newToken(userId, ['chat', 'read'])
  const send = async ({ token }: { token: string }, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${address}/api/chat/message`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }
  const firstResponse = await send(writer, { content: 'The first of us is called Ferdinand.' })
  const [, sessionId] = /"session_id": ?"([^"]+)"/.exec(firstResponse.text) ?? []
  const next = { content: 'And the second?', session_id: sessionId }

  model.reset()
  expect((await send(writer, next)).status).toBe(200)
  expect(JSON.stringify(model.chats()[0]?.body)).toContain('Ferdinand')
  expect((await send(other, next)).status).toBe(403)

  expect((await send(reader, next)).status).toBe(200)
  expect((await send(writer, next)).status).toBe(403)
})

test('keeping a message’s image needs the scope upload, and returns no item without the scope read', async () => {
  const { userId, ids } = await newOwner()
  const keep = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    return call('POST', `/api/chat/messages/${ids.question}/images/0/keep`, { token })
  }
  expect(await keep(['chat'])).toMatchObject({ status: 403, text: expect.stringContaining('“upload”') })
  expect(await keep(['chat', 'upload'])).toEqual({ status: 204, text: '' })
  const { status, text } = await keep(['chat', 'upload', 'read'])
  expect([status, JSON.parse(text)]).toMatchObject([200, { media_type: 'image' }])
})

test('a token with only the scope upload sees nothing of an item when it uploads the same content again', async () => {
  const { userId } = await newOwner()
  const { token } = await newToken(userId, ['upload'])
  const note = { title: 'Tides', text: 'High water at noon.' }
  const first = await call('POST', '/api/notes', { token, body: note })
  const { id } = JSON.parse(first.text)
  const data = { caption: MARKER, extractedText: MARKER, originalFilename: `${MARKER}.md`, tags: [MARKER] }
  await mira.context.database.prisma.mediaItem.update({ where: { id }, data })
  const again = await call('POST', '/api/notes', { token, body: note })
  expect([again.status, JSON.parse(again.text).id]).toEqual([200, id])
  expect(again.text).not.toContain(MARKER)
  const reader = await newToken(userId, ['upload', 'read'])
  expect((await call('POST', '/api/notes', { token: reader.token, body: note })).text).toContain(MARKER)
})

test('an administrator’s token needs the scope admin to read another user’s analytics', async () => {
  const { userId } = await newOwner()
  const otherOwner = await newOwner()
  const analytics = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    return (await call('GET', `/api/analytics?user_id=${otherOwner.userId}`, { token })).status
  }
  expect([await analytics(['read']), await analytics(['read', 'admin'])]).toEqual([404, 200])
})

test('only access.ts checks whether a caller is an administrator, so that a token’s scopes always count', async () => {
  const root = new URL('.', import.meta.url)
  const files = (await readdir(root, { recursive: true })).filter(
    (name) => /\.routes\.ts$|platform\/http\/[^/]*\.ts$|gateways\/.*\.ts$/.test(name) && !name.endsWith('.test.ts'),
  )
  expect(files.length).toBeGreaterThan(50)
  const filesWithCheck = []
  for (const name of files) {
    if (/role [!=]==? 'admin'/.test(await readFile(new URL(name, root), 'utf8'))) filesWithCheck.push(name)
  }
  expect(filesWithCheck).toEqual(['platform/http/access.ts'])
})

test('the model gets the files tool only for a token with the scope read', async () => {
  const { userId } = await newOwner()
  const hasFilesTool = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    model.reset()
    await call('POST', '/v1/chat/completions', {
      token,
      body: { model: 'mira', messages: [{ role: 'user', content: 'Which files do I have about the lagoon?' }] },
    })
    return /"name":"files"/.test(JSON.stringify(model.chats().map(({ body }) => body.tools)))
  }
  expect([await hasFilesTool(['chat', 'agents']), await hasFilesTool(['chat', 'agents', 'read'])]).toEqual([
    false,
    true,
  ])
})

test('no token can create anything that outlives it', async () => {
  const { userId, ids } = await newOwner()
  const { token } = await newToken(userId, tokenScopes)
  const requests: [string, unknown][] = [
    ['/api/me/hooks', { url: 'https://example.org/hook' }],
    ['/api/push/subscriptions', { endpoint: 'https://example.org/push', keys: { p256dh: 'x', auth: 'y' } }],
    ['/api/me/mcp-servers', { name: 'Mine', url: 'https://example.org/mcp' }],
    ['/api/shares', { kind: 'conversation', id: ids.chatSession }],
    ['/api/auth/tokens', { name: 'Another' }],
  ]
  for (const [path, body] of requests) {
    const { status, text } = await call('POST', path, { token, body })
    expect([path, status, JSON.parse(text).code]).toEqual([path, 403, 'token_not_allowed'])
  }
})

test('chat for a token with only the scope chat uses no memory, facts or agents', async () => {
  const { userId, ids } = await newOwner()
  const { database } = mira.context
  await database.prisma.moment.update({ where: { id: ids.moment }, data: { body: 'The safe opens with 4711.' } })
  await database.prisma.fact.update({ where: { id: ids.fact }, data: { text: 'The safe stands in the cellar.' } })
  const { token } = await newToken(userId, ['chat'])
  const messages = [{ role: 'user', content: 'Remind me tomorrow at 9 of the safe. What does it open with?' }]
  const calls = [
    ['/v1/chat/completions', { model: 'mira', messages }],
    ['/v1/responses', { model: 'mira', input: messages[0]?.content }],
    ['/api/chat/message', { content: messages[0]?.content }],
  ] as const
  for (const [path, body] of calls) {
    model.reset()
    model.next({ calls: [{ name: 'reminder', arguments: { input: 'Remind me tomorrow at 9 of the safe' } }] })
    await fetch(address + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.text())
    const sentJson = JSON.stringify(
      model.chats().map(({ body: sent }) => ({ messages: sent.messages, tools: sent.tools })),
    )
    expect([path, model.chats().length > 0]).toEqual([path, true])
    expect(sentJson).not.toMatch(/4711|cellar/)
    expect(sentJson).not.toMatch(/"name":"(search_memory|reminder|weather|news|files|remember\w*)"/)
  }
  expect(await database.prisma.reminder.count({ where: { userId } })).toBe(1)
  // With the scope read, the same question includes the fact.
  model.reset()
  const reader = await newToken(userId, ['chat', 'read'])
  await call('POST', '/v1/chat/completions', { token: reader.token, body: { model: 'mira', messages } })
  expect(JSON.stringify(model.chats()[0]?.body)).toContain('cellar')
})
