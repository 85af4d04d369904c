import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { agentNames, scopeOf, type TokenScope, tokenScopes } from '@mira/shared'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Foreign } from '../test/access-table/access-line.ts'
import { accessTable } from '../test/access-table.ts'
import { insertEverythingOf } from '../test/everything-of.ts'
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

/** Stored content that only a token with the scope `read` is answered with. */
const MARKER = 'zanzibarine'

interface Owner {
  userId: string
  ids: Foreign
}

async function newOwner(): Promise<Owner> {
  const { database } = mira.context
  const flags = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }
  const { id: userId } = await insertUser(database, { role: 'admin', ...flags })
  return { userId, ids: await insertEverythingOf(database, userId) }
}

async function newToken(userId: string, scopes: readonly TokenScope[]) {
  const secret = randomBytes(32).toString('base64url')
  const secretHash = createHash('sha256').update(secret).digest('hex')
  const row = { userId, name: 'a script', scopes: [...scopes], secretHash }
  const { id } = await mira.context.database.prisma.apiToken.create({ data: row })
  return { id, token: `mira_${id}_${secret}` }
}

/** Calls a path with a token, or with nothing but what the path holds. */
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

/** The paths of every route with the owner's own ids, and a body where one is needed to be given something. */
function callsOf(ids: Foreign): { method: string; path: string; body?: unknown }[] {
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
    const id = idOf.find(([of]) => of.test(pattern))?.[1] ?? randomUUID()
    const path = pattern.replace(':name', 'FileAgent').replace(':n', '0').replace(/:\w+/g, id)
    return [{ method, path, ...(method === 'GET' ? {} : { body: bodies[route] ?? {} }) }]
  })
}

/** The signed paths in all that a token is given, and whether each opens without it. */
async function signedPathsFor({ userId, ids }: Owner, scopes: readonly TokenScope[]) {
  const { id, token } = await newToken(userId, scopes)
  const paths = new Set<string>()
  for (const { method, path, body } of callsOf(ids)) {
    const { text } = await call(method, path, { token, body })
    for (const [url] of text.matchAll(/\/api\/[^"\s]+[?&]signature=[^"\s]+/g)) paths.add(url)
  }
  const opens = async () => {
    const statuses = await Promise.all([...paths].map(async (path) => (await call('GET', path)).status))
    return statuses.filter((status) => status !== 401 && status !== 403).length
  }
  return { id, count: paths.size, opens }
}

test.each(tokenScopes)(
  'a signed address that a token of the scope %s is given opens no more than the token',
  async (scope) => {
    const owner = await newOwner()
    const { count, opens } = await signedPathsFor(owner, [scope])
    expect(await opens()).toBe(scope === scopeOf({ access: 'upload', method: 'GET' }) ? count : 0)
  },
)

test('signed addresses that a token was given end with it', async () => {
  const owner = await newOwner()
  const { id, count, opens } = await signedPathsFor(owner, tokenScopes)
  expect(count).toBeGreaterThan(3)
  expect(await opens()).toBe(count)
  await mira.context.database.prisma.apiToken.delete({ where: { id } })
  expect(await opens()).toBe(0)
})

test.each(tokenScopes.filter((scope) => scope !== 'read'))(
  'a token of the scope %s alone is answered with nothing that was stored before',
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

/** Sentences that make agents tell what is stored, if they may. */
const questionsAboutStored = [
  'find my files about the lagoon',
  'my newest files',
  'how many files do I have about the lagoon',
  'list my reminders',
  'snooze the reminder about the lagoon for 10 minutes',
  'complete the reminder about the lagoon',
  'delete the reminder about the moon',
]

test('agents tell nothing that is stored to a token of the scope agents, even with all others but read', async () => {
  const { userId, ids } = await newOwner()
  const { prisma } = mira.context.database
  const stored = `The lagoon of ${MARKER}`
  const names = { originalFilename: `lagoon-${MARKER}.txt`, caption: stored, extractedText: stored }
  await prisma.mediaItem.update({ where: { id: ids.mediaItem }, data: names })
  await prisma.moment.updateMany({ where: { userId }, data: { body: stored } })
  await prisma.reminder.updateMany({ where: { userId }, data: { text: stored } })
  const answersFor = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    const answers = []
    for (const input of questionsAboutStored) {
      for (const path of ['ask', ...agentNames.map((name) => `${name}/run`)]) {
        const { status, text } = await call('POST', `/api/agents/${path}`, { token, body: { input } })
        answers.push({ told: text.includes(MARKER), answer: `${status} ${path} “${input}”` })
      }
    }
    return answers.filter(({ told }) => told).map(({ answer }) => answer)
  }
  expect(await answersFor(tokenScopes.filter((scope) => scope !== 'read'))).toEqual([])
  expect((await answersFor(['agents', 'read'])).length).toBeGreaterThan(5)
})

test('a token that may only chat makes no answer of what is stored', async () => {
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
    ...messages.map((named): [string, object] => ['/api/chat/message', { content: 'Hello', ...named }]),
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

test('a token that may only chat continues what it alone has written, until anyone else writes there', async () => {
  const { userId } = await newOwner()
  const writer = await newToken(userId, ['chat'])
  const other = await newToken(userId, ['chat'])
  const reader = await newToken(userId, ['chat', 'read'])
  const send = async ({ token }: { token: string }, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${address}/api/chat/message`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  }
  const begun = await send(writer, { content: 'The first of us is called Ferdinand.' })
  const [, sessionId] = /"session_id": ?"([^"]+)"/.exec(begun.text) ?? []
  const next = { content: 'And the second?', session_id: sessionId }

  model.reset()
  expect((await send(writer, next)).status).toBe(200)
  expect(JSON.stringify(model.chats()[0]?.body)).toContain('Ferdinand')
  expect((await send(other, next)).status).toBe(403)

  expect((await send(reader, next)).status).toBe(200)
  expect((await send(writer, next)).status).toBe(403)
})

test('a picture of a message is kept only by a token that may upload, and told only to one that may read', async () => {
  const { userId, ids } = await newOwner()
  const keep = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    return call('POST', `/api/chat/messages/${ids.question}/images/0/keep`, { token })
  }
  expect(await keep(['chat'])).toMatchObject({ status: 403, text: expect.stringContaining('“upload”') })
  expect((await keep(['chat', 'upload'])).text).not.toContain('media_type')
})

test('a token that may only upload is told nothing of an item whose bytes it sends again', async () => {
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

test('an administrator’s token without the scope admin sees no more than anybody’s', async () => {
  const { userId } = await newOwner()
  const somebody = await newOwner()
  const analytics = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    return (await call('GET', `/api/analytics?user_id=${somebody.userId}`, { token })).status
  }
  expect([await analytics(['read']), await analytics(['read', 'admin'])]).toEqual([404, 200])
})

test('no route asks for the role of a caller without the scopes of their token', async () => {
  const root = new URL('.', import.meta.url)
  const files = (await readdir(root, { recursive: true })).filter(
    (name) => /\.routes\.ts$|platform\/http\/[^/]*\.ts$|gateways\/.*\.ts$/.test(name) && !name.endsWith('.test.ts'),
  )
  expect(files.length).toBeGreaterThan(50)
  const asking = []
  for (const name of files) {
    if (/role [!=]==? 'admin'/.test(await readFile(new URL(name, root), 'utf8'))) asking.push(name)
  }
  expect(asking).toEqual(['platform/http/access.ts'])
})

test('a model is offered the files of a person only by a token that may read', async () => {
  const { userId } = await newOwner()
  const offered = async (scopes: readonly TokenScope[]) => {
    const { token } = await newToken(userId, scopes)
    model.reset()
    await call('POST', '/v1/chat/completions', {
      token,
      body: { model: 'mira', messages: [{ role: 'user', content: 'Which files do I have about the lagoon?' }] },
    })
    return /"name":"files"/.test(JSON.stringify(model.chats().map(({ body }) => body.tools)))
  }
  expect([await offered(['chat', 'agents']), await offered(['chat', 'agents', 'read'])]).toEqual([false, true])
})

test('what outlives a token is made by no token', async () => {
  const { userId, ids } = await newOwner()
  const { token } = await newToken(userId, tokenScopes)
  const lasting: [string, unknown][] = [
    ['/api/me/hooks', { url: 'https://example.org/hook' }],
    ['/api/push/subscriptions', { endpoint: 'https://example.org/push', keys: { p256dh: 'x', auth: 'y' } }],
    ['/api/me/mcp-servers', { name: 'Mine', url: 'https://example.org/mcp' }],
    ['/api/shares', { kind: 'conversation', id: ids.chatSession }],
    ['/api/auth/tokens', { name: 'Another' }],
  ]
  for (const [path, body] of lasting) {
    const { status, text } = await call('POST', path, { token, body })
    expect([path, status, JSON.parse(text).code]).toEqual([path, 403, 'token_not_allowed'])
  }
})

test('a token that may only chat is answered without memory, facts, agents and other conversations', async () => {
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
    }).then((answer) => answer.text())
    const sentJson = JSON.stringify(model.chats().map(({ body: { messages: told, tools } }) => ({ told, tools })))
    expect([path, model.chats().length > 0]).toEqual([path, true])
    expect(sentJson).not.toMatch(/4711|cellar/)
    expect(sentJson).not.toMatch(/"name":"(search_memory|reminder|weather|news|files|remember\w*)"/)
  }
  expect(await database.prisma.reminder.count({ where: { userId } })).toBe(1)
  // the same question by a token that may read: the memory is looked up
  model.reset()
  const reader = await newToken(userId, ['chat', 'read'])
  await call('POST', '/v1/chat/completions', { token: reader.token, body: { model: 'mira', messages } })
  expect(JSON.stringify(model.chats()[0]?.body)).toContain('cellar')
})
