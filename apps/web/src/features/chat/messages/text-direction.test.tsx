// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { QueuedMessages } from '../composer/queued-messages.tsx'
import type { ChatItem, UnsentMessage } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { Bubble, Reasoning } from './bubble.tsx'

// the other actions of a message don't matter here
vi.mock('./message-actions.tsx', () => ({
  QuestionActions: ({ onEdit }: { onEdit: () => void }) => (
    <button type="button" onClick={onEdit}>
      edit
    </button>
  ),
  CopyUnstoredMessage: () => null,
}))

const noop = () => {}
const question = {
  ...{ key: 'q', id: 'q', role: 'user', content: 'מה השעה?', delivery: 'stored' },
  created_at: '2026-01-01T00:00:00Z',
  ...{ images: [], media: [], mentions: [], siblings: { index: 0, count: 1, previous_id: null, next_id: null } },
} as unknown as ChatItem
const queued = [{ client_id: 'n', content: 'ומחר?', images: [], media: [], mentions: [] }] as unknown as UnsentMessage[]

test('a question being edited, thoughts and queued messages get their direction from their letters', async () => {
  const { user } = await renderPart(
    <>
      <Bubble
        item={question}
        isBusy={false}
        canAskAgain
        operations={{} as MessageOperations}
        onRetry={noop}
        onEdit={noop}
      />
      <Reasoning thoughts="שאלה על C++" isThinking={false} />
      <QueuedMessages queued={queued} isBusy onSendNow={noop} onEdit={noop} onRemove={noop} />
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'edit' }))
  const texts = [screen.getByDisplayValue('מה השעה?'), screen.getByText('שאלה על C++'), screen.getByText('ומחר?')]
  expect(texts.map((element) => element.getAttribute('dir'))).toEqual(['auto', 'auto', 'auto'])
})
