import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { EngineError } from '../../../errors.ts'
import type { StartedAnswer } from './questions.store.ts'
import { createAnswerRecord, type ProduceEvents } from './record.ts'
import type { AnswerEvent } from './turn.ts'

const startedAnswer: StartedAnswer = {
  userId: 'user',
  sessionId: 'session',
  sessionName: 'Hello',
  questionId: 'question',
  messageId: 'answer',
  parentId: null,
}

const create = (limits = {}) =>
  createAnswerRecord(
    startedAnswer,
    {
      engine: 'remote',
      model: 'asked-for',
      startedAt: performance.now(),
      countsInAnalytics: true,
    },
    {
      limits: { maxCharacters: 1000, maxReasoningCharacters: 100, maxDurationMs: 10_000, joinWindowMs: 5, ...limits },
      present: (event) => event,
      log: silentLog,
    },
  )

const take = (answer: ReturnType<typeof create>, produceEvents: ProduceEvents) => answer.generate(produceEvents)
const text = (content: string): AnswerEvent => ({ type: 'text', text: content })
const reasoning = (content: string): AnswerEvent => ({ type: 'reasoning', text: content })
const endEvent = (model: string, usage: Extract<AnswerEvent, { type: 'end' }>['usage'] = null): AnswerEvent => ({
  ...{ type: 'end', model, usage },
})

describe('an answer in progress', () => {
  test('ends complete with its text, calls, model and usage', async () => {
    const answer = create()
    const { result, end } = await take(answer, async function* () {
      yield text('one ')
      yield { type: 'sources', sources: [] }
      yield { type: 'agent', call: { call_id: 'a', name: 'NewsAgent', state: 'started' } }
      yield { type: 'agent', call: { call_id: 'a', name: 'NewsAgent', state: 'finished', summary: 'done' } }
      await sleep(10)
      yield text('two')
      yield endEvent('named', { input_tokens: 1, output_tokens: 2 })
    })
    expect(answer.log.events.map(({ event }) => event.type)).toEqual([
      'session',
      'chunk',
      'sources',
      'agent',
      'agent',
      'chunk',
    ])
    expect(end).toMatchObject({ type: 'complete', model_used: 'named', interrupted: false })
    expect(result).toMatchObject({
      state: 'complete',
      content: 'one two',
      model: 'named',
      usage: { input_tokens: 1, output_tokens: 2 },
      agentCalls: [{ call_id: 'a', name: 'NewsAgent', state: 'finished', summary: 'done' }],
      unstored: { messageId: 'answer', lastSeq: 7, events: [end] },
    })
    expect(result.firstTokenMs).toBeLessThanOrEqual(result.durationMs ?? 0)
  })

  test('separates reasoning from text, in order and up to its limit', async () => {
    const answer = create({ maxReasoningCharacters: 10 })
    const { result } = await take(answer, async function* () {
      yield reasoning('Hm')
      yield reasoning('m. ')
      yield text('one ')
      yield reasoning('wait: more')
      yield text('two')
      yield reasoning('and more')
    })
    expect(answer.log.events.slice(1).map(({ event }) => 'content' in event && [event.type, event.content])).toEqual([
      ['reasoning', 'Hm'],
      ['reasoning', 'm. '],
      ['chunk', 'one '],
      ['reasoning', 'wait:'],
      ['chunk', 'two'],
    ])
    expect(result).toMatchObject({ content: 'one two', reasoning: 'Hmm. wait:' })
  })

  test('keeps its sources, to cite them again, when it restarts because all text so far was reasoning', async () => {
    const sources = [
      { n: 1, media_id: null, media_type: 'chat', title: 'Lisbon', snippet: '…', thumbnail: null, url: '/chat' },
    ]
    const answer = create()
    const { result } = await take(answer, async function* () {
      yield { type: 'sources', sources }
      yield text('They ask [1].')
      yield { type: 'rethink' }
      yield text('Yes [1].')
    })
    const events = answer.log.events.map(({ event }) => event)
    const restartedEvents = events.slice(events.findLastIndex(({ type }) => type === 'session'))
    expect(restartedEvents).toContainEqual({ type: 'sources', sources })
    expect(result).toMatchObject({ content: 'Yes [1].', reasoning: 'They ask [1].', sources })
  })

  test('leaves no call open when it ends', async () => {
    const { result } = await take(create(), async function* () {
      yield { type: 'agent', call: { call_id: 'a', name: 'NewsAgent', state: 'started', arguments: { input: 'x\0' } } }
      throw new Error('broken')
    })
    expect(result.agentCalls).toMatchObject([
      { call_id: 'a', name: 'NewsAgent', state: 'failed', arguments: { input: 'x' } },
    ])
    expect(result.reasoning).toBeNull()
  })

  test('ends interrupted where it was stopped, ignoring later text', async () => {
    const answer = create()
    const { result } = await take(answer, async function* (signal) {
      yield text('one ')
      answer.stop('stopped')
      yield text('two ')
      expect(signal.aborted).toBe(true)
      throw new Error('the connection was aborted')
    })
    expect(result).toMatchObject({ state: 'interrupted', content: 'one ', error: null, model: 'asked-for' })
  })

  test('fails with the engine’s message and keeps its text', async () => {
    const sentences = [{ code: 'connection_key_refused', params: { name: 'One' } }]
    const { result, end } = await take(create(), async function* () {
      yield text('one ')
      throw new EngineError('It broke off.', { code: 'answer_cut_off', sentences })
    })
    expect(end).toEqual({ type: 'error', content: 'It broke off.', code: 'answer_cut_off', told: sentences })
    expect(result).toMatchObject({
      state: 'failed',
      content: 'one ',
      error: { sentence: 'It broke off.', code: 'answer_cut_off', sentences },
    })
  })

  test('hides the details of an unexpected error', async () => {
    const { end } = await take(create(), async function* () {
      yield text('one')
      throw new Error('SELECT secret FROM x')
    })
    expect(end).toEqual({
      type: 'error',
      content: 'Something went wrong while answering. Try again.',
      code: 'internal_error',
      told: [{ code: 'answer_failed', params: {} }],
    })
  })

  test('reports that the database was unreachable', async () => {
    const { end } = await take(create(), async function* () {
      yield text('one')
      throw Object.assign(new Error('terminating connection'), { code: '57P01' })
    })
    expect(end).toMatchObject({ code: 'internal_error', told: [{ code: 'answer_without_database', params: {} }] })
  })

  test('is cut off when it becomes too long', async () => {
    const { result, end } = await take(create({ maxCharacters: 10 }), async function* (signal) {
      while (!signal.aborted) yield text('1234')
    })
    expect(result).toMatchObject({ state: 'failed', content: '1234123412' })
    expect(end).toMatchObject({ type: 'error', code: 'answer_too_long' })
  })

  test('is cut off when it takes too long', async () => {
    const { end } = await take(create({ maxDurationMs: 30 }), async function* (signal) {
      yield text('one')
      await sleep(10_000, undefined, { signal })
    })
    expect(end).toMatchObject({ type: 'error', code: 'answer_too_long' })
  })

  test('drops characters that can’t be stored', async () => {
    const answer = create()
    const { result } = await take(answer, async function* () {
      yield text('a\0b\ud83c')
      yield endEvent('m\0')
    })
    expect(result).toMatchObject({ content: 'ab\ufffd', model: 'm' })
    expect(answer.log.events[1]?.event).toEqual({ type: 'chunk', content: 'ab' })
    expect(answer.log.events[2]?.event).toEqual({ type: 'chunk', content: '\ufffd' })
  })
})
