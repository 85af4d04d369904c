// @vitest-environment happy-dom
import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { reduceConversation } from './conversation-reducer.ts'
import { type ConversationState, emptyConversation } from './conversation-state.ts'
import { useViewKey } from './use-view-key.ts'

const opened = (sessionId: string | null): ConversationState =>
  reduceConversation(emptyConversation, { type: 'opened', sessionId, unsent: [] })

it('stays the same when a new conversation gets its id', () => {
  const { result, rerender } = renderHook(useViewKey, { initialProps: opened(null) })
  const before = result.current
  rerender({ ...opened(null), sessionId: 's1' })
  expect(result.current).toBe(before)
})

it.each([
  ['a new one', null],
  ['another', 's1'],
])('changes when a stored conversation is opened from %s, and stays the same while it loads', (_name, from) => {
  const { result, rerender } = renderHook(useViewKey, { initialProps: opened(from) })
  const before = result.current
  rerender(opened('s2'))
  const after = result.current
  expect(after).not.toBe(before)
  rerender({ ...opened('s2'), status: 'ready' })
  expect(result.current).toBe(after)
})
