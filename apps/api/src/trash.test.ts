import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBinary } from '../test/binary.ts'
import { type ChatClient, createChatClient, idsOf, listen } from '../test/chat-client.ts'
import { insertAgentRun, insertMediaItem, insertMoment, type MomentTraits } from '../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../test/openai-server.ts'
import { plainImage } from '../test/pictures.ts'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../test/test-app.ts'
import { unzip } from '../test/unzip.ts'

/** Word in all trashed data that no query contains. */
const CANARY = 'quellfass'

let model: OpenAiServer
let server: TestApp
let url: string
let ana: TestAccount
let chat: ChatClient
/** Ids of the trashed items and conversation. */
const trashed = { photo: '', video: '', lease: '', session: '' }
let shareToken: string
let project: string
let picture: Buffer
let thumbnail: string

const bearer = { type: 'bearer' } as const
const signal = new AbortController().signal
const items = () => [trashed.photo, trashed.video, trashed.lease]
const get = (path: string, who = ana) => server.request.get(`/api${path}`).auth(who.token, bearer)
const post = (path: string, body: object, who = ana) =>
  server.request.post(`/api${path}`).auth(who.token, bearer).send(body)
const leaks = (text: string) =>
  text.toLowerCase().includes(CANARY) || Object.values(trashed).some((id) => text.includes(id))

async function storeItem(traits: Parameters<typeof insertMediaItem>[2], moments: MomentTraits[]) {
  const { database, embedding } = server.context
  const item = await insertMediaItem(database, ana.user.id, { processingStatus: 'completed', ...traits })
  await insertMoment(database, item, { kind: 'name', body: item.originalFilename })
  for (const [position, moment] of moments.entries()) await insertMoment(database, item, { position, ...moment })
  await embedding.embedItem(item, signal)
  return item.id
}

beforeAll(async () => {
  model = await startOpenAiServer()
  model.embeddings = { dimensions: 1024 }
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model', EMBEDDING_MODEL: 'test-embedding' },
    memoryTimeoutMs: 10_000,
    isStarted: true,
    searchLimits: { queryTimeoutMs: 10_000, pauseMs: 50 },
  })
  url = await listen(server.app)
  ana = await server.createUser({ can_upload: true, can_use_agents: true, can_use_voice: true })
  chat = createChatClient(url, ana.token)
  picture = await plainImage({ colour: '#cc3311' })
  const uploaded = await server.request
    .post('/api/media/upload')
    .auth(ana.token, bearer)
    .field({ wait: '30' })
    .attach('file', picture, `${CANARY}-piano.jpg`)
  trashed.photo = uploaded.body.id
  thumbnail = uploaded.body.thumbnail
  trashed.video = await storeItem(
    { mediaType: 'video', originalFilename: 'harbour-walk.mp4', tags: ['sweets', CANARY] },
    [
      { kind: 'speech', body: `The marzipan pig is hidden, ${CANARY}`, startSeconds: 12, endSeconds: 15 },
      { kind: 'caption', body: `A puppy by the ocean, ${CANARY}`, frameNumber: 1, startSeconds: 3 },
    ],
  )
  trashed.lease = await storeItem({ mediaType: 'document', originalFilename: 'lease.pdf', caption: CANARY }, [
    { kind: 'text', body: `The notice period is three months, ${CANARY}.`, page: 2 },
  ])
  await storeItem({ originalFilename: 'cat.jpg' }, [{ kind: 'caption', body: 'A cat on a wall' }])
  const reply = await chat.send({ content: `My marzipan recipe is called ${CANARY}` })
  await reply.ended
  trashed.session = idsOf(reply).sessionId
  const { database } = server.context
  const run = await insertAgentRun(database, ana.user.id, CANARY)
  await database.prisma.agentRun.update({ where: { id: run.id }, data: { sessionId: trashed.session } })
  // A link is listed by the name that the conversation had then, which is the message until the model has named it.
  const rename = (session_name: string) =>
    server.request.patch(`/api/chat/sessions/${trashed.session}`).auth(ana.token, bearer).send({ session_name })
  await rename('A recipe').expect(200)
  shareToken = (await post('/shares', { kind: 'conversation', id: trashed.session }).expect(201)).body.token
  project = (await post('/projects', { name: 'House', media_ids: [trashed.lease] }).expect(201)).body.id
  await server.request
    .patch(`/api/chat/sessions/${trashed.session}`)
    .auth(ana.token, bearer)
    .send({ project_id: project })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

/** Deletes the other conversations, since their answers store what they cited. */
async function deleteOthers(): Promise<void> {
  const { body } = await get('/chat/sessions?limit=200')
  const others = body.map(({ id }: { id: string }) => id).filter((id: string) => id !== trashed.session)
  await post('/chat/sessions/delete', { ids: others }).expect(200)
}

/** True when no due job is left. */
async function isIdle(): Promise<boolean> {
  const { rowCount } = await server.context.database.pool.query(
    `SELECT FROM pgboss.job WHERE state < 'completed' AND start_after <= now() LIMIT 1`,
  )
  return rowCount === 0
}

/** All rows of items and conversations, and the counts and figures of them. */
async function readAllRows(): Promise<Record<string, string[]>> {
  const tables = [
    ...['media_items', 'media_parts', 'media_copies', 'media_steps', 'moments', 'moment_embeddings', 'part_embeddings'],
    ...['chat_sessions', 'chat_messages', 'chat_session_figures', 'chat_person_figures', 'person_counts', 'shares'],
    ...['agent_runs', 'project_items'],
  ]
  const rows = tables.map(async (table) => {
    const result = await server.context.database.pool.query(
      `SELECT to_jsonb(t)::text AS row FROM ${table} t ORDER BY 1`,
    )
    return [table, result.rows.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}

const searches = [
  '/media/search?query=marzipan%20pig',
  '/media/search?query=marzippan',
  '/media/search?query=%22notice%20period%22',
  '/media/search?query=dog%20at%20the%20sea',
  '/media/search?query=tag:sweets',
  '/media/search?query=type:document%20notice',
  '/media/search?query=harbour-walk.mp4',
  '/media/library?query=marzipan',
  '/media/library?tag=sweets',
  '/chat/sessions?query=marzipan',
  '/chat/sessions?archived=any',
]
const queries = ['What is the notice period?', 'marzipan pig', 'lease.pdf', 'A dog at the sea?']

const runPaths = ['/agents/CalculatorAgent/runs', '/agents/FileAgent/runs']

/** Routes, tools and answers that contain trashed data, among all that a user, an administrator and a program can read. */
async function findLeaks(): Promise<string[]> {
  const pathsWithoutId = server.app.declaredRoutes
    .filter(({ method, url: path }) => method === 'GET' && path.startsWith('/api/') && !/[:*]/.test(path))
    .map(({ url: path }) => path.slice('/api'.length))
    .filter((path) => !['/events', '/auth/logout', '/me/export'].includes(path))
  const { admin } = server
  const leakingPaths: string[] = []
  for (const path of [...pathsWithoutId, ...searches, `/projects/${project}`, ...runPaths]) {
    for (const who of [ana, admin]) {
      const { text, body } = await get(path, who)
      if (leaks(text ?? String(body))) leakingPaths.push(path)
    }
  }
  const program = await post('/auth/tokens', { name: 'program', scopes: ['read', 'chat', 'agents'] })
  const mcp = new Client({ name: 'test', version: '1' })
  await mcp.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: `Bearer ${program.body.token}` } },
    }),
  )
  const calls = [
    ...queries.map((query) => ({ name: 'search_memory', arguments: { query } })),
    { name: 'list_items', arguments: {} },
    ...items().map((id) => ({ name: 'get_item', arguments: { id } })),
    { name: 'ask', arguments: { question: 'What is the notice period?' } },
  ]
  for (const call of calls) {
    const answer = JSON.stringify(await mcp.callTool(call).catch(String))
    if (answer.toLowerCase().includes(CANARY)) leakingPaths.push(`MCP ${call.name}`)
  }
  await mcp.close()
  for (const content of queries) {
    model.reset()
    model.embeddings = { dimensions: 1024 }
    const stream = await chat.send({ content })
    await stream.ended
    await server.request
      .post('/v1/chat/completions')
      .auth(program.body.token, bearer)
      .send({ model: 'mira', messages: [{ role: 'user', content }] })
    await post('/agents/FileAgent/run', { input: content })
    await post('/agents/FileAgent/run', { input: `find my files about ${content}` })
    const answers = JSON.stringify([stream.received, model.chats()])
    if (leaks(answers)) leakingPaths.push(`chat ${content}`)
  }
  const exported = await get('/me/export').buffer(true).parse(readBinary)
  for (const [name, content] of await unzip(exported.body)) {
    if (`${name} ${content.toString('latin1')}`.toLowerCase().includes(CANARY)) leakingPaths.push(`export ${name}`)
  }
  return leakingPaths
}

describe('trashed items and conversations', () => {
  test('appear nowhere else, and are restored unchanged', async () => {
    expect((await findLeaks()).length).toBeGreaterThan(20)
    await deleteOthers()
    const before = await readAllRows()
    expect((await post('/media/trash', { ids: items() }).expect(200)).body).toEqual({ changed: 3 })
    expect((await post('/chat/sessions/trash', { ids: [trashed.session] }).expect(200)).body).toEqual({ changed: 1 })

    expect(await findLeaks()).toEqual([])
    for (const id of items()) {
      for (const part of ['', '/file', '/preview', '/frames/1', '/pages/1'])
        await get(`/media/${id}${part}`).expect(404)
      await post(`/media/${id}/reprocess`, {}).expect(404)
    }
    for (const part of ['', '/export', '/stream']) await get(`/chat/sessions/${trashed.session}${part}`).expect(404)
    await server.request.get(`/api/public/shares/${shareToken}`).expect(404)
    expect((await chat.send({ content: 'Go on', session_id: trashed.session })).status).toBe(404)
    expect((await chat.send({ content: 'Look', media_ids: [trashed.lease] })).status).toBe(404)

    await post('/media/restore', { ids: items() }).expect(200, { changed: 3 })
    await post('/chat/sessions/restore', { ids: [trashed.session] }).expect(200, { changed: 1 })
    // As if the trash had been emptied by ids listed before the restore.
    await post('/media/delete', { ids: items(), in: 'trash' }).expect(200, { deleted: 0 })
    await post('/chat/sessions/delete', { ids: [trashed.session], in: 'trash' }).expect(200, { deleted: 0 })
    await deleteOthers()
    const after = await readAllRows()
    for (const [table, rows] of Object.entries(before))
      expect([table, after[table]]).toEqual([table, expect.arrayContaining(rows)])
    await server.request.get(`/api/public/shares/${shareToken}`).expect(200)
    expect(await findLeaks()).toEqual(
      expect.arrayContaining([...searches.slice(0, 9), '/media/tags', 'MCP search_memory']),
    )
  })

  test('are listed only for their owner, with the time left', async () => {
    await post('/media/trash', { ids: items() }).expect(200)
    await post('/chat/sessions/trash', { ids: [trashed.session] }).expect(200)
    const { body } = await get('/media/library?in=trash').expect(200)
    expect(body).toMatchObject({ total: 3, next_cursor: null })
    const [{ trash }] = body.media_items
    expect(new Date(trash.until).getTime() - new Date(trash.since).getTime()).toBe(30 * 24 * 3600 * 1000)
    expect((await get('/media/library?in=trash&query=piano')).body.media_items).toHaveLength(1)
    expect((await get('/media/library?in=library')).body.total).toBe(1)
    const sessions = await get('/chat/sessions?in=trash').expect(200)
    expect(sessions.body).toMatchObject([
      { id: trashed.session, message_count: 2, trash: { since: expect.any(String) } },
    ])
    expect((await get('/chat/sessions?in=trash&query=nothing')).body).toEqual([])

    const ben = await server.createUser({ can_upload: true })
    expect((await get('/media/library?in=trash', ben)).body.total).toBe(0)
    expect((await get('/chat/sessions?in=trash', ben)).body).toEqual([])
    for (const path of ['/media/trash', '/media/restore', '/media/delete'])
      await post(path, { ids: items() }, ben).expect(200)
    for (const path of ['trash', 'restore', 'delete'])
      await post(`/chat/sessions/${path}`, { ids: [trashed.session] }, ben)
    expect((await get('/media/library?in=trash')).body.total).toBe(3)
    expect((await get('/chat/sessions?in=trash')).body).toHaveLength(1)
    // The list of the trash shows thumbnails by signed URLs.
    await server.request.get(thumbnail).expect(200)
    await get(`/media/${trashed.photo}/thumbnail`, ben).expect(404)
  })

  test('count toward the storage, and are restored when their file is uploaded again', async () => {
    const used = async () => (await get('/me/storage')).body.used_bytes
    const before = await used()
    expect(before).toBeGreaterThan(picture.length)
    const again = await server.request
      .post('/api/media/upload')
      .auth(ana.token, bearer)
      .attach('file', picture, 'another-name.jpg')
      .expect(200)
    expect(again.body).toMatchObject({ id: trashed.photo, processing_status: 'completed' })
    expect(again.body.trash).toBeUndefined()
    expect(await used()).toBe(before)
    expect((await get('/media/library?in=trash')).body.total).toBe(2)
  })

  test('are not processed until they are restored', async () => {
    const { database } = server.context
    const colour = await plainImage({ colour: '#00ff88' })
    const { body } = await server.request
      .post('/api/media/upload')
      .auth(ana.token, bearer)
      .field({ wait: '0' })
      .attach('file', colour, 'late.jpg')
    await post('/media/trash', { ids: [body.id] }).expect(200, { changed: 1 })
    const stored = () => database.prisma.mediaItem.findUniqueOrThrow({ where: { id: body.id } })
    await database.pool.query(`UPDATE media_items SET processing_status = 'pending' WHERE id = $1`, [body.id])
    await server.context.queue.enqueue('process-media', { media_id: body.id })
    await expect.poll(isIdle, { timeout: 20_000 }).toBe(true)
    expect((await stored()).processingStatus).toBe('pending')
    await post('/media/restore', { ids: [body.id] }).expect(200, { changed: 1 })
    await expect.poll(async () => (await stored()).processingStatus, { timeout: 20_000 }).toBe('completed')
    await server.request.delete(`/api/media/${body.id}`).auth(ana.token, bearer).expect(204)
  })

  test('are deleted permanently on request, or when their days are over', async () => {
    const { database } = server.context
    await server.request.delete(`/api/media/${trashed.lease}`).auth(ana.token, bearer).expect(204)
    await server.request.delete(`/api/media/${trashed.lease}`).auth(ana.token, bearer).expect(404)
    expect(await database.prisma.mediaItem.count({ where: { id: trashed.lease } })).toBe(0)
    expect(await database.prisma.moment.count({ where: { mediaItemId: trashed.lease } })).toBe(0)

    const cleanUp = async () => {
      await server.context.queue.enqueue('clean-up', {})
      await expect.poll(isIdle, { timeout: 20_000 }).toBe(true)
    }
    await database.pool.query(
      `UPDATE media_items SET trashed_at = now() - interval '29 days' WHERE trashed_at IS NOT NULL`,
    )
    await database.pool.query(
      `UPDATE chat_sessions SET trashed_at = now() - interval '31 days' WHERE trashed_at IS NOT NULL`,
    )
    await cleanUp()
    expect((await get('/media/library?in=trash')).body.total).toBe(1)
    expect((await get('/chat/sessions?in=trash')).body).toEqual([])
    await database.pool.query(
      `UPDATE media_items SET trashed_at = now() - interval '31 days' WHERE trashed_at IS NOT NULL`,
    )
    await cleanUp()
    expect(await database.prisma.mediaItem.count({ where: { id: trashed.video } })).toBe(0)
  })

  test('are deleted with all data of the user; with 0 days nothing can be trashed', async () => {
    await post('/media/trash', { ids: [trashed.photo] }).expect(200, { changed: 1 })
    const receipt = await server.request
      .delete('/api/me/data')
      .auth(ana.token, bearer)
      .send({ password: TEST_PASSWORD })
      .expect(200)
    expect(receipt.body.deleted).toMatchObject({ media_items: 2 })
    expect(await server.context.database.prisma.mediaItem.count({ where: { trashedFrom: ana.user.id } })).toBe(0)

    const { admin } = server
    const { body } = await get('/admin/settings', admin)
    const { settings } = body
    settings.retention.trash_days = 0
    await server.request.put('/api/admin/settings').auth(admin.token, bearer).send(settings).expect(200)
    expect((await get('/config')).body.trash).toEqual({ days: 0, account_days: 7 })
    await post('/media/trash', { ids: [trashed.photo] }).expect(409)
    await post('/chat/sessions/trash', { ids: [trashed.session] }).expect(409)
  })
})
