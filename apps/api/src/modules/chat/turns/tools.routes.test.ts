import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentCall, ChatEvent } from '@mira/shared'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, idsOf, listen, type ReadStream } from '../../../../test/chat-client.ts'
import { fastestOf } from '../../../../test/fastest.ts'
import { type OpenAiServer, startOpenAiServer, toolResults } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createStoredAnswersStore } from './stored-answers.store.ts'

let model: OpenAiServer
let server: TestApp
/** Server without a language model. */
let plain: TestApp
let url: string
let plainUrl: string
let account: TestAccount
let client: ChatClient

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  plain = await startTestApp()
  ;[url, plainUrl] = [await listen(server.app), await listen(plain.app)]
})
beforeEach(async () => {
  account = await server.createUser({ can_use_agents: true })
  client = createChatClient(url, account.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await plain.close()
  await model.close()
})

type AgentEvent = Extract<ChatEvent, { type: 'agent' }>
const agentEvents = (stream: ReadStream) =>
  stream.received.flatMap(({ event }) => (event.type === 'agent' ? [event] : [])) as AgentEvent[]
const call = (input: string) => ({ name: 'calculator', arguments: { input } })
const answerOf = async (sessionId: string, chat = client) => (await chat.read(sessionId)).messages.at(-1)!
const activitiesOf = (userId: string, app = server) =>
  app.context.database.prisma.activity.findMany({ where: { userId, kind: 'agent' }, orderBy: { createdAt: 'asc' } })

/** Sends a message and reads its whole answer. */
async function ask(content: string, chat = client, headers: Record<string, string> = {}): Promise<ReadStream> {
  const stream = await chat.send({ content }, headers)
  await stream.ended
  return stream
}

/** Polls what is written independently of the answer. */
async function eventually<Value>(read: () => Promise<Value>, isReady: (value: Value) => boolean): Promise<Value> {
  for (let tries = 0; ; tries++) {
    const value = await read()
    if (isReady(value) || tries > 100) return value
    await sleep(20)
  }
}

describe('a model that calls the calculator', () => {
  test('has each call streamed as it starts and ends, stored with the answer, counted and recorded', async () => {
    model.next(
      { text: 'Let me see.', calls: [call('15% of 80'), call('2^100')] },
      { text: 'It is 12.', usage: { prompt_tokens: 9, completion_tokens: 4 } },
    )
    const stream = await ask('What is 15% of 80?')
    const { sessionId, messageId } = idsOf(stream)
    expect(stream.text()).toBe('Let me see.\n\nIt is 12.')
    const [first, second] = [
      { call_id: 'call-1', name: 'CalculatorAgent', arguments: { input: '15% of 80' } },
      { call_id: 'call-2', name: 'CalculatorAgent', arguments: { input: '2^100' } },
    ]
    const ended = { state: 'finished', duration_ms: expect.any(Number) }
    expect(agentEvents(stream)).toEqual([
      { type: 'agent', ...first, state: 'started' },
      { type: 'agent', ...second, state: 'started' },
      { type: 'agent', call_id: 'call-1', name: 'CalculatorAgent', ...ended, summary: '= 12' },
      {
        type: 'agent',
        call_id: 'call-2',
        name: 'CalculatorAgent',
        ...ended,
        summary: '= 1267650600228229401496703205376',
      },
    ])
    expect(toolResults(model.chats()[1]!)[0]).toContain('= **12**')

    expect((await answerOf(sessionId)).agent_calls).toEqual([
      { ...first, ...ended, summary: '= 12' },
      { ...second, ...ended, summary: '= 1267650600228229401496703205376' },
    ])
    const session = (await client.read(sessionId)).agent_used
    const { body: stats } = await client.call<{ agent_usage: number }>('GET', '/chat/stats')
    expect([session, stats.agent_usage]).toEqual(['CalculatorAgent', 2])
    expect(await activitiesOf(account.user.id)).toMatchObject(
      [1, 2].map(() => ({
        outcome: 'completed',
        subjectId: sessionId,
        detailId: messageId,
        detail: { action: 'called', agent: 'CalculatorAgent', code: null },
        countsInAnalytics: true,
      })),
    )
  })

  test('has its calls replayed, even when the log of the answer is deleted', async () => {
    model.next({ calls: [call('1+1')], reasoning: ['Let me ', 'add.'] }, { text: 'Two.' })
    const stream = await ask('What is 1+1?')
    const { sessionId } = idsOf(stream)
    const replayed = await client.streamAnswer(sessionId)
    await replayed.ended
    expect(replayed.received).toEqual(stream.received)

    await server.context.database.pool.query('DELETE FROM chat_answers WHERE session_id = $1', [sessionId])
    const rebuilt = await client.streamAnswer(sessionId)
    await rebuilt.ended
    expect(rebuilt.received.map(({ event }) => event)).toMatchObject([
      { type: 'session' },
      { type: 'reasoning', content: 'Let me add.' },
      { type: 'agent', call_id: 'call-1', state: 'finished', arguments: { input: '1+1' }, summary: '= 2' },
      { type: 'chunk', content: 'Two.' },
      { type: 'complete', interrupted: false },
    ])
  })

  test('is told of broken arguments and an unknown tool, and continues', async () => {
    model.next(
      {
        calls: [
          { name: 'calculator', arguments: '{"input": "1\0+' },
          { name: 'oracle', arguments: '{}' },
        ],
      },
      { text: 'I cannot.' },
    )
    const stream = await ask('Hm?')
    expect(stream.text()).toBe('I cannot.')
    expect(toolResults(model.chats()[1]!)).toEqual([
      'Error: The arguments are not valid JSON. Send an object such as {"input": "15% of 80"}.',
      expect.stringMatching(/^Error: There is no tool "oracle"\. The tools are: .*calculator/),
    ])
    expect(agentEvents(stream)).toMatchObject([
      { state: 'started', arguments: '{"input": "1+' },
      { state: 'failed', summary: expect.stringContaining('not valid JSON') },
    ])
    expect((await answerOf(idsOf(stream).sessionId)).agent_calls).toHaveLength(1)
  })

  test('without end gets a clear error after a limited number of calls', async () => {
    model.when('for ever', { calls: [call('1+1')] })
    const stream = await ask('Calculate for ever')
    expect(stream.received.at(-1)?.event).toMatchObject({ type: 'error', code: 'too_many_tool_calls' })
    expect(agentEvents(stream)).toHaveLength(12)
    const answer = await answerOf(idsOf(stream).sessionId)
    expect(answer).toMatchObject({
      error_code: 'too_many_tool_calls',
      error: expect.stringContaining('kept asking for tools'),
    })
    expect(answer.agent_calls).toHaveLength(6)
  })

  test('is told that 9^9^9^9 is too large', async () => {
    model.next({ calls: [call('9^9^9^9')] }, { text: 'Too large.' })
    const stream = await ask('What is 9^9^9^9?')
    expect(toolResults(model.chats()[1]!)).toEqual(['Error: The result has too many digits.'])
    expect(agentEvents(stream).at(-1)).toMatchObject({ state: 'failed', summary: 'The result has too many digits.' })
  })

  test('can be stopped within a second during a call, which then counts as failed', async () => {
    // each takes most of a second, one after the other
    const slow = 'solve x^7 - 3x^5 + sin(x)*cos(x)*exp(x) + tan(x) - x^x = 2'
    const fastest = await fastestOf(async () => {
      model.next({ text: 'One moment.', calls: Array.from({ length: 8 }, () => call(slow)) })
      const stream = await client.send({ content: 'Find the roots' })
      await stream.until(() => agentEvents(stream).length > 0)
      const { sessionId } = idsOf(stream)
      const stoppedAt = performance.now()
      expect(await client.stop(sessionId)).toBe(204)
      await stream.ended
      const tookMs = performance.now() - stoppedAt
      expect(stream.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: true })
      const answer = await answerOf(sessionId)
      expect(answer).toMatchObject({ content: 'One moment.', interrupted: true })
      expect(answer.agent_calls.some(({ state }: AgentCall) => state === 'failed')).toBe(true)
      expect(answer.agent_calls.every(({ state }: AgentCall) => state !== 'started')).toBe(true)
      return tookMs
    })
    expect(fastest).toBeLessThan(1000)
    // the stopped calls don't hold up later ones
    model.next({ calls: [call('1+1')] }, { text: 'Two.' })
    expect(agentEvents(await ask('1+1?')).at(-1)).toMatchObject({ state: 'finished', summary: '= 2' })
  })

  test('answers without tools when its context is too small for them', async () => {
    const tooLong = { error: { status: 400, code: 'context_length_exceeded', message: 'too long' } }
    model.next(tooLong, { text: 'Fits now' })
    expect((await ask('Hello')).text()).toBe('Fits now')
    model.next(tooLong, tooLong)
    expect((await ask('Hello again')).received.at(-1)?.event).toMatchObject({ type: 'error', code: 'context_too_long' })
    const hadTools = model.chats().map(({ body }) => (body.tools ?? []).length > 0)
    expect(hadTools).toEqual([true, false, true, false])
  })

  test('has its calls excluded from analytics on request', async () => {
    model.next({ calls: [call('1+1')] }, { text: 'Two.' })
    await ask('1+1?', client, { 'x-analytics': 'off' })
    const recorded = await eventually(
      () => activitiesOf(account.user.id),
      ({ length }) => length > 0,
    )
    expect(recorded).toMatchObject([{ countsInAnalytics: false }])
  })
})

describe('users who may not use agents', () => {
  test('have none offered to the model, and none called even if it tries', async () => {
    const other = await server.createUser()
    model.next({ text: 'Let me see.', calls: [call('1+1')] })
    const stream = await ask('1+1?', createChatClient(url, other.token))
    expect(stream.text()).toBe('Let me see.')
    expect(stream.received.at(-1)?.event).toMatchObject({ type: 'complete' })
    expect(agentEvents(stream)).toEqual([])
    expect(model.chats().map(({ body }) => body.tools)).toEqual([undefined])
    expect(await activitiesOf(other.user.id)).toEqual([])
  })

  test('get no calculation from the built-in engine either', async () => {
    const other = createChatClient(plainUrl, (await plain.createUser()).token)
    const stream = await ask('15% of 80', other)
    expect(stream.text()).not.toContain('12')
    expect(agentEvents(stream)).toEqual([])
  })
})

describe('the built-in engine', () => {
  test.each([
    ['en', 'What is 15% of 80?', '= **12**', '= 12'],
    ['de', 'Wie viel ist 3,5 * 2,5?', '= **8,75**', '= 8,75'],
  ])('calculates by intent in %s: "%s"', async (language, content, text, summary) => {
    const user = await plain.createUser({ can_use_agents: true })
    const chat = createChatClient(plainUrl, user.token)
    const stream = await ask(content, chat, { 'accept-language': language, 'x-time-zone': 'Europe/Berlin' })
    expect(stream.text()).toContain(text)
    expect(agentEvents(stream)).toMatchObject([
      { state: 'started', name: 'CalculatorAgent', arguments: { input: content } },
      { state: 'finished', summary },
    ])
    expect(stream.received.at(-1)?.event).toMatchObject({ engine: 'built-in', model_used: 'built-in' })
    const { sessionId } = idsOf(stream)
    expect(await answerOf(sessionId, chat)).toMatchObject({ agent_calls: [{ state: 'finished', summary }] })
    const recorded = await eventually(
      () => activitiesOf(user.user.id, plain),
      ({ length }) => length > 0,
    )
    expect(recorded).toMatchObject([{ outcome: 'completed', subjectId: sessionId }])
  })

  test.each([
    ['en', 'That didn’t work. The result has too many digits.'],
    ['es', 'No ha funcionado. El resultado tiene demasiadas cifras.'],
  ])('explains in %s why 9^9^9^9 can’t be calculated', async (language, expected) => {
    const user = await plain.createUser({ can_use_agents: true })
    const chat = createChatClient(plainUrl, user.token)
    const stream = await ask('9^9^9^9', chat, { 'accept-language': language })
    expect(stream.text()).toBe(expected)
    expect(stream.received.at(-1)?.event).toMatchObject({ type: 'complete', interrupted: false })
    expect(agentEvents(stream).at(-1)).toMatchObject({ state: 'failed' })
  })

  test('calculates dates in the user’s time zone', async () => {
    const user = await plain.createUser({ can_use_agents: true })
    const days = async (zone: string) => {
      const stream = await ask('days until 24 December 2099', createChatClient(plainUrl, user.token), {
        'x-time-zone': zone,
      })
      return Number(/\*\*(\d+) days\*\*/.exec(stream.text())?.[1])
    }
    // 25 hours apart: never the same day, and two days apart between 10:00 and 11:00 UTC
    expect([1, 2]).toContain((await days('Pacific/Niue')) - (await days('Pacific/Kiritimati')))
  })
})

describe('the reasoning of a model', () => {
  test('has its own events and field, and is kept out of the text, the history and the title', async () => {
    model.next(
      { text: ['<think>They want ', 'a lighthouse.</think>', 'It shows ', 'the way.'] },
      { text: 'You are welcome.' },
    )
    model.completionText = '<think>A title about'
    const stream = await ask('What is a lighthouse for?')
    const { sessionId } = idsOf(stream)
    const thoughts = stream.received.flatMap(({ event }) => (event.type === 'reasoning' ? [event.content] : []))
    expect([thoughts.join(''), stream.text()]).toEqual(['They want a lighthouse.', 'It shows the way.'])
    expect(await answerOf(sessionId)).toMatchObject({
      content: 'It shows the way.',
      reasoning: 'They want a lighthouse.',
    })

    const next = await client.send({ content: 'Thanks', session_id: sessionId })
    await next.ended
    expect(JSON.stringify(model.chats()[1]?.body.messages)).not.toContain('They want')
    const session = await client.read(sessionId)
    expect(session.session_name).toBe('What is a lighthouse for?')
    expect(session.messages[0]?.reasoning).toBeNull()
  })

  test('is limited in length', async () => {
    model.next({ reasoning: Array.from({ length: 30 }, () => 'hmm '.repeat(1000)), text: 'Yes.' })
    const { sessionId } = idsOf(await ask('Think hard'))
    const { reasoning, content } = await answerOf(sessionId)
    expect([reasoning?.length, content]).toEqual([100_000, 'Yes.'])
  })
})

test('an answer whose server died keeps its calls and reasoning', async () => {
  model.next({ reasoning: ['Hm. '], calls: [call('1+1')] }, { text: 'Two and more', hang: 2 })
  const stream = await client.send({ content: 'What is 1+1?' })
  await stream.until((one) => one.text() !== '')
  const { sessionId, messageId } = idsOf(stream)
  const { pool } = server.context.database
  // the stored state is what a crashed server leaves
  await eventually(
    () =>
      pool.query<{ text: string }>('SELECT event::text AS text FROM chat_answer_events WHERE message_id = $1', [
        messageId,
      ]),
    ({ rows }) => rows.some(({ text }) => text.includes('chunk')),
  )
  const stored = createStoredAnswersStore(server.context.database)
  const interrupt = async () => {
    const stale = (await stored.findStale(0, null)).find((one) => one.messageId === messageId)
    return stale !== undefined && stored.interrupt(stale)
  }
  // the server is actually alive and still sends heartbeats
  expect(await eventually(interrupt, (isTaken) => isTaken)).toBe(true)
  expect(await answerOf(sessionId)).toMatchObject({
    interrupted: true,
    reasoning: 'Hm. ',
    agent_calls: [{ call_id: 'call-1', state: 'finished', summary: '= 2' }],
  })
})
