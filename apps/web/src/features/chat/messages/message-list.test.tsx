// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { MessageList } from './message-list.tsx'

vi.mock('./bubble.tsx', () => ({ Bubble: ({ item }: { item: { id: string } }) => <input aria-label={item.id} /> }))

const noop = () => {}
const list = (ids: string[], created_at = '2026-11-20T10:00:00Z') => {
  const items = ids.map((id) => ({ id, key: id, created_at }))
  const state = { items, older: 'idle', previousCursor: null, live: null, activity: 'idle' }
  return (
    <MessageList
      state={state as unknown as ConversationState}
      viewKey="conversation"
      requestedMessage={null}
      operations={{} as MessageOperations}
      onLoadOlder={noop}
      onRetry={noop}
      onEdit={noop}
    />
  )
}

it('keeps an edit in progress when older messages of the same day are loaded', async () => {
  await loadTexts('chat')
  const { user, rerender } = await renderPart(list(['newer']))
  await user.type(screen.getByLabelText('newer'), 'a draft')
  rerender(list(['older', 'newer']))
  expect(screen.getByLabelText('older')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('newer').value).toBe('a draft')
})
