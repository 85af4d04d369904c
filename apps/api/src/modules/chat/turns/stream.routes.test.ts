import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen, type ReadStream } from '../../../../test/chat-client.ts'
import { fastestOf } from '../../../../test/fastest.ts'
import type { Answer } from '../../../../test/openai-answers.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let url: string
let account: TestAccount
let client: ChatClient

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' },
    modelLimits: { retryDelayMs: 10 },
  })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser()
  client = createChatClient(url, account.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const eventsOf = (stream: ReadStream) => stream.received.map(({ event }) => event)
/** The second message of a conversation: its first answer. */
const answerOf = async (sessionId: string) => (await client.read(sessionId)).messages[1]!
const hasChunk = (stream: ReadStream) => stream.received.some(({ event }) => event.type === 'chunk')

describe('the stream of an answer', () => {
  test('begins with its session, continues with its text and ends with its measurements and [DONE]', async () => {
    model.next({ text: 'It shows ships the way.', usage: { prompt_tokens: 20, completion_tokens: 6 }, model: 'm-2' })
    const stream = await client.send({ content: 'What is a lighthouse for?' })
    await stream.ended
    const { sessionId, messageId } = idsOf(stream)
    const events = eventsOf(stream)
    expect(stream.status).toBe(200)
    expect(stream.isDone).toBe(true)
    expect(events[0]).toMatchObject({ type: 'session', session_name: 'What is a lighthouse for?' })
    expect(stream.text()).toBe('It shows ships the way.')
    expect(events.at(-1)).toEqual({
      type: 'complete',
      session_id: sessionId,
      message_id: messageId,
      model_used: 'm-2',
      engine: 'remote',
      usage: { input_tokens: 20, output_tokens: 6 },
      duration_ms: expect.any(Number),
      interrupted: false,
    })
    expect(stream.received.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1))
    expect((await client.read(sessionId)).messages).toMatchObject([
      { role: 'user', content: 'What is a lighthouse for?' },
      {
        id: messageId,
        role: 'assistant',
        content: 'It shows ships the way.',
        model_used: 'm-2',
        engine: 'remote',
        streaming: false,
        interrupted: false,
        error: null,
        usage: { input_tokens: 20, output_tokens: 6 },
      },
    ])
  })

  test('joins the text of a fast model into fewer events', async () => {
    model.next({ text: 'word '.repeat(500) })
    const stream = await client.send({ content: 'Write a lot' })
    await stream.ended
    expect(stream.text()).toBe('word '.repeat(500))
    expect(stream.received.length).toBeLessThan(100)
  })

  test('can be read by a second reader at the same time, who gets the same events', async () => {
    model.next({ text: 'one two three four five six', delayMs: 30 })
    const first = await client.send({ content: 'Count' })
    await first.until(hasChunk)
    const second = await client.streamAnswer(idsOf(first).sessionId)
    await Promise.all([first.ended, second.ended])
    expect(second.received).toEqual(first.received)
    expect(second.isDone).toBe(true)
  })

  test('resumes where a returning reader left off', async () => {
    const hasLeft = Promise.withResolvers<void>()
    model.next({ text: 'one two three four five six', delayMs: 40, lastAfter: hasLeft.promise })
    const first = await client.send({ content: 'Count' })
    await first.until(hasChunk)
    first.leave()
    await first.ended
    hasLeft.resolve()
    const { sessionId, messageId } = idsOf(first)
    const rest = await client.streamAnswer(sessionId, { messageId, lastEventId: first.received.at(-1)!.id! })
    await rest.ended
    expect(first.text() + rest.text()).toBe('one two three four five six')
    expect(rest.received[0]?.id).toBe(first.received.at(-1)!.id! + 1)
    expect(rest.isDone).toBe(true)
  })

  test('doesn’t stop when its last reader leaves', async () => {
    model.next({ text: 'one two three four', delayMs: 40 })
    const stream = await client.send({ content: 'Count' })
    await stream.until(hasChunk)
    const { sessionId } = idsOf(stream)
    stream.leave()
    await expect.poll(async () => (await answerOf(sessionId)).streaming).toBe(false)
    expect(await answerOf(sessionId)).toMatchObject({ content: 'one two three four', interrupted: false })
    expect(model.chats()[0]?.abandonedAt).toBe(undefined)
  })

  test('can be replayed when it has ended, completely or from any event', async () => {
    const stream = await client.send({ content: 'Hello' })
    await stream.ended
    const { sessionId, messageId } = idsOf(stream)
    const replay = await client.streamAnswer(sessionId)
    const rest = await client.streamAnswer(sessionId, { messageId, lastEventId: 1 })
    const nothing = await client.streamAnswer(sessionId, { messageId, lastEventId: stream.received.length })
    await Promise.all([replay.ended, rest.ended, nothing.ended])
    expect(replay.received).toEqual(stream.received)
    expect(rest.received).toEqual(stream.received.slice(1))
    expect([nothing.received, nothing.isDone]).toEqual([[], true])
  })

  test('is rebuilt from the message when its events are no longer stored', async () => {
    const stream = await client.send({ content: 'Hello' })
    await stream.ended
    const { sessionId, messageId } = idsOf(stream)
    await server.context.database.prisma.chatAnswer.delete({ where: { messageId } })
    const replay = await client.streamAnswer(sessionId, { messageId, lastEventId: 2 })
    await replay.ended
    expect(eventsOf(replay).map(({ type }) => type)).toEqual(['session', 'chunk', 'complete'])
    expect(replay.text()).toBe('You said: Hello')
    expect(replay.isDone).toBe(true)
  })

  test('shows its text so far in the conversation while it’s running', async () => {
    model.next({ text: ['one ', 'two '], hang: 2 })
    const stream = await client.send({ content: 'Count' })
    await stream.until((one) => one.text() === 'one two ')
    const { sessionId } = idsOf(stream)
    expect(await answerOf(sessionId)).toMatchObject({ content: 'one two ', streaming: true })
    await client.stop(sessionId)
    await stream.ended
  })
})

describe('stopping', () => {
  test('keeps the text so far, marked interrupted, and aborts the model call within a second', async () => {
    const fastest = await fastestOf(async () => {
      model.next({ text: 'one two three four five six seven eight', delayMs: 50, hang: 5 })
      const stream = await client.send({ content: 'Count' })
      await stream.until(hasChunk)
      const { sessionId } = idsOf(stream)
      const stoppedAt = Date.now()
      expect(await client.stop(sessionId)).toBe(204)
      await stream.ended
      const endedAt = Date.now()
      expect(stream.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: true, usage: null })
      expect(stream.isDone).toBe(true)
      const answer = await answerOf(sessionId)
      expect(answer).toMatchObject({ interrupted: true, streaming: false, error: null, content: stream.text() })
      expect(answer.content).not.toContain('[Interrupted]')
      expect(answer.content.length).toBeGreaterThan(0)
      const chat = model.chats().at(-1)
      await expect.poll(() => chat?.abandonedAt, { timeout: 5000 }).toBeTypeOf('number')
      return Math.max(endedAt, chat!.abandonedAt!) - stoppedAt
    })
    expect(fastest).toBeLessThan(1000)
  })

  test('allows the next message immediately', async () => {
    model.next({ text: 'one', hang: 1 })
    const stream = await client.send({ content: 'Count' })
    await stream.until(hasChunk)
    const { sessionId } = idsOf(stream)
    await client.stop(sessionId)
    const next = await client.send({ content: 'Go on', session_id: sessionId })
    await next.ended
    expect(next.text()).toBe('You said: Go on')
    expect(model.chats()[1]?.body.messages?.slice(1)).toEqual([
      { role: 'user', content: 'Count' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'Go on' },
    ])
  })

  test('does nothing when no answer is running', async () => {
    const stream = await client.send({ content: 'Hello' })
    await stream.ended
    expect(await client.stop(idsOf(stream).sessionId)).toBe(204)
    expect((await answerOf(idsOf(stream).sessionId)).interrupted).toBe(false)
  })
})

describe('a message', () => {
  test('is rejected with 409 and not stored while an answer is running', async () => {
    // far longer than it takes to reject the second message; stopped afterwards
    model.next({ text: 'one two three '.repeat(500), delayMs: 60 })
    const stream = await client.send({ content: 'Count' })
    await stream.until(hasChunk)
    const { sessionId } = idsOf(stream)
    const second = await client.send({ content: 'Me too', session_id: sessionId })
    expect([second.status, second.body?.code]).toEqual([409, 'answer_running'])
    await client.call('POST', `/chat/sessions/${sessionId}/stop`)
    await stream.ended
    expect((await client.read(sessionId)).messages).toHaveLength(2)
  })

  test('sent several times at once with one client id is answered once', async () => {
    const streams = await Promise.all(
      Array.from({ length: 4 }, () => client.send({ content: 'Hello', client_id: 'double-click' })),
    )
    await Promise.all(streams.map(({ ended }) => ended))
    for (const stream of streams) expect(stream.received).toEqual(streams[0]!.received)
    expect(streams[0]!.text()).toBe('You said: Hello')
    expect(model.chats()).toHaveLength(1)
    expect((await client.call('GET', '/chat/sessions')).body).toHaveLength(1)
  })

  test('sent again later with the same client id gets the same answer', async () => {
    const first = await client.send({ content: 'Hello', client_id: 'again' })
    await first.ended
    const { sessionId } = idsOf(first)
    for (const session_id of [undefined, sessionId]) {
      const again = await client.send({ content: 'Hello', client_id: 'again', session_id })
      await again.ended
      expect(again.received).toEqual(first.received)
    }
    expect(model.chats()).toHaveLength(1)
    // lets a client recognise its own message
    expect((await client.read(sessionId)).messages.map(({ client_id }) => client_id)).toEqual(['again', undefined])
  })
})

describe('a model failure', () => {
  const expectFailure = async (code: string, modelResponse: Answer, caller = client) => {
    model.next(modelResponse)
    const stream = await caller.send({ content: 'Hello' })
    await stream.ended
    expect(stream.status).toBe(200)
    expect(stream.received.at(-1)?.event).toMatchObject({ type: 'error', code, content: expect.stringMatching(/\.$/) })
    expect(stream.isDone).toBe(true)
    expect((await caller.read(idsOf(stream).sessionId)).messages).toMatchObject([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: '', error: expect.any(String), error_code: code, interrupted: false },
    ])
  }

  test.each([
    ['model_key_refused', { error: { status: 401 } }],
    ['model_not_found', { error: { status: 404, message: 'model not found' } }],
    ['model_rate_limited', { error: { status: 429, headers: { 'retry-after': '60' } } }],
    ['context_too_long', { error: { status: 400, code: 'context_length_exceeded', message: 'too long' } }],
    ['empty_answer', { text: '' }],
  ])('is reported by an error event (%s), and the message is kept', expectFailure)

  test('is reported by an error event (model_timeout), and the message is kept', async () => {
    // Only here, since a busy machine takes that long in the other tests, too.
    const impatientServer = await startTestApp({
      environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' },
      modelLimits: { firstTokenTimeoutMs: 500 },
    })
    try {
      const { token } = await impatientServer.createUser()
      const caller = createChatClient(await listen(impatientServer.app), token)
      await expectFailure('model_timeout', { hang: 'headers' }, caller)
    } finally {
      await impatientServer.close()
    }
  })

  test('during an answer keeps the text so far', async () => {
    model.next({ text: 'one two three', cutAfter: 2 })
    const stream = await client.send({ content: 'Count' })
    await stream.ended
    expect(stream.received.at(-1)?.event).toMatchObject({ type: 'error', code: 'answer_cut_off' })
    expect(await answerOf(idsOf(stream).sessionId)).toMatchObject({
      content: 'one two ',
      error_code: 'answer_cut_off',
    })
  })

  test('because of a context too small is retried with half the conversation', async () => {
    const first = await client.send({ content: 'First question' })
    await first.ended
    const { sessionId } = idsOf(first)
    model.next({ error: { status: 400, code: 'context_length_exceeded', message: 'too long' } }, { text: 'Fits now' })
    const second = await client.send({ content: 'Second question', session_id: sessionId })
    await second.ended
    expect(second.text()).toBe('Fits now')
    const [, , retry] = model.chats()
    expect(retry?.body.messages?.slice(1)).toEqual([{ role: 'user', content: 'Second question' }])
  })

  test('leaves the conversation usable', async () => {
    model.next({ error: { status: 401 } })
    const stream = await client.send({ content: 'Hello' })
    await stream.ended
    const again = await client.send({ content: 'Hello again', session_id: idsOf(stream).sessionId })
    await again.ended
    expect(again.text()).toBe('You said: Hello\n\nHello again')
  })
})

test('deleting a conversation aborts its running answer', async () => {
  model.next({ text: 'one two three four five', delayMs: 100 })
  const stream = await client.send({ content: 'Count' })
  await stream.until(hasChunk)
  const { sessionId } = idsOf(stream)
  expect((await client.call('DELETE', `/chat/sessions/${sessionId}`)).status).toBe(204)
  await stream.ended
  expect(stream.isDone).toBe(true)
  expect((await client.call('GET', `/chat/sessions/${sessionId}`)).status).toBe(404)
  await expect.poll(() => model.chats()[0]?.abandonedAt).toBeTypeOf('number')
})

test('changes of a conversation are sent to its user as events', async () => {
  const listener = new AbortController()
  const response = await fetch(`${url}/api/events`, {
    headers: { authorization: `Bearer ${account.token}` },
    signal: listener.signal,
  })
  let received = ''
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) received += chunk
  })().catch(() => {})
  await expect.poll(() => received).toContain(': connected')
  const stream = await client.send({ content: 'Hello' })
  await stream.ended
  const { sessionId } = idsOf(stream)
  await expect.poll(async () => (await client.read(sessionId)).session_name).toBe('A short title')
  await client.call('PATCH', `/chat/sessions/${sessionId}`, { session_name: 'Mine' })
  await client.call('DELETE', `/chat/sessions/${sessionId}`)
  await sleep(50)
  listener.abort()
  await reading
  const events = [...received.matchAll(/data: (.*)/g)].map((match) => JSON.parse(match[1] ?? ''))
  const updated = { type: 'chat.updated', session_id: sessionId, deleted: false, answering: false }
  expect(events).toEqual([
    { type: 'events.connected', quiet_ms: expect.any(Number) },
    ...[{ ...updated, answering: true }, updated, updated, updated, { ...updated, deleted: true }],
  ])
})

test('a user can have at most 20 answers running at once', async () => {
  model.defaultResponse = { text: 'one two', hang: 1 }
  const streams = await Promise.all(Array.from({ length: 20 }, (_, n) => client.send({ content: `Message ${n}` })))
  const response = await client.call<{ code: string }>('POST', '/chat/message', { content: 'One more' })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5'])
  await Promise.all(streams.map((stream) => stream.until(hasChunk)))
  await Promise.all(streams.map((stream) => client.stop(idsOf(stream).sessionId)))
  await Promise.all(streams.map(({ ended }) => ended))
  model.reset()
  const next = await client.send({ content: 'Now' })
  await next.ended
  expect(next.text()).toBe('You said: Now')
})
