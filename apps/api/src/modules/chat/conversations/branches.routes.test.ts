import { randomUUID } from 'node:crypto'
import type { ChatMessageJson, ChatSessionJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen } from '../../../../test/chat-client.ts'
import { insertChatSession } from '../../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let url: string
let account: TestAccount
let client: ChatClient

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  url = await listen(server.app)
})
beforeEach(async () => {
  model.reset()
  account = await server.createUser()
  client = createChatClient(url, account.token)
})
afterAll(async () => {
  await server.close()
  await model.stop()
})

async function converse(content: string, body: object = {}) {
  const stream = await client.send({ content, ...body })
  await stream.ended
  return idsOf(stream)
}

const regenerate = (sessionId: string, messageId: string) => client.regenerate(sessionId, messageId)

/** Messages of the branch that is shown, with their 1-based position among siblings. */
async function shownMessages(sessionId: string): Promise<string[]> {
  const { messages } = await client.read(sessionId)
  return messages.map(({ content, siblings: { index, count } }) => `${content} (${index + 1} of ${count})`)
}

const patch = (sessionId: string, changes: object) =>
  client.call<ChatSessionJson>('PATCH', `/chat/sessions/${sessionId}`, changes)

describe('a regenerated answer', () => {
  test('is a sibling of the old one, is shown from then on, and is based on the same messages', async () => {
    const first = await converse('One')
    const { sessionId } = first
    const second = await converse('Two', { session_id: sessionId })
    await converse('Three', { session_id: sessionId })
    model.next({ text: 'Something else' })
    const stream = await regenerate(sessionId, second.messageId)
    await stream.ended
    expect(idsOf(stream)).toMatchObject({ sessionId, questionId: second.questionId })
    expect(stream.received.at(-1)?.event).toMatchObject({ type: 'complete', message_id: idsOf(stream).messageId })
    expect(model.chats().at(-1)?.body.messages?.slice(1)).toMatchObject([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'You said: One' },
      { role: 'user', content: 'Two' },
    ])
    expect(await shownMessages(sessionId)).toEqual([
      'One (1 of 1)',
      'You said: One (1 of 1)',
      'Two (1 of 1)',
      'Something else (2 of 2)',
    ])
    const { messages } = await client.read(sessionId)
    expect(messages[3]?.siblings).toMatchObject({ previous_id: second.messageId, next_id: null })
  })

  test('is rejected while an answer is running, which continues', async () => {
    // slow enough to be still running when another one is requested
    model.next({ text: 'slow answer', delayMs: 1500 })
    const stream = await client.send({ content: 'Hello' })
    await stream.until(({ received }) => received.some(({ event }) => event.type === 'chunk'))
    const { sessionId, messageId } = idsOf(stream)
    expect(await regenerate(sessionId, messageId)).toMatchObject({ status: 409, body: { code: 'answer_running' } })
    await stream.ended
    expect(stream.text()).toBe('slow answer')
  })

  test('is created by one of three simultaneous requests', async () => {
    const { sessionId, messageId } = await converse('Hello')
    // slow enough that no request arrives after another one's answer is complete
    model.when('Hello', { text: 'You said: Hello', firstDelayMs: 1500 })
    const streams = await Promise.all([1, 2, 3].map(() => regenerate(sessionId, messageId)))
    await Promise.all(streams.map(({ ended }) => ended))
    expect(streams.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(await shownMessages(sessionId)).toEqual(['Hello (1 of 1)', 'You said: Hello (2 of 2)'])
  })

  test('can replace a failed one', async () => {
    model.next({ error: { status: 401, message: 'no' } })
    const { sessionId, messageId } = await converse('Hello')
    await (await regenerate(sessionId, messageId)).ended
    expect(await shownMessages(sessionId)).toEqual(['Hello (1 of 1)', 'You said: Hello (2 of 2)'])
  })

  test('requires an answer of the same conversation', async () => {
    const { sessionId, questionId, messageId } = await converse('Hello')
    const other = await converse('Elsewhere')
    expect(await regenerate(sessionId, questionId)).toMatchObject({ status: 422, body: { code: 'not_an_answer' } })
    expect((await regenerate(other.sessionId, messageId)).status).toBe(404)
    expect((await regenerate(sessionId, randomUUID())).status).toBe(404)
    expect((await client.call('POST', `/chat/sessions/${sessionId}/regenerate`, {})).status).toBe(422)
    expect(await shownMessages(sessionId)).toEqual(['Hello (1 of 1)', 'You said: Hello (1 of 1)'])
  })
})

describe('an edited message', () => {
  test('becomes a sibling of the first message', async () => {
    const first = await converse('First')
    const { sessionId } = first
    await converse('Second', { session_id: sessionId })
    const edited = await converse('First, edited', { session_id: sessionId, parent_id: null })
    expect(edited.sessionId).toBe(sessionId)
    expect(model.chats().at(-1)?.body.messages?.slice(1)).toMatchObject([{ role: 'user', content: 'First, edited' }])
    expect(await shownMessages(sessionId)).toEqual(['First, edited (2 of 2)', 'You said: First, edited (1 of 1)'])
    const { messages, previous_cursor } = await client.read(sessionId)
    expect([messages[0]?.parent_id, previous_cursor]).toEqual([null, null])
  })

  test('becomes a sibling of a message in the middle', async () => {
    const first = await converse('First')
    const { sessionId } = first
    const second = await converse('Second', { session_id: sessionId })
    await converse('Third', { session_id: sessionId })
    const before = (await client.read(sessionId)).messages[2]
    const edited = await converse('Second, edited', { session_id: sessionId, parent_id: before?.parent_id })
    await converse('Once more', { session_id: sessionId, parent_id: before?.parent_id })
    await patch(sessionId, { current_message_id: edited.questionId })
    expect((await shownMessages(sessionId)).slice(2)).toEqual([
      'Second, edited (2 of 3)',
      'You said: Second, edited (1 of 1)',
    ])
    expect((await client.read(sessionId)).messages[2]?.siblings).toMatchObject({ previous_id: second.questionId })
  })

  test('continues the branch that is shown when no parent is given', async () => {
    const { sessionId } = await converse('First')
    await converse('Second', { session_id: sessionId })
    expect((await shownMessages(sessionId)).length).toBe(4)
  })

  test('starts a conversation when no session is given, even with parent_id null', async () => {
    const one = await converse('First', { parent_id: null })
    const two = await converse('First', { parent_id: null })
    expect(two.sessionId).not.toBe(one.sessionId)
  })

  test('can’t follow a user message', async () => {
    const { sessionId, questionId } = await converse('First')
    const { status } = await client.send({ content: 'x', session_id: sessionId, parent_id: questionId })
    expect(status).toBe(404)
  })

  test('is stored once when it’s sent twice', async () => {
    const { sessionId } = await converse('First')
    const body = { session_id: sessionId, parent_id: null, client_id: 'edit-1' }
    const [one, two] = [await converse('Edited', body), await converse('Edited', body)]
    expect(two.messageId).toBe(one.messageId)
    expect((await shownMessages(sessionId))[0]).toBe('Edited (2 of 2)')
  })
})

test('choosing a branch shows it down to its newest message', async () => {
  const first = await converse('First')
  const { sessionId } = first
  await converse('Second', { session_id: sessionId })
  const third = await converse('Third', { session_id: sessionId })
  const edited = await converse('Other', { session_id: sessionId, parent_id: null })
  const current = async () => (await client.read(sessionId)).messages.at(-1)?.id
  expect(await current()).toBe(edited.messageId)
  await patch(sessionId, { current_message_id: first.questionId })
  expect(await current()).toBe(third.messageId)
  const next = (await client.read(sessionId)).messages[0]?.siblings.next_id
  await patch(sessionId, { current_message_id: next })
  expect(await current()).toBe(edited.messageId)
  // a new message continues the branch that is shown
  await converse('More', { session_id: sessionId })
  expect((await shownMessages(sessionId)).map((text) => text.split(' ')[0])).toEqual(['Other', 'You', 'More', 'You'])
})

describe('a rating', () => {
  const rate = (messageId: string, rating: unknown) =>
    client.call<ChatMessageJson>('POST', `/chat/messages/${messageId}/feedback`, { rating })

  test('is stored with its answer until it’s removed', async () => {
    const { sessionId, messageId } = await converse('Hello')
    const { status, body } = await rate(messageId, 'down')
    expect([status, body.rating]).toEqual([200, 'down'])
    expect((await client.read(sessionId)).messages[1]).toEqual(body)
    expect((await rate(messageId, 'up')).body.rating).toBe('up')
    expect((await rate(messageId, null)).body.rating).toBe(null)
    expect((await client.read(sessionId)).messages[1]?.rating).toBe(null)
  })

  test('is only accepted for answers in one’s own conversations', async () => {
    const { questionId, messageId } = await converse('Hello')
    expect(await rate(questionId, 'up')).toMatchObject({ status: 422, body: { code: 'not_an_answer' } })
    expect((await rate(randomUUID(), 'up')).status).toBe(404)
    expect((await rate(messageId, 'sideways')).status).toBe(422)
    expect((await rate(messageId, undefined)).status).toBe(422)
    const stranger = await server.createUser()
    const { answer } = await insertChatSession(server.context.database, stranger.user.id)
    expect((await rate(answer.id, 'up')).status).toBe(404)
  })
})

describe('a pinned conversation', () => {
  const names = async (query = '') =>
    (await client.call<ChatSessionJson[]>('GET', `/chat/sessions${query}`)).body.map((one) => one.session_name)

  test('is listed above the others, across pages, until it’s unpinned', async () => {
    const ids = new Map<string, string>()
    for (const name of ['A', 'B', 'C', 'D', 'E']) {
      const { sessionId } = await converse(name)
      // the generated title doesn't overwrite a name chosen by the user
      await patch(sessionId, { session_name: name })
      ids.set(name, sessionId)
    }
    const pin = async (name: string, pinned: boolean) => (await patch(ids.get(name) ?? '', { pinned })).body.pinned
    expect([await pin('B', true), await pin('A', true)]).toEqual([true, true])
    expect(await names()).toEqual(['B', 'A', 'E', 'D', 'C'])
    expect(await names('?order=asc')).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(await names('?sort=name&order=asc')).toEqual(['A', 'B', 'C', 'D', 'E'])
    const paged: string[] = []
    let next: string | null = null
    do {
      const path: string = `/chat/sessions?limit=1${next ? `&cursor=${next}` : ''}`
      const { body, headers } = await client.call<ChatSessionJson[]>('GET', path)
      paged.push(...body.map((one) => one.session_name))
      next = headers.get('x-next-cursor')
    } while (next)
    expect(paged).toEqual(['B', 'A', 'E', 'D', 'C'])
    expect(await pin('B', false)).toBe(false)
    expect(await names()).toEqual(['A', 'E', 'D', 'C', 'B'])
  })
})

describe('a search for conversations', () => {
  const search = async (query: string) =>
    (await client.call<ChatSessionJson[]>('GET', `/chat/sessions?query=${encodeURIComponent(query)}`)).body
  const snippets = async (query: string) =>
    (await search(query)).map(({ snippet, snippet_highlights: highlights = [] }) =>
      highlights.reduceRight<string | null>(
        (text, [from, to]) => text && `${text.slice(0, from)}‹${text.slice(from, to)}›${text.slice(to)}`,
        snippet ?? null,
      ),
    )

  test('returns the newest matching message, and none when only the name matches', async () => {
    model.next({ text: 'They warn ships.' })
    const first = await converse('What are lighthouses for?')
    model.next({ text: 'In Egypt.' })
    const again = await converse('Where was the first lighthouse?', { session_id: first.sessionId })
    model.next({ text: 'I do.' })
    await converse('Do you like ships?', { session_id: first.sessionId })
    const messageIds = async (query: string) =>
      (await search(query)).map(({ snippet_message_id }) => snippet_message_id)
    expect(await messageIds('lighthouse')).toEqual([again.questionId])
    expect(await messageIds('warn ships')).toEqual([first.messageId])
    await patch(first.sessionId, { session_name: 'Zebra' })
    expect(await messageIds('zebra')).toEqual([null])
  })

  test('returns a snippet with the matching words highlighted', async () => {
    const [before, after] = ['We walked along the coast for hours. ', 'And it was very windy there. '].map((text) =>
      text.repeat(20),
    )
    await converse(`${before}The lighthouses\n are shining. ${after}`)
    expect(await snippets('LIGHTHOUSES')).toEqual([expect.stringContaining('for hours. The ‹lighthouses› are')])
    expect(await snippets('lighthouse shine')).toEqual([expect.stringContaining('‹lighthouses› are ‹shining›')])
    for (const snippet of await snippets('lighthouse')) expect(snippet?.length).toBeLessThan(400)
  })

  test('returns no snippet when only the name matches or the query is empty', async () => {
    const { sessionId } = await converse('Hello')
    await patch(sessionId, { session_name: 'Zebra' })
    expect(await snippets('zebra')).toEqual([null])
    expect(await snippets('')).toEqual([null])
  })

  test('treats special characters literally', async () => {
    await converse('It costs (100%) of $5.00 [sic] \u0002not marked\u0003')
    expect(await snippets('(100%) of $5.00 [')).toEqual([expect.stringContaining('‹(100%) of $5.00 [›sic] not marked')])
  })
})
