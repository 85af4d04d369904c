import { setTimeout as sleep } from 'node:timers/promises'
import type { UserEvent } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../test/chat-client.ts'
import { insertMediaItem, insertMoment, type MomentTraits } from '../test/factories.ts'
import { lastMessage, type OpenAiServer, startOpenAiServer } from '../test/openai-server.ts'
import { plainImage } from '../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../test/test-app.ts'
import type { ImageEmbedder } from './engines/engine-types.ts'
import { buildMemory } from './modules/search/index.ts'

/** Word in all of Ana's data that no query contains: a response that contains it leaks her data. */
const CANARY = 'quellfass'

let model: OpenAiServer
let server: TestApp
let ana: TestAccount
let ben: TestAccount
let chats: Record<'ana' | 'ben', ChatClient>
/** Ids of Ana's data. */
const idsOfAna = { photo: '', video: '', lease: '', session: '', answer: '' }
let benPhoto: string

const bearer = { type: 'bearer' } as const
const signal = new AbortController().signal

async function storeItem(owner: TestAccount, traits: Parameters<typeof insertMediaItem>[2], moments: MomentTraits[]) {
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
    .attach('file', await plainImage({ colour }), name)
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
  idsOfAna.photo = await upload(ana, `${CANARY}-piano.jpg`, '#cc3311')
  benPhoto = await upload(ben, 'mine.jpg', '#1133cc')
  idsOfAna.video = await storeItem(
    ana,
    { mediaType: 'video', originalFilename: 'harbour-walk.mp4', tags: ['sweets', CANARY] },
    [
      { kind: 'speech', body: `The marzipan pig is hidden, ${CANARY}`, startSeconds: 12, endSeconds: 15 },
      { kind: 'caption', body: `A puppy by the ocean, ${CANARY}`, frameNumber: 1, startSeconds: 3 },
    ],
  )
  idsOfAna.lease = await storeItem(ana, { mediaType: 'document', originalFilename: 'lease.pdf', caption: CANARY }, [
    { kind: 'text', body: `The notice period is three months, ${CANARY}.`, page: 2 },
  ])
  await storeItem(ben, { originalFilename: 'cat.jpg' }, [{ kind: 'caption', body: 'A cat on a wall' }])
  const reply = await chats.ana.send({ content: `My marzipan recipe is called ${CANARY}` })
  await reply.ended
  Object.assign(idsOfAna, { session: idsOf(reply).sessionId, answer: idsOf(reply).messageId })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const leaks = (text: string) =>
  text.toLowerCase().includes(CANARY) || Object.values(idsOfAna).some((id) => text.includes(id))
const get = async (path: string, who: TestAccount) => {
  const { status, text, body } = await server.request.get(`/api${path}`).auth(who.token, bearer)
  return { status, text: text ?? String(body) }
}

describe('one user’s data is hidden from another', () => {
  test.each([
    ['a search for words', '/media/search?query=marzipan%20pig'],
    ['a search for misspelled words', '/media/search?query=marzippan'],
    ['a search for a phrase', '/media/search?query=%22notice%20period%22'],
    ['a search by meaning', '/media/search?query=dog%20at%20the%20sea'],
    ['a search for a tag', '/media/search?query=tag:sweets'],
    ['a search within a kind', '/media/search?query=type:document%20notice'],
    ['a search for a filename', '/media/search?query=harbour-walk.mp4'],
    ['the library', '/media/library'],
    ['a search in the library', '/media/library?query=marzipan'],
    ['the library filtered by tag', '/media/library?tag=sweets'],
    ['the list of tags', '/media/tags'],
    ['the list of conversations', '/chat/sessions'],
    ['a search in conversations', '/chat/sessions?query=marzipan'],
  ])('in %s', async (_name, path) => {
    const [owner, other] = [await get(path, ana), await get(path, ben)]
    expect([owner.status, leaks(owner.text)]).toEqual([200, true])
    expect([other.status, leaks(other.text)]).toEqual([200, false])
  })

  test('in requests by id, for every kind of data', async () => {
    const itemPaths = ['', '/file', '/thumbnail', '/preview', '/frames/1', '/pages/1']
    const paths = [
      ...[idsOfAna.photo, idsOfAna.video, idsOfAna.lease].flatMap((id) =>
        itemPaths.map((part) => `/media/${id}${part}`),
      ),
      ...['', '/export', '/export?format=json', '/stream'].map((part) => `/chat/sessions/${idsOfAna.session}${part}`),
    ]
    for (const path of paths) expect([path, (await get(path, ben)).status]).toEqual([path, 404])
    for (const path of [
      `/media/${idsOfAna.photo}`,
      `/media/${idsOfAna.photo}/file`,
      `/chat/sessions/${idsOfAna.session}`,
    ]) {
      expect([path, (await get(path, ana)).status]).toEqual([path, 200])
    }
    // A signature is valid only for its own path and user.
    const own = JSON.parse((await get(`/media/${benPhoto}`, ben)).text)
    const signature = new URL(own.url, 'http://x').search
    expect((await server.request.get(own.url)).status).toBe(200)
    expect([401, 403, 404]).toContain(
      (await server.request.get(`/api/media/${idsOfAna.photo}/file${signature}`)).status,
    )
  })

  test('in every route that takes no id', async () => {
    const { declaredRoutes } = server.app as unknown as { declaredRoutes: { method: string; url: string }[] }
    const pathsWithoutId = declaredRoutes
      .filter(({ method, url }) => method === 'GET' && url.startsWith('/api/') && !url.includes(':'))
      .map(({ url }) => url.slice('/api'.length))
      .filter((url) => !['/events', '/auth/logout'].includes(url) && !url.includes('*'))
    expect(pathsWithoutId.length).toBeGreaterThan(15)
    const leakingPaths: string[] = []
    for (const path of pathsWithoutId) if (leaks((await get(path, ben)).text)) leakingPaths.push(path)
    expect(leakingPaths).toEqual([])
  })

  test('in answers of the model, whether the other user asks, attaches an item or continues a branch', async () => {
    for (const content of ['What is the notice period?', 'marzipan pig', 'lease.pdf', 'A dog at the sea?']) {
      for (const [who, isOwner] of [
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
          isOwner,
        ])
        expect([who, leaks(JSON.stringify(stream.received))]).toEqual([who, isOwner])
      }
    }
    const before = await server.context.database.prisma.chatMessage.count()
    const attempts = [
      ...[idsOfAna.photo, idsOfAna.video, idsOfAna.lease].map((id) => ({ media_ids: [id] })),
      { session_id: idsOfAna.session },
      { session_id: idsOfAna.session, parent_id: idsOfAna.answer },
    ]
    for (const more of attempts) expect((await chats.ben.send({ content: 'Tell me', ...more })).status).toBe(404)
    expect(await server.context.database.prisma.chatMessage.count()).toBe(before)
  })

  test('and safe from changes and deletion by the other user', async () => {
    const ids = [idsOfAna.photo, idsOfAna.video, idsOfAna.lease]
    const post = (path: string, body: object) => server.request.post(`/api${path}`).auth(ben.token, bearer).send(body)
    await post('/media/tags', { ids, add: ['mine'] })
    await post('/media/delete', { ids })
    await post('/chat/sessions/delete', { ids: [idsOfAna.session] })
    for (const id of ids) {
      await server.request.patch(`/api/media/${id}`).auth(ben.token, bearer).send({ caption: 'Mine' }).expect(404)
      await server.request.delete(`/api/media/${id}`).auth(ben.token, bearer).expect(404)
    }
    const { text } = await get('/media/library', ana)
    for (const id of ids) expect(text).toContain(id)
    expect(text).not.toContain('mine')
    expect((await get(`/chat/sessions/${idsOfAna.session}`, ana)).status).toBe(200)
  })

  test('in the stream of events, while the data changes', async () => {
    const eventsByUser: Record<string, UserEvent[]> = { [ana.user.id]: [], [ben.user.id]: [] }
    const stop = new AbortController()
    const following = Object.entries(eventsByUser).map(async ([id, events]) => {
      for await (const event of server.context.events.subscribe(id, stop.signal)) events.push(event)
    })
    await sleep(0)
    await server.request
      .patch(`/api/media/${idsOfAna.photo}`)
      .auth(ana.token, bearer)
      .send({ caption: CANARY })
      .expect(200)
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

  test('in a search by visual similarity', async () => {
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
        ...{
          imageEmbedding: () => embedder,
          reasonOff: () => ({ text: 'Off.', sentences: [] }),
          reranking: () => null,
        },
      },
    })
    for (const [index, path] of colours.entries()) {
      const frame = { kind: 'frame', number: index + 10, startSeconds: index, path, sizeBytes: 1, width: 1, height: 1 }
      await database.prisma.mediaPart.create({ data: { mediaItemId: idsOfAna.video, userId: ana.user.id, ...frame } })
    }
    const stored = await database.prisma.mediaItem.findUniqueOrThrow({ where: { id: idsOfAna.video } })
    await embedding.embedItemPictures(stored, async ({ path }) => new TextEncoder().encode(path), signal)
    const search = (userId: string) =>
      memory.search(
        { userId, timeZone: 'UTC', language: 'en', countsInAnalytics: true },
        { query: 'something green', limit: 20, include_frames: true },
      )
    const leakFlags = await Promise.all(
      [ana, ben].map(async ({ user }) => leaks(JSON.stringify(await search(user.id)))),
    )
    expect(leakFlags).toEqual([true, false])
  })
})
