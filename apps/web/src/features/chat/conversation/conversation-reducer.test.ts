import type { ChatEvent } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import {
  applyActions,
  CREATED_AT,
  chunk,
  detail,
  message,
  receivedAction,
  SESSION_ID,
  sessionEvent,
  unsentMessage,
  visibleItems,
} from './conversation-state.fixture.ts'
import { emptyConversation } from './conversation-state.ts'

const complete: ChatEvent = {
  type: 'complete',
  session_id: SESSION_ID,
  message_id: 'a1',
  model_used: 'a-model',
  engine: 'remote',
  usage: { input_tokens: 3, output_tokens: 4 },
  duration_ms: 12,
  interrupted: false,
}
const afterSending = applyActions(emptyConversation, { type: 'sent', message: unsentMessage })

it('takes the conversation’s id from the end of the answer when no earlier event had it', () => {
  const { sessionId } = applyActions(afterSending, receivedAction([null, complete]))
  expect(sessionId).toBe(SESSION_ID)
})

describe('sending', () => {
  it('shows the message and an empty answer immediately', () => {
    expect(visibleItems(afterSending)).toEqual([
      [null, 'user', 'Hello'],
      [null, 'assistant', ''],
    ])
    expect(afterSending.items.map(({ delivery, streaming }) => ({ delivery, streaming }))).toEqual([
      { delivery: 'sending', streaming: false },
      { delivery: 'sending', streaming: true },
    ])
    expect(afterSending.activity).toBe('sending')
  })

  it('sets the ids of the conversation, the message and the answer, and keeps their keys', () => {
    const state = applyActions(afterSending, receivedAction([1, sessionEvent]))
    expect(state.sessionId).toBe(SESSION_ID)
    expect(state.sessionName).toBe('Lisbon')
    expect(state.items.map(({ key, id, delivery }) => ({ key, id, delivery }))).toEqual([
      { key: 'c1', id: 'u1', delivery: 'stored' },
      { key: 'answer-c1', id: 'a1', delivery: 'stored' },
    ])
  })

  it('appends chunks, and ends the answer with its model and engine on complete', () => {
    const state = applyActions(
      afterSending,
      receivedAction([1, sessionEvent], [2, chunk('Good ')], [3, chunk('day')], [4, complete]),
      {
        type: 'ended',
      },
    )
    expect(state.items[1]).toMatchObject({
      content: 'Good day',
      streaming: false,
      model_used: 'a-model',
      engine: 'remote',
      duration_ms: 12,
      interrupted: false,
    })
    expect(state).toMatchObject({ activity: 'idle', live: null })
  })

  it('keeps the received text when the stream reports an error', () => {
    const state = applyActions(
      afterSending,
      receivedAction(
        [1, sessionEvent],
        [2, chunk('Half')],
        [3, { type: 'error', content: 'The model broke.', code: 'model' }],
      ),
    )
    expect(state.items[1]).toMatchObject({ content: 'Half', error: 'The model broke.', streaming: false })
  })

  it('ignores events of an unknown type', () => {
    const unknown = { type: 'weather', sky: 'blue' } as unknown as ChatEvent
    expect(
      visibleItems(applyActions(afterSending, receivedAction([1, sessionEvent], [2, unknown], [3, chunk('Yes')]))),
    ).toEqual([
      ['u1', 'user', 'Hello'],
      ['a1', 'assistant', 'Yes'],
    ])
  })

  it('adds the sources to the answer', () => {
    const sources = [
      { n: 1, media_id: null, media_type: 'chat', title: 'Lisbon', snippet: '…', thumbnail: null, url: '/chat' },
    ]
    expect(
      applyActions(afterSending, receivedAction([1, sessionEvent], [2, { type: 'sources', sources }])).items[1]!
        .sources,
    ).toEqual(sources)
  })
})

describe('reasoning and agent calls', () => {
  const reasoning = (content: string): ChatEvent => ({ type: 'reasoning', content })
  const started: ChatEvent = { type: 'agent', call_id: 'k1', name: 'CalculatorAgent', state: 'started', arguments: 'x' }
  const finished: ChatEvent = {
    type: 'agent',
    call_id: 'k1',
    name: 'CalculatorAgent',
    state: 'finished',
    summary: '12',
  }

  it('collects reasoning separately from the text', () => {
    const state = applyActions(
      afterSending,
      receivedAction([1, sessionEvent], [2, reasoning('Let me ')], [3, reasoning('see')], [4, chunk('Yes')]),
    )
    expect(state.items[1]).toMatchObject({ reasoning: 'Let me see', content: 'Yes' })
  })

  it('tracks each agent call by its id', () => {
    const state = applyActions(
      afterSending,
      receivedAction([1, sessionEvent], [2, started], [3, { ...started, call_id: 'k2' }], [4, finished]),
    )
    expect(state.items[1]!.agent_calls).toEqual([
      { call_id: 'k1', name: 'CalculatorAgent', state: 'finished', arguments: 'x', summary: '12' },
      { call_id: 'k2', name: 'CalculatorAgent', state: 'started', arguments: 'x' },
    ])
  })

  it('has no duplicates when the server starts over', () => {
    const once = applyActions(
      afterSending,
      receivedAction([1, sessionEvent], [2, reasoning('Hm')], [3, started], [4, finished]),
    )
    const again = applyActions(once, receivedAction([1, sessionEvent], [2, reasoning('Hm')], [3, started]))
    expect(again.items[1]!.reasoning).toBe('Hm')
    expect(again.items[1]!.agent_calls).toMatchObject([{ call_id: 'k1', state: 'started' }])
  })
})

describe('a refused message', () => {
  const refused = applyActions(afterSending, { type: 'refused', clientId: 'c1', error: 'Too many messages.' })

  it('keeps its text, marked as failed, with the reason on its answer', () => {
    expect(refused.items.map(({ content, delivery, failure }) => ({ content, delivery, failure }))).toEqual([
      { content: 'Hello', delivery: 'failed', failure: null },
      { content: '', delivery: 'failed', failure: 'Too many messages.' },
    ])
    expect(refused).toMatchObject({ activity: 'idle', live: null })
  })

  it('has no answer when the user cancelled', () => {
    const state = applyActions(afterSending, { type: 'refused', clientId: 'c1', error: null })
    expect(state.items.map(({ key, delivery }) => ({ key, delivery }))).toEqual([{ key: 'c1', delivery: 'failed' }])
  })

  it('moves to the end, without a duplicate, when it is sent again', () => {
    const other = { client_id: 'c2', content: 'Other', created_at: CREATED_AT }
    const state = applyActions(
      refused,
      { type: 'sent', message: other },
      { type: 'refused', clientId: 'c2', error: 'No.' },
      { type: 'sent', message: unsentMessage },
    )
    expect(state.items.map((item) => item.key)).toEqual(['c2', 'answer-c2', 'c1', 'answer-c1'])
  })

  it('is removed with its answer when the user withdraws it', () => {
    expect(applyActions(refused, { type: 'withdrawn', key: 'c1' }).items).toEqual([])
  })

  it('is shown again, as failed, when the conversation is opened later', () => {
    const state = applyActions(emptyConversation, { type: 'opened', sessionId: SESSION_ID, unsent: [unsentMessage] })
    expect(state.status).toBe('loading')
    expect(state.items.map(({ key, delivery }) => ({ key, delivery }))).toEqual([{ key: 'c1', delivery: 'failed' }])
  })

  it('is dropped with its answer when the server already has it', () => {
    const page = detail([message('u1', 'user', 'Hello', { client_id: 'c1' })])
    for (const type of ['loaded', 'older-loaded'] as const) {
      expect(visibleItems(applyActions(refused, { type, detail: page }))).toEqual([['u1', 'user', 'Hello']])
    }
  })

  it('stays when the server has another message with the same text', () => {
    const other = message('u1', 'user', 'Hello', { client_id: 'c0' })
    expect(visibleItems(applyActions(refused, { type: 'loaded', detail: detail([other]) }))).toEqual([
      ['u1', 'user', 'Hello'],
      [null, 'user', 'Hello'],
      [null, 'assistant', ''],
    ])
  })
})

describe('a lost connection', () => {
  const halfway = applyActions(
    afterSending,
    receivedAction([1, sessionEvent], [2, chunk('One ')], [3, chunk('two ')]),
    { type: 'lost' },
  )

  it('shows that it is reconnecting and keeps the text', () => {
    expect(halfway.activity).toBe('reconnecting')
    expect(halfway.items[1]!.content).toBe('One two ')
  })

  it('resumes where it stopped', () => {
    const state = applyActions(halfway, receivedAction([4, chunk('three')], [5, complete]))
    expect(state.items[1]!.content).toBe('One two three')
    expect(state.activity).toBe('answering')
  })

  it('shows no duplicates when the server repeats received events', () => {
    const state = applyActions(halfway, receivedAction([2, chunk('One ')], [3, chunk('two ')], [4, chunk('three')]))
    expect(state.items[1]!.content).toBe('One two three')
  })

  it('shows no duplicates when the server starts over', () => {
    const replay = [[1, sessionEvent] as const, [2, chunk('One ')] as const, [3, chunk('two three')] as const]
    const texts = replay.map((_, index) => {
      const parts = replay.slice(0, index + 1).map(([id, event]) => [id, event] as [number, ChatEvent])
      return applyActions(halfway, receivedAction(...parts)).items[1]!.content
    })
    expect(texts).toEqual(['One two ', 'One two ', 'One two three'])
  })
})

describe('an answer requested elsewhere', () => {
  const opened = applyActions(
    emptyConversation,
    { type: 'opened', sessionId: SESSION_ID, unsent: [] },
    {
      type: 'loaded',
      detail: detail([message('u1', 'user', 'Hello'), message('a1', 'assistant', 'One tw', { streaming: true })]),
    },
  )

  it('keeps the loaded text until its stream has more', () => {
    const followed = applyActions(opened, { type: 'followed' }, receivedAction([1, sessionEvent], [2, chunk('One ')]))
    expect(followed.items[1]!.content).toBe('One tw')
    const later = applyActions(followed, receivedAction([3, chunk('two three')], [4, complete]), { type: 'ended' })
    expect(later.items[1]).toMatchObject({ content: 'One two three', streaming: false })
    expect(later.items).toHaveLength(2)
  })

  it('appears with the next load when it isn’t on the screen yet', () => {
    const empty = applyActions(
      emptyConversation,
      { type: 'opened', sessionId: SESSION_ID, unsent: [] },
      { type: 'followed' },
    )
    const state = applyActions(
      empty,
      receivedAction([1, sessionEvent], [2, chunk('One two')]),
      {
        type: 'loaded',
        detail: detail([message('u1', 'user', 'Hello'), message('a1', 'assistant', 'One', { streaming: true })]),
      },
      receivedAction([3, chunk(' three')]),
    )
    expect(visibleItems(state)).toEqual([
      ['u1', 'user', 'Hello'],
      ['a1', 'assistant', 'One two three'],
    ])
  })
})
