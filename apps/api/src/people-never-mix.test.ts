import { setTimeout as sleep } from 'node:timers/promises'
import type { UserEvent } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../test/chat-client.ts'
import { insertMediaItem, insertMoment, type MomentTraits } from '../test/factories.ts'
import { lastMessage, type OpenAiServer, startOpenAiServer } from '../test/openai-server.ts'
import { plainPicture } from '../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../test/test-app.ts'
import type { ImageEmbedder } from './engines/other-engines.ts'
import { buildMemory } from './modules/search/index.ts'

/** Stands in all that Ana has, and nobody asks for it: who is told it has been told of hers. */
const CANARY = 'quellfass'

let model: OpenAiServer
let server: TestApp
let ana: TestAccount
let ben: TestAccount
let chats: Record<'ana' | 'ben', ChatClient>
/** Ids of what is Ana's. */
const hers = { photo: '', film: '', lease: '', session: '', answer: '' }
let benPhoto: string

const bearer = { type: 'bearer' } as const
const signal = new AbortController().signal

async function keep(owner: TestAccount, traits: Parameters<typeof insertMediaItem>[2], moments: MomentTraits[]) {
  const { database, embedding } = server.context
  const item = await insertMediaItem(database, owner.user.id, traits)
  await insertMoment(database, item, { kind: 'name', body: item.originalFilename })
  for (const [position, moment] of moments.entries()) await insertMoment(database, item, { position, ...moment })
  await embedding.embedItem(item, signal)
  return item.id
}

async function upload(owner: TestAccount, name: string, colour: string): Promise<string> {
  const { body } = await server.request
    .post('/api/media/upload')
    .auth(owner.token, bearer)
    .field({ wait: '0' })
    .attach('file', await plainPicture({ colour }), name)
    .expect(202)
  return body.id
}

beforeAll(async () => {
  model = await startOpenAiServer()
  model.embeddings = { dimensions: 1024 }
  const environment = { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model', EMBEDDING_MODEL: 'test-embedding' }
  const searchLimits = { queryTimeoutMs: 10_000, pauseMs: 50 }
  server = await startTestApp({ environment, memoryTimeoutMs: 10_000, searchLimits })
  const url = await listen(server.app)
  const rights = { can_upload: true, can_use_agents: true, can_use_voice: true }
  ;[ana, ben] = [await server.createUser(rights), await server.createUser(rights)]
  chats = { ana: createChatClient(url, ana.token), ben: createChatClient(url, ben.token) }
  hers.photo = await upload(ana, `${CANARY}-piano.jpg`, '#cc3311')
  benPhoto = await upload(ben, 'mine.jpg', '#1133cc')
  hers.film = await keep(ana, { mediaType: 'video', originalFilename: 'harbour-walk.mp4', tags: ['sweets', CANARY] }, [
    { kind: 'speech', body: `The marzipan pig is hidden, ${CANARY}`, startSeconds: 12, endSeconds: 15 },
    { kind: 'caption', body: `A puppy by the ocean, ${CANARY}`, frameNumber: 1, startSeconds: 3 },
  ])
  hers.lease = await keep(ana, { mediaType: 'document', originalFilename: 'lease.pdf', caption: CANARY }, [
    { kind: 'text', body: `The notice period is three months, ${CANARY}.`, page: 2 },
  ])
  await keep(ben, { originalFilename: 'cat.jpg' }, [{ kind: 'caption', body: 'A cat on a wall' }])
  const reply = await chats.ana.send({ content: `My marzipan recipe is called ${CANARY}` })
  await reply.ended
  Object.assign(hers, { session: idsOf(reply).sessionId, answer: idsOf(reply).messageId })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const leaks = (text: string) =>
  text.toLowerCase().includes(CANARY) || Object.values(hers).some((id) => text.includes(id))
const get = async (path: string, who: TestAccount) => {
  const { status, text, body } = await server.request.get(`/api${path}`).auth(who.token, bearer)
  return { status, text: text ?? String(body) }
}

describe('what one person has is not told to another', () => {
  test.each([
    ['words', '/media/search?query=marzipan%20pig'],
    ['misspelled words', '/media/search?query=marzippan'],
    ['a phrase', '/media/search?query=%22notice%20period%22'],
    ['meaning', '/media/search?query=dog%20at%20the%20sea'],
    ['a tag', '/media/search?query=tag:sweets'],
    ['a kind', '/media/search?query=type:document%20notice'],
    ['a name', '/media/search?query=harbour-walk.mp4'],
    ['the library', '/media/library'],
    ['words in the library', '/media/library?query=marzipan'],
    ['a tag of the library', '/media/library?tag=sweets'],
    ['tags', '/media/tags'],
    ['conversations', '/chat/sessions'],
    ['words in conversations', '/chat/sessions?query=marzipan'],
  ])('who asks for %s', async (_what, path) => {
    const [owner, other] = [await get(path, ana), await get(path, ben)]
    expect([owner.status, leaks(owner.text)]).toEqual([200, true])
    expect([other.status, leaks(other.text)]).toEqual([200, false])
  })

  test('who asks for it by its id, of every kind', async () => {
    const ofItem = ['', '/file', '/thumbnail', '/preview', '/frames/1', '/pages/1']
    const paths = [
      ...[hers.photo, hers.film, hers.lease].flatMap((id) => ofItem.map((part) => `/media/${id}${part}`)),
      ...['', '/export', '/export?format=json', '/stream'].map((part) => `/chat/sessions/${hers.session}${part}`),
    ]
    for (const path of paths) expect([path, (await get(path, ben)).status]).toEqual([path, 404])
    for (const path of [`/media/${hers.photo}`, `/media/${hers.photo}/file`, `/chat/sessions/${hers.session}`]) {
      expect([path, (await get(path, ana)).status]).toEqual([path, 200])
    }
    // a signature opens what it was made for, and for whom
    const own = JSON.parse((await get(`/media/${benPhoto}`, ben)).text)
    const signature = new URL(own.url, 'http://x').search
    expect((await server.request.get(own.url)).status).toBe(200)
    expect([401, 403, 404]).toContain((await server.request.get(`/api/media/${hers.photo}/file${signature}`)).status)
  })

  test('who asks for everything that can be asked without an id', async () => {
    const { declaredRoutes } = server.app as unknown as { declaredRoutes: { method: string; url: string }[] }
    const open = declaredRoutes
      .filter(({ method, url }) => method === 'GET' && url.startsWith('/api/') && !url.includes(':'))
      .map(({ url }) => url.slice('/api'.length))
      .filter((url) => !['/events', '/auth/logout'].includes(url) && !url.includes('*'))
    expect(open.length).toBeGreaterThan(15)
    const leakingPaths: string[] = []
    for (const path of open) if (leaks((await get(path, ben)).text)) leakingPaths.push(path)
    expect(leakingPaths).toEqual([])
  })

  test('a model that answers another, who asks, attaches or goes on in another branch', async () => {
    for (const content of ['What is the notice period?', 'marzipan pig', 'lease.pdf', 'A dog at the sea?']) {
      for (const [who, isHers] of [
        ['ana', true],
        ['ben', false],
      ] as const) {
        model.reset()
        model.embeddings = { dimensions: 1024 }
        const stream = await chats[who].send({ content })
        await stream.ended
        const request = model.chats()[0]!
        expect([who, content, leaks(lastMessage(request) + lastMessage(request, 'system'))]).toEqual([
          who,
          content,
          isHers,
        ])
        expect([who, leaks(JSON.stringify(stream.received))]).toEqual([who, isHers])
      }
    }
    const before = await server.context.database.prisma.chatMessage.count()
    const tries = [
      ...[hers.photo, hers.film, hers.lease].map((id) => ({ media_ids: [id] })),
      { session_id: hers.session },
      { session_id: hers.session, parent_id: hers.answer },
    ]
    for (const more of tries) expect((await chats.ben.send({ content: 'Tell me', ...more })).status).toBe(404)
    expect(await server.context.database.prisma.chatMessage.count()).toBe(before)
  })

  test('who would change or take it', async () => {
    const ids = [hers.photo, hers.film, hers.lease]
    const post = (path: string, body: object) => server.request.post(`/api${path}`).auth(ben.token, bearer).send(body)
    await post('/media/tags', { ids, add: ['mine'] })
    await post('/media/delete', { ids })
    await post('/chat/sessions/delete', { ids: [hers.session] })
    for (const id of ids) {
      await server.request.patch(`/api/media/${id}`).auth(ben.token, bearer).send({ caption: 'Mine' }).expect(404)
      await server.request.delete(`/api/media/${id}`).auth(ben.token, bearer).expect(404)
    }
    const { text } = await get('/media/library', ana)
    for (const id of ids) expect(text).toContain(id)
    expect(text).not.toContain('mine')
    expect((await get(`/chat/sessions/${hers.session}`, ana)).status).toBe(200)
  })

  test('who follows events, while things happen to it', async () => {
    const eventsByUser: Record<string, UserEvent[]> = { [ana.user.id]: [], [ben.user.id]: [] }
    const stop = new AbortController()
    const following = Object.entries(eventsByUser).map(async ([id, events]) => {
      for await (const event of server.context.events.subscribe(id, stop.signal)) events.push(event)
    })
    await sleep(0)
    await server.request.patch(`/api/media/${hers.photo}`).auth(ana.token, bearer).send({ caption: CANARY }).expect(200)
    const stream = await chats.ana.send({ content: `Again, ${CANARY}` })
    await stream.ended
    await expect.poll(() => eventsByUser[ana.user.id]?.length).toBeGreaterThan(1)
    stop.abort()
    await Promise.all(following)
    expect(
      [eventsByUser[ana.user.id], eventsByUser[ben.user.id]].map((events) => leaks(JSON.stringify(events))),
    ).toEqual([true, false])
    expect(JSON.stringify(eventsByUser[ben.user.id])).not.toContain(idsOf(stream).sessionId)
  })

  test('who searches for looks', async () => {
    const { database, log } = server.context
    const colours = ['red', 'green', 'blue']
    const vectorOf = (text: string) => {
      const vector = [...colours.map((colour) => (text.includes(colour) ? 1 : 0)), 0.3]
      return vector.map((one) => one / Math.hypot(...vector))
    }
    const embeddings = (texts: string[]) => ({ vectors: texts.map(vectorOf), model: 'colours', dimensions: 4 })
    const embedder: ImageEmbedder = {
      engine: 'local',
      model: () => 'colours',
      embedPictures: async (pictures) => embeddings(pictures.map((picture) => new TextDecoder().decode(picture))),
      embedTexts: async (texts) => embeddings(texts),
    }
    const enqueueNothing = () => Promise.reject(new Error('This test has no queue.'))
    const { memory, embedding } = buildMemory({
      log,
      database,
      queue: { counts: enqueueNothing, enqueue: enqueueNothing },
      signedPaths: { sign: (_userId, path) => path },
      events: { publish: () => {} },
      ai: {
        ...{ embedding: () => null, formerEmbedder: () => null, formerImageEmbedder: () => null },
        ...{ imageEmbedding: () => embedder, reasonOff: () => ({ text: 'Off.', told: [] }), reranking: () => null },
      },
    })
    for (const [at, path] of colours.entries()) {
      const place = { kind: 'frame', number: at + 10, startSeconds: at, path, sizeBytes: 1, width: 1, height: 1 }
      await database.prisma.mediaPart.create({ data: { mediaItemId: hers.film, userId: ana.user.id, ...place } })
    }
    const stored = await database.prisma.mediaItem.findUniqueOrThrow({ where: { id: hers.film } })
    await embedding.embedItemPictures(stored, async ({ path }) => new TextEncoder().encode(path), signal)
    const search = (userId: string) =>
      memory.search(
        { userId, timeZone: 'UTC', language: 'en', inAnalytics: true },
        { query: 'something green', limit: 20, include_frames: true },
      )
    const leakFlags = await Promise.all(
      [ana, ben].map(async ({ user }) => leaks(JSON.stringify(await search(user.id)))),
    )
    expect(leakFlags).toEqual([true, false])
  })
})
