// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import type { ChatItem } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { Bubble } from './bubble.tsx'

// the lazy-loaded renderer and actions of a message don't matter here
vi.mock('./message-actions.tsx', () => ({
  AnswerActions: () => null,
  QuestionActions: () => null,
  CopyUnstoredMessage: () => null,
}))
vi.mock('./markdown.tsx', () => ({ Markdown: ({ text }: { text: string }) => text }))

const answer = (stop_reason: ChatItem['stop_reason']) =>
  ({
    ...{
      key: 'a',
      id: 'a',
      role: 'assistant',
      content: 'Once upon a',
      created_at: '2026-01-01T00:00:00Z',
      stop_reason,
    },
    ...{ images: [], media: [], mentions: [], sources: [], agent_calls: [], usage: null, rating: null, failure: null },
    ...{ model_used: 'm', engine: 'remote', streaming: false, interrupted: false, error: null, error_code: null },
    ...{ reasoning: null, duration_ms: 1, parent_id: null, delivery: 'stored' },
    siblings: { index: 0, count: 1, previous_id: null, next_id: null },
  }) as ChatItem

async function show(item: ChatItem) {
  const continueAnswer = vi.fn()
  const operations = { continueAnswer } as unknown as MessageOperations
  const bubbleOf = (item: ChatItem) => (
    <Bubble item={item} isBusy={false} canAskAgain operations={operations} onRetry={() => {}} onEdit={() => {}} />
  )
  const { user, rerender: showNext } = await renderPart(bubbleOf(item))
  return { user, showNext: (next: ChatItem) => showNext(bubbleOf(next)), continueAnswer }
}

test('an answer cut off at the length limit says so, and continues on a click', async () => {
  const item = answer('length')
  const { user, continueAnswer } = await show(item)
  expect(screen.getByText('The answer was cut off at the length limit.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  expect(continueAnswer).toHaveBeenCalledWith(item)
})

test('an answer cut off by a content filter says so, and a complete one doesn’t', async () => {
  const { showNext } = await show(answer('content_filter'))
  expect(screen.getByText(/content filter/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull()
  showNext(answer(undefined))
  expect(screen.queryByText(/content filter/)).toBeNull()
})
