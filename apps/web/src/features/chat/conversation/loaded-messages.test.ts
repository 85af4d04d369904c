import { describe, expect, it } from 'vitest'
import {
  applyActions,
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

describe('loading', () => {
  const page = detail([message('u2', 'user', 'Second'), message('a2', 'assistant', 'Two')], { previous_cursor: 'p1' })
  const loaded = applyActions(
    emptyConversation,
    { type: 'opened', sessionId: SESSION_ID, unsent: [] },
    { type: 'loaded', detail: page },
  )
  const older = detail([message('u1', 'user', 'First'), message('a1', 'assistant', 'One')], { previous_cursor: null })

  it('puts older messages before the others', () => {
    const state = applyActions(loaded, { type: 'older-wanted' }, { type: 'older-loaded', detail: older })
    expect(visibleItems(state).map(([id]) => id)).toEqual(['u1', 'a1', 'u2', 'a2'])
    expect(state).toMatchObject({ previousCursor: null, older: 'idle' })
  })

  it('keeps older messages when the newest are loaded again', () => {
    const both = applyActions(loaded, { type: 'older-loaded', detail: older })
    const state = applyActions(both, {
      type: 'loaded',
      detail: { ...page, messages: [...page.messages, message('u3', 'user', 'Third')] },
    })
    expect(visibleItems(state).map(([id]) => id)).toEqual(['u1', 'a1', 'u2', 'a2', 'u3'])
    expect(state.previousCursor).toBeNull()
  })

  it('starts over when none of the shown messages is among the newest', () => {
    const state = applyActions(loaded, {
      type: 'loaded',
      detail: detail([message('u9', 'user', 'Ninth')], { previous_cursor: 'p8' }),
    })
    expect(visibleItems(state)).toEqual([['u9', 'user', 'Ninth']])
    expect(state.previousCursor).toBe('p8')
  })

  it('keeps a streaming answer when the newest messages are loaded meanwhile', () => {
    const busy = applyActions(
      loaded,
      { type: 'sent', message: unsentMessage },
      receivedAction(
        [1, { ...sessionEvent, type: 'session', user_message_id: 'u3', message_id: 'a3', session_name: 'Lisbon' }],
        [2, chunk('One two')],
      ),
    )
    const state = applyActions(busy, {
      type: 'loaded',
      detail: {
        ...page,
        messages: [
          ...page.messages,
          message('u3', 'user', 'Hello'),
          message('a3', 'assistant', 'One', { streaming: true }),
        ],
      },
    })
    expect(visibleItems(state)).toEqual([
      ['u2', 'user', 'Second'],
      ['a2', 'assistant', 'Two'],
      ['u3', 'user', 'Hello'],
      ['a3', 'assistant', 'One two'],
    ])
    expect(visibleItems(applyActions(busy, { type: 'loaded', detail: page }))).toEqual(visibleItems(state))
  })

  it('distinguishes a missing conversation from an unreachable server', () => {
    const opened = applyActions(emptyConversation, { type: 'opened', sessionId: SESSION_ID, unsent: [] })
    expect(applyActions(opened, { type: 'load-failed', isMissing: true }).status).toBe('missing')
    expect(applyActions(opened, { type: 'load-failed', isMissing: false }).status).toBe('unreachable')
    expect(applyActions(loaded, { type: 'load-failed', isMissing: false }).status).toBe('ready')
  })
})
