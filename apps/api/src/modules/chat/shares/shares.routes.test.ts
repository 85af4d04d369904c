import type { PublicShareJson, ShareJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertChatSession, insertMessages } from '../../../../test/factories.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount

beforeAll(async () => {
  mira = await startTestApp()
})

beforeEach(async () => {
  anna = await mira.createUser()
})

afterAll(() => mira.close())

const as = ({ token }: TestAccount) => ({
  get: (path: string) => mira.request.get(`/api${path}`).auth(token, { type: 'bearer' }),
  post: (path: string) => mira.request.post(`/api${path}`).auth(token, { type: 'bearer' }),
  delete: (path: string) => mira.request.delete(`/api${path}`).auth(token, { type: 'bearer' }),
})

/** Inserts a conversation with an image and an answer that cites an item. */
async function insertConversation() {
  const { database } = mira.context
  const { session, question, answer } = await insertChatSession(database, anna.user.id, 'Lighthouses')
  const { pictures } = mira.context
  const encoded = (await plainImage({ width: 6, height: 4, format: 'png' })).toString('base64')
  await pictures.attach(database.prisma, question.id, await pictures.acceptPictures(anna.user.id, [encoded]))
  const source = {
    ...{ n: 1, media_id: question.id, media_type: 'document', title: 'Letter.pdf', snippet: 'my bank account' },
    ...{ thumbnail: '/api/media/secret/thumbnail', url: '/gallery/secret' },
  }
  await database.prisma.chatMessage.update({
    where: { id: answer.id },
    data: { sources: [source], reasoning: 'a private thought', agentCalls: [{ call_id: '1', name: 'FileAgent' }] },
  })
  return { session, question, answer }
}

async function share(sessionId: string, fields: object = {}): Promise<ShareJson> {
  const { body } = await as(anna)
    .post('/shares')
    .send({ kind: 'conversation', id: sessionId, ...fields })
    .expect(201)
  return body
}

const read = (token: string, query = {}) => mira.request.get(`/api/public/shares/${token}`).query(query)

test('anyone with the link can read the branch as it was shared, with its images, and nothing else of the user’s', async () => {
  const { session, question, answer } = await insertConversation()
  const { token, url } = await share(session.id)
  expect(url).toBe(`/s/${token}`)
  await insertMessages(mira.context.database, session.id, 2)
  const { body, headers, text } = await read(token).expect(200)
  const sharedView = body as PublicShareJson
  expect(sharedView).toMatchObject({ title: 'Lighthouses', assistant_name: 'Mira', previous_cursor: null })
  expect(sharedView.messages.map(({ id }) => id)).toEqual([question.id, answer.id])
  expect(sharedView.messages[1]!.sources).toEqual([{ n: 1, title: 'Letter.pdf' }])
  for (const secret of [
    'bank account',
    'private thought',
    '/api/media',
    'FileAgent',
    anna.user.id,
    anna.user.username,
  ]) {
    expect(text).not.toContain(secret)
  }
  expect(headers).toMatchObject({ 'x-robots-tag': 'noindex, nofollow', 'cache-control': 'no-store' })
  const [picture] = sharedView.messages[0]!.images
  const imageResponse = await mira.request.get(picture!.thumbnail)
  expect([imageResponse.status, imageResponse.headers['x-robots-tag']]).toEqual([200, 'noindex, nofollow'])
})

test('a link stops working when it’s revoked, expires, or its conversation is deleted, and can’t be altered', async () => {
  const { session, question } = await insertConversation()
  const first = await share(session.id)
  const picture = `/api/public/shares/${first.token}/images/${question.id}/0`
  await mira.request.get(picture).expect(200)
  await as(anna).delete(`/shares/${first.id}`).expect(204)
  await read(first.token).expect(404)
  await mira.request.get(picture).expect(404)
  await as(anna).delete(`/shares/${first.id}`).expect(404)
  const second = await share(session.id, { expires_at: new Date(Date.now() + 60_000).toISOString() })
  await read(second.token).expect(200)
  await mira.context.database.prisma.share.update({ where: { id: second.id }, data: { expiresAt: new Date(0) } })
  await read(second.token).expect(404)
  const third = await share(session.id)
  const { token } = third
  const alteredToken = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
  for (const invalidToken of [alteredToken, token.split('.')[0]!, 'x', '..', third.id])
    await read(invalidToken).expect(404)
  await as(anna).delete(`/chat/sessions/${session.id}`).expect(204)
  await read(token).expect(404)
})

test('a link doesn’t give access to anything outside the shared branch', async () => {
  const [mine, other] = [await insertConversation(), await insertConversation()]
  const { token } = await share(mine.session.id)
  await mira.request.get(`/api/public/shares/${token}/images/${other.question.id}/0`).expect(404)
  await mira.request.get(`/api/public/shares/${token}/images/${mine.question.id}/7`).expect(404)
  const { body } = await read(token, { before: other.answer.id }).expect(200)
  expect(body.messages.map(({ id }: { id: string }) => id)).toEqual([mine.question.id, mine.answer.id])
})

test('a long shared conversation is read page by page', async () => {
  const { session } = await insertConversation()
  await insertMessages(mira.context.database, session.id, 20)
  const { token } = await share(session.id)
  const newest = (await read(token, { limit: 15 }).expect(200)).body as PublicShareJson
  const before = (await read(token, { limit: 15, before: newest.previous_cursor! }).expect(200)).body as PublicShareJson
  const ids = [...before.messages, ...newest.messages].map(({ id }) => id)
  expect([ids.length, new Set(ids).size, before.previous_cursor]).toEqual([20, 20, null])
})

test('links can be listed, also for one conversation, and are rejected for anything that can’t be shared', async () => {
  const { session } = await insertConversation()
  const links = [await share(session.id), await share(session.id)]
  await share((await insertConversation()).session.id)
  const { body } = await as(anna).get('/shares').query({ subject_id: session.id }).expect(200)
  expect(body.shares).toEqual(links.reverse())
  expect((await as(anna).get('/shares').query({ limit: 2 }).expect(200)).body).toMatchObject({
    shares: [expect.anything(), expect.anything()],
    next_cursor: expect.any(String),
  })
  const { database } = mira.context
  const empty = await database.prisma.chatSession.create({ data: { userId: anna.user.id, sessionName: 'Empty' } })
  const requestShare = (id: string, fields = {}) =>
    as(anna)
      .post('/shares')
      .send({ kind: 'conversation', id, ...fields })
  await requestShare(empty.id).expect(422)
  await requestShare(session.id, { expires_at: '2020-01-01T00:00:00Z' }).expect(422)
  const stranger = await mira.createUser()
  await as(stranger).post('/shares').send({ kind: 'conversation', id: session.id }).expect(404)
})

test('another user can continue a copy of their own, with the images, which outlives the link', async () => {
  const { session } = await insertConversation()
  const { token, id } = await share(session.id)
  const ben = await mira.createUser()
  await mira.request.post(`/api/public/shares/${token}/continue`).expect(401)
  const { body } = await as(ben).post(`/public/shares/${token}/continue`).expect(201)
  await as(anna).delete(`/shares/${id}`).expect(204)
  const { body: own } = await as(ben).get(`/chat/sessions/${body.session_id}`).expect(200)
  expect(own).toMatchObject({
    session_name: 'Lighthouses',
    messages: [{ role: 'user' }, { role: 'assistant', sources: [] }],
  })
  await mira.request.get(own.messages[0].images[0].url).expect(200)
  await as(ben).post(`/public/shares/${token}/continue`).expect(404)
})
