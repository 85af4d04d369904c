import { randomUUID } from 'node:crypto'
import type { ChatEvent } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { sql } from '../../../platform/database/sql.ts'
import { type AnswerResult, type AnswersStore, createAnswersStore } from './answers.store.ts'
import { createQuestionsStore, type NewQuestion, type QuestionsStore, type StartedAnswer } from './questions.store.ts'
import { createStoredAnswersStore, type StoredAnswersStore } from './stored-answers.store.ts'

let database: TestDatabase
let questions: QuestionsStore
let store: AnswersStore
let stored: StoredAnswersStore
let userId: string
const serverId = randomUUID()

beforeAll(async () => {
  database = await openTestDatabase()
  questions = createQuestionsStore(database)
  store = createAnswersStore(database)
  stored = createStoredAnswersStore(database)
})
beforeEach(async () => {
  userId = (await insertUser(database)).id
})
afterAll(() => database.close())

const question = (overrides: Partial<NewQuestion> = {}): NewQuestion => ({
  userId,
  chatTokenId: null,
  sessionId: null,
  sessionName: 'Hello',
  parentId: undefined,
  clientId: null,
  content: 'Hello',
  isForeign: false,
  pictures: [],
  mediaIds: [],
  mentions: [],
  searchConfiguration: 'english',
  engine: 'built-in',
  model: 'built-in',
  maxHistoryCharacters: 1000,
  serverId,
  ...overrides,
})

async function begin(overrides: Partial<NewQuestion> = {}): Promise<StartedAnswer> {
  const outcome = await questions.begin(question(overrides))
  if (outcome.kind !== 'started') throw new Error(`not started: ${outcome.kind}`)
  return outcome.answer
}

const chunk = (content: string): ChatEvent => ({ type: 'chunk', content })

const result = (answer: StartedAnswer, overrides: Partial<AnswerResult> = {}): AnswerResult => ({
  messageId: answer.messageId,
  sessionId: answer.sessionId,
  userId: answer.userId,
  state: 'complete',
  readsOutsideText: false,
  content: 'Hello to you',
  searchConfiguration: 'english',
  error: null,
  model: 'model-1',
  usage: { input_tokens: 3, output_tokens: 4 },
  durationMs: 100,
  firstTokenMs: 10,
  stopReason: null,
  sources: [],
  agentCalls: [],
  reasoning: null,
  sentiment: 'positive',
  countsInAnalytics: true,
  unstored: { messageId: answer.messageId, lastSeq: 1, events: [] },
  ...overrides,
})

const messagesOf = (sessionId: string) =>
  database.prisma.chatMessage.findMany({ where: { sessionId }, orderBy: { createdAt: 'asc' } })

describe('a question', () => {
  test('is stored with a placeholder for its answer', async () => {
    const answer = await begin()
    expect(await messagesOf(answer.sessionId)).toMatchObject([
      { id: answer.questionId, role: 'user', content: 'Hello', state: 'complete', parentId: null },
      { id: answer.messageId, role: 'assistant', content: '', state: 'streaming', parentId: answer.questionId },
    ])
    const session = await database.prisma.chatSession.findUniqueOrThrow({ where: { id: answer.sessionId } })
    expect(session).toMatchObject({ sessionName: 'Hello', currentMessageId: answer.messageId })
  })

  test('loads the messages before it, up to the given length', async () => {
    const first = await begin()
    await store.finish(result(first))
    const [question, answer] = await messagesOf(first.sessionId)
    const { sessionId } = first
    const next = await begin({ sessionId, content: 'And then?' })
    expect(next.history).toEqual([
      {
        id: question?.id,
        role: 'user',
        content: 'Hello',
        hasOutsideText: false,
        hasReminders: false,
        isForeign: false,
        allowedCalls: [],
        sources: [],
      },
      {
        id: answer?.id,
        role: 'assistant',
        content: 'Hello to you',
        hasOutsideText: false,
        hasReminders: false,
        isForeign: false,
        allowedCalls: [],
        sources: [],
      },
    ])
    expect(first.history).toBeUndefined()
    await store.finish(result(next))
    expect((await begin({ sessionId, maxHistoryCharacters: 1 })).history).toMatchObject([{ id: next.messageId }])
  })

  test('continues the branch that is shown', async () => {
    const first = await begin()
    await store.finish(result(first))
    const second = await begin({ sessionId: first.sessionId })
    expect(second).toMatchObject({ parentId: first.messageId, sessionName: 'Hello' })
  })

  test('may continue from another answer of the conversation', async () => {
    const first = await begin()
    await store.finish(result(first))
    const second = await begin({ sessionId: first.sessionId })
    await store.finish(result(second))
    expect(await begin({ sessionId: first.sessionId, parentId: first.messageId })).toMatchObject({
      parentId: first.messageId,
    })
  })

  test('makes a completed conversation active again', async () => {
    const first = await begin()
    await store.finish(result(first))
    await database.prisma.chatSession.update({ where: { id: first.sessionId }, data: { completedAt: new Date() } })
    await begin({ sessionId: first.sessionId })
    const session = await database.prisma.chatSession.findUniqueOrThrow({ where: { id: first.sessionId } })
    expect(session.completedAt).toBe(null)
  })

  test('finds no conversation of another user', async () => {
    const first = await begin()
    const stranger = await insertUser(database)
    expect(await questions.begin(question({ userId: stranger.id, sessionId: first.sessionId }))).toEqual({
      kind: 'no-session',
    })
    expect(await questions.begin(question({ sessionId: randomUUID() }))).toEqual({ kind: 'no-session' })
  })

  test('cannot continue from a message of another conversation, or from a question', async () => {
    const [first, other] = [await begin(), await begin()]
    await store.finish(result(first))
    for (const parentId of [other.messageId, first.questionId, randomUUID()]) {
      expect(await questions.begin(question({ sessionId: first.sessionId, parentId }))).toEqual({ kind: 'no-parent' })
    }
    expect(await messagesOf(first.sessionId)).toHaveLength(2)
  })

  test('is rejected as busy while an answer is running, and nothing is stored', async () => {
    const first = await begin()
    expect(await questions.begin(question({ sessionId: first.sessionId }))).toEqual({ kind: 'busy' })
    expect(await messagesOf(first.sessionId)).toHaveLength(2)
  })

  test('sent repeatedly with one client id is stored once, even concurrently', async () => {
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => questions.begin(question({ clientId: 'once' }))))
    const started = outcomes.filter(({ kind }) => kind === 'started')
    expect(started).toHaveLength(1)
    const answer = started[0]?.kind === 'started' ? started[0].answer : undefined
    for (const outcome of outcomes.filter(({ kind }) => kind !== 'started')) {
      expect(outcome).toEqual({ kind: 'repeated', sessionId: answer?.sessionId, messageId: answer?.messageId })
    }
    expect(await database.prisma.chatSession.count({ where: { userId } })).toBe(1)
  })

  test('sent repeatedly to a conversation is stored once there', async () => {
    const first = await begin()
    await store.finish(result(first))
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => questions.begin(question({ sessionId: first.sessionId, clientId: 'again' }))),
    )
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual([...Array(4).fill('repeated'), 'started'])
    expect(await messagesOf(first.sessionId)).toHaveLength(4)
  })

  test('of another user with the same client id is a separate question', async () => {
    await begin({ clientId: 'shared' })
    const stranger = await insertUser(database)
    expect(await questions.begin(question({ userId: stranger.id, clientId: 'shared' }))).toMatchObject({
      kind: 'started',
    })
  })
})

describe('an answer', () => {
  test('stores its events and reports requests to stop', async () => {
    const [first, second] = [await begin(), await begin()]
    await store.requestStop(second.sessionId)
    const alive = await store.flush(
      [first.messageId, second.messageId, randomUUID()],
      [
        { messageId: first.messageId, lastSeq: 2, events: [chunk('a'), chunk('b \u{1F30A}')] },
        { messageId: second.messageId, lastSeq: 1, events: [chunk('c')] },
        { messageId: randomUUID(), lastSeq: 1, events: [chunk('of nobody')] },
      ],
    )
    expect(alive.toSorted((a, b) => Number(a.isStopRequested) - Number(b.isStopRequested))).toEqual([
      { messageId: first.messageId, isStopRequested: false },
      { messageId: second.messageId, isStopRequested: true },
    ])
    expect(await stored.readEvents(first.messageId, 0)).toEqual({
      events: [
        { seq: 1, event: chunk('a') },
        { seq: 2, event: chunk('b \u{1F30A}') },
      ],
      isEnd: false,
    })
    expect(await stored.readPartialContents([first.messageId, second.messageId])).toEqual(
      new Map([
        [first.messageId, 'ab \u{1F30A}'],
        [second.messageId, 'c'],
      ]),
    )
  })

  test('is finished with all measurements, together with its activity', async () => {
    const answer = await begin()
    const last: ChatEvent = { type: 'error', content: 'x', code: 'model_error' }
    const unstored = { messageId: answer.messageId, lastSeq: 1, events: [last] }
    expect(await store.finish(result(answer, { unstored }))).toBe(true)
    const [, message] = await messagesOf(answer.sessionId)
    expect(message).toMatchObject({
      state: 'complete',
      content: 'Hello to you',
      modelUsed: 'model-1',
      inputTokens: 3,
      outputTokens: 4,
      durationMs: 100,
      firstTokenMs: 10,
    })
    expect(await stored.readEvents(answer.messageId, 0)).toEqual({ events: [{ seq: 1, event: last }], isEnd: true })
    const session = await database.prisma.chatSession.findUniqueOrThrow({ where: { id: answer.sessionId } })
    expect(session.sentiment).toBe('positive')
    expect(await database.prisma.activity.findMany({ where: { userId } })).toMatchObject([
      {
        kind: 'chat',
        outcome: 'completed',
        subjectId: answer.sessionId,
        detailId: answer.messageId,
        durationMs: 100,
        firstTokenMs: 10,
        inputTokens: 3,
        outputTokens: 4,
        detail: { action: 'answered' },
        countsInAnalytics: true,
      },
    ])
  })

  test('with too many distinct words for a tsvector is stored and found by its beginning', async () => {
    const answer = await begin()
    const georgian = (n: number) => String(n).replace(/\d/g, (digit) => String.fromCodePoint(0x10d0 + Number(digit)))
    const words = Array.from({ length: 49_000 }, (_, n) => georgian(1_000_000 + n))
    const content = `lighthouse ${words.join(' ')}`
    const fullVector = database.pool.query(`SELECT to_tsvector('english', $1)`, [content])
    await expect(fullVector).rejects.toMatchObject({ code: '54000' })
    expect(await store.finish(result(answer, { content }))).toBe(true)
    const { rowCount } = await database.pool.query(
      `SELECT FROM chat_messages WHERE id = $1 AND tsv @@ 'lighthous'::tsquery`,
      [answer.messageId],
    )
    expect(rowCount).toBe(1)
  })

  test('is finished once', async () => {
    const answer = await begin()
    await store.finish(result(answer))
    expect(await store.finish(result(answer, { content: 'again' }))).toBe(false)
    expect(await database.prisma.activity.count({ where: { userId } })).toBe(1)
  })

  test('of a deleted conversation is no longer stored', async () => {
    const answer = await begin()
    await database.prisma.chatSession.delete({ where: { id: answer.sessionId } })
    const unstored = { messageId: answer.messageId, lastSeq: 1, events: [chunk('a')] }
    expect(await store.flush([answer.messageId], [unstored])).toEqual([])
    expect(await store.finish(result(answer, { unstored }))).toBe(false)
    expect(await database.prisma.activity.count({ where: { userId } })).toBe(0)
  })
})

describe('the log of an answer', () => {
  test('can be read from any position, even within a batch', async () => {
    const { messageId } = await begin()
    const contents = ['a', 'b', 'c', 'd', 'e']
    await store.flush([messageId], [{ messageId, lastSeq: 3, events: contents.slice(0, 3).map(chunk) }])
    await store.flush([messageId], [{ messageId, lastSeq: 5, events: contents.slice(3).map(chunk) }])
    for (let position = 0; position <= 5; position++) {
      const expected = contents.map((content, index) => ({ seq: index + 1, event: chunk(content) })).slice(position)
      expect(await stored.readEvents(messageId, position)).toEqual({ events: expected, isEnd: false })
    }
  })

  test('contains every event once when a write is repeated with more events because its outcome was unknown', async () => {
    const { messageId } = await begin()
    const events = ['a', 'b', 'c'].map(chunk)
    await store.flush([messageId], [{ messageId, lastSeq: 2, events: events.slice(0, 2) }])
    await store.flush([messageId], [{ messageId, lastSeq: 3, events }])
    await store.flush([messageId], [{ messageId, lastSeq: 3, events }])
    expect((await stored.readEvents(messageId, 0))?.events.map(({ event }) => event)).toEqual(events)
    expect((await stored.readPartialContents([messageId])).get(messageId)).toBe('abc')
  })
})

describe('an answer whose server died', () => {
  const otherServerId = randomUUID()

  test('is found after enough silence, unless it belongs to the searching server', async () => {
    const answer = await begin()
    const isStale = async (silentMs: number, callerId: string, afterId?: string) =>
      (await stored.findStale(silentMs, callerId, afterId)).some(({ messageId }) => messageId === answer.messageId)
    expect([await isStale(0, otherServerId), await isStale(60_000, otherServerId), await isStale(0, serverId)]).toEqual(
      [true, false, false],
    )
    expect(await isStale(0, otherServerId, answer.messageId)).toBe(false)
  })

  test('is found even if its heartbeat dates from before the clock was set back', async () => {
    const { messageId } = await begin()
    await database.pool.query(
      sql`UPDATE chat_answers SET heartbeat_at = now() + interval '2 hours' WHERE message_id = ${messageId}`,
    )
    const stale = (await stored.findStale(0, otherServerId)).find((one) => one.messageId === messageId)
    expect(await stored.interrupt(stale!)).toBe(true)
  })

  test('ends interrupted with the text stored so far', async () => {
    const answer = await begin()
    const { messageId } = answer
    await store.flush([messageId], [{ messageId, lastSeq: 2, events: [chunk('It shows '), chunk('ships ')] }])
    const [stale] = (await stored.findStale(0, otherServerId)).filter(({ messageId }) => messageId === answer.messageId)
    expect(await stored.interrupt(stale!)).toBe(true)
    expect(await stored.interrupt(stale!)).toBe(false)
    const [, message] = await messagesOf(answer.sessionId)
    expect(message).toMatchObject({ state: 'interrupted', content: 'It shows ships ' })
    const log = await stored.readEvents(answer.messageId, 2)
    expect(log).toMatchObject({ isEnd: true, events: [{ seq: 3, event: { type: 'complete', interrupted: true } }] })
  })

  test('ends with only its beginning on request', async () => {
    const answer = await begin()
    const { messageId } = answer
    await store.flush([messageId], [{ messageId, lastSeq: 1, events: [chunk('It shows ships')] }])
    const [stale] = (await stored.findStale(0, otherServerId)).filter(({ messageId }) => messageId === answer.messageId)
    expect(await stored.interrupt(stale!, 8)).toBe(true)
    const [, message] = await messagesOf(answer.sessionId)
    expect(message).toMatchObject({ state: 'interrupted', content: 'It shows' })
  })

  test('is left alone when its server sends a heartbeat meanwhile', async () => {
    const answer = await begin()
    const [stale] = (await stored.findStale(0, otherServerId)).filter(({ messageId }) => messageId === answer.messageId)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await store.flush([answer.messageId], [])
    expect(await stored.interrupt(stale!)).toBe(false)
  })
})

describe('following', () => {
  test('finds the newest answer of a conversation or the requested one, but not another user’s', async () => {
    const first = await begin()
    await store.finish(result(first))
    const second = await begin({ sessionId: first.sessionId })
    const heads = [
      await stored.findHead(userId, first.sessionId, null),
      await stored.findHead(userId, first.sessionId, first.messageId),
    ]
    expect(heads).toMatchObject([
      { messageId: second.messageId, questionId: second.questionId, state: 'streaming', hasEvents: true },
      { messageId: first.messageId, state: 'complete', content: 'Hello to you', model: 'model-1' },
    ])
    const stranger = await insertUser(database)
    expect(await stored.findHead(stranger.id, first.sessionId, null)).toBe(null)
    expect(await stored.findHead(userId, first.sessionId, first.questionId)).toBe(null)
  })
})
