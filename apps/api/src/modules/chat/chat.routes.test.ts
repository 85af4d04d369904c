import type { ChatMessageJson, ChatSessionJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, converse as converseBy, createChatClient, idsOf, listen } from '../../../test/chat-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

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

const converse = (content: string, sessionId?: string, headers?: Record<string, string>) =>
  converseBy(client, content, { sessionId, headers })

describe('a message', () => {
  test.each([
    ['blank text', { content: ' \n ' }, 'content'],
    ['no text', {}, 'content'],
    ['33 000 characters', { content: 'x'.repeat(33_000) }, 'content'],
    ['an invalid session id', { content: 'Hello', session_id: 'mine' }, 'session_id'],
    ['six images', { content: 'Hello', images: Array(6).fill('eA==') }, 'images'],
  ])('with %s is rejected', async (_what, body, path) => {
    const { status, body: error } = await client.call<{ errors: { path: string }[] }>('POST', '/chat/message', body)
    expect([status, error.errors[0]?.path]).toEqual([422, path])
    expect((await client.call('GET', '/chat/sessions')).body).toEqual([])
  })

  test('with images is rejected while no vision model is connected', async () => {
    const { status, body } = await client.call('POST', '/chat/message', { content: 'Look', images: ['eA=='] })
    expect([status, body]).toEqual([
      503,
      { detail: expect.stringContaining('No model that sees pictures is connected'), code: 'vision_unavailable' },
    ])
  })

  test('may be larger than other request bodies', async () => {
    const image = 'x'.repeat(10 * 1024 * 1024)
    const { status } = await client.call('POST', '/chat/message', { content: 'Look', images: [image] })
    expect(status).toBe(503)
  })

  test('that is malformed JSON is rejected with 400', async () => {
    await server.request
      .post('/api/chat/message')
      .auth(account.token, { type: 'bearer' })
      .type('json')
      .send('{"content":')
      .expect(400)
  })

  test('may contain any characters', async () => {
    const content = 'Grüße 🌊 مرحبا \u2028 "quoted" \\ </script> \ud83c'
    const { sessionId } = await converse(content)
    expect((await client.read(sessionId)).messages[0]?.content).toBe(content.toWellFormed())
  })

  test('of 32 000 characters is accepted', async () => {
    const { sessionId } = await converse('x'.repeat(32_000))
    expect((await client.read(sessionId)).messages[0]?.content).toHaveLength(32_000)
  })

  test('counts as an activity, excluded from analytics on request', async () => {
    const { sessionId, messageId } = await converse('Hello')
    await converse('Hello', sessionId, { 'x-analytics': 'off' })
    const activities = await server.context.database.prisma.activity.findMany({
      where: { userId: account.user.id, kind: 'chat' },
      orderBy: { createdAt: 'asc' },
    })
    expect(activities).toMatchObject([
      {
        outcome: 'completed',
        subjectId: sessionId,
        detailId: messageId,
        detail: { action: 'answered' },
        countsInAnalytics: true,
      },
      { subjectId: sessionId, countsInAnalytics: false },
    ])
  })
})

describe('without a model', () => {
  test('the built-in engine introduces itself in the language of the message', async () => {
    const { text, received, sessionId } = await converse('Was kannst du?')
    expect(text).toMatch(/^Ich bin Mira und laufe ohne Sprachmodell/)
    expect(received.at(-1)?.event).toMatchObject({ model_used: 'built-in', engine: 'built-in', usage: null })
    expect((await client.read(sessionId)).messages[1]).toMatchObject({ engine: 'built-in', model_used: 'built-in' })
  })

  test('it uses the user’s language when the language of the message is unclear', async () => {
    const { text } = await converse('12345', undefined, { 'accept-language': 'fr-FR,fr;q=0.9' })
    expect(text).toMatch(/^(Je n’ai rien trouvé|Bonjour)/)
  })

  test('it answers from the user’s own earlier conversations, with sources', async () => {
    await converse('My dentist appointment is on Tuesday at nine')
    const { text, received, sessionId } = await converse('When is the appointment at the dentist?')
    expect(text).toMatch(/you wrote: “My dentist appointment is on Tuesday at nine”/)
    const sources = received.find(({ event }) => event.type === 'sources')?.event
    expect(sources).toMatchObject({
      sources: [{ n: 1, media_id: null, media_type: 'chat', url: expect.stringMatching(/^\/chat\?session=/) }],
    })
    const { messages } = await client.read(sessionId)
    expect(messages[1]?.sources).toEqual(sources?.type === 'sources' ? sources.sources : null)
  })

  test('it finds nothing in other users’ conversations', async () => {
    await converse('The safe opens with a left turn')
    const stranger = await server.createUser()
    const theirs = createChatClient(url, stranger.token)
    const stream = await theirs.send({ content: 'How does the safe open?' })
    await stream.ended
    expect(stream.text()).toMatch(/^I found nothing about this/)
  })
})

describe('a conversation', () => {
  test('is read page by page, from its end', async () => {
    const { sessionId } = await converse('Message 0')
    for (const n of [1, 2, 3, 4]) await converse(`Message ${n}`, sessionId)
    const questions = (messages: ChatMessageJson[]) =>
      messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
    const unpaged = await client.read(sessionId)
    expect(questions(unpaged.messages)).toEqual([0, 1, 2, 3, 4].map((n) => `Message ${n}`))
    expect(unpaged.previous_cursor).toBe(null)

    const paged: ChatMessageJson[] = []
    let before: string | null = null
    do {
      const path: string = `/chat/sessions/${sessionId}?limit=3${before ? `&before=${before}` : ''}`
      const { body } = await client.call<typeof unpaged>('GET', path)
      expect(body.messages.length).toBeLessThanOrEqual(3)
      paged.unshift(...body.messages)
      before = body.previous_cursor
    } while (before)
    expect(paged).toEqual(unpaged.messages)
  })

  test('shows the selected branch, with the index of each message among its siblings', async () => {
    const first = await converse('First')
    const leftBranch = await converse('Left', first.sessionId)
    const stream = await client.send({ content: 'Right', session_id: first.sessionId, parent_id: first.messageId })
    await stream.ended
    const shownMessages = async () =>
      (await client.read(first.sessionId)).messages.map(({ content, siblings: { index, count } }) => [
        content,
        { index, count },
      ])
    const answer = (await client.read(first.sessionId)).messages[1]?.content
    expect((await shownMessages()).slice(0, 3)).toEqual([
      ['First', { index: 0, count: 1 }],
      [answer, { index: 0, count: 1 }],
      ['Right', { index: 1, count: 2 }],
    ])
    await client.call('PATCH', `/chat/sessions/${first.sessionId}`, { current_message_id: leftBranch.messageId })
    expect((await shownMessages())[2]).toEqual(['Left', { index: 0, count: 2 }])
  })

  test('is named after its first words until the user renames it', async () => {
    const { sessionId } = await converse('What is a lighthouse for?')
    expect((await client.read(sessionId)).session_name).toBe('What is a lighthouse for?')
    const { status, body } = await client.call<ChatSessionJson>('PATCH', `/chat/sessions/${sessionId}`, {
      session_name: '  Lighthouses ',
    })
    expect([status, body.session_name]).toEqual([200, 'Lighthouses'])
    const row = await server.context.database.prisma.chatSession.findUniqueOrThrow({ where: { id: sessionId } })
    expect(row.sessionNameBy).toBe('user')
  })

  test('can be completed and made active again', async () => {
    const { sessionId } = await converse('Hello')
    const patch = async (status: string) =>
      (await client.call<ChatSessionJson>('PATCH', `/chat/sessions/${sessionId}`, { status })).body.status
    expect(await patch('completed')).toBe('completed')
    expect(await patch('active')).toBe('active')
    await patch('completed')
    await converse('One more thing', sessionId)
    expect((await client.read(sessionId)).status).toBe('active')
  })

  test('takes its sentiment from the user’s messages', async () => {
    const { sessionId } = await converse('This is terrible, I hate it')
    expect((await client.read(sessionId)).sentiment).toBe('negative')
  })

  test.each([
    [{ session_name: ' ' }, 422],
    [{ session_name: 'x'.repeat(121) }, 422],
    [{ status: 'asleep' }, 422],
    [{ current_message_id: '01890000-0000-7000-8000-000000000000' }, 404],
  ])('rejects %j', async (changes, status) => {
    const { sessionId } = await converse('Hello')
    expect((await client.call('PATCH', `/chat/sessions/${sessionId}`, changes)).status).toBe(status)
  })

  test('is deleted with its messages and answers', async () => {
    const { sessionId } = await converse('Hello')
    expect((await client.call('DELETE', `/chat/sessions/${sessionId}`)).status).toBe(204)
    expect((await client.call('GET', `/chat/sessions/${sessionId}`)).status).toBe(404)
    expect((await client.call('DELETE', `/chat/sessions/${sessionId}`)).status).toBe(404)
    const { prisma } = server.context.database
    expect(await prisma.chatMessage.count({ where: { sessionId } })).toBe(0)
    expect(await prisma.chatAnswer.count({ where: { sessionId } })).toBe(0)
  })
})

describe('access to conversations', () => {
  test('returns 404 to other users on every route and for every id parameter', async () => {
    const mine = await converse('Mine')
    const stranger = await server.createUser()
    const theirs = createChatClient(url, stranger.token)
    const own = await theirs.send({ content: 'Own' })
    await own.ended
    const path = `/chat/sessions/${mine.sessionId}`
    const ownPath = `/chat/sessions/${idsOf(own).sessionId}`
    const calls: [string, string, object?][] = [
      ['GET', path],
      ['GET', `${path}/stream`],
      ['GET', `${path}/stream?message_id=${mine.messageId}`],
      ['GET', `${ownPath}/stream?message_id=${mine.messageId}`],
      ['GET', `${ownPath}?before=${mine.messageId}`],
      ['POST', `${path}/stop`],
      ['PATCH', path, { session_name: 'Stolen' }],
      ['PATCH', ownPath, { current_message_id: mine.messageId }],
      ['DELETE', path],
      ['POST', '/chat/message', { content: 'x', session_id: mine.sessionId }],
      ['POST', '/chat/message', { content: 'x', session_id: idsOf(own).sessionId, parent_id: mine.messageId }],
    ]
    for (const [method, to, body] of calls) {
      expect([method, to, (await theirs.call(method, to, body)).status]).toEqual([method, to, 404])
    }
    expect((await theirs.call('POST', '/chat/sessions/delete', { ids: [mine.sessionId] })).body).toEqual({ deleted: 0 })
    expect((await client.read(mine.sessionId)).session_name).toBe('Mine')
  })

  test('requires permission to chat', async () => {
    const guest = await server.createUser({ can_chat: false })
    expect((await createChatClient(url, guest.token).call('GET', '/chat/sessions')).status).toBe(403)
  })
})
