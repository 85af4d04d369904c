// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { storedItem } from '../conversation/chat-items.ts'
import { message } from '../conversation/conversation-state.fixture.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { QuestionActions } from './message-actions.tsx'

const ids = ['v0', 'v1', 'v2']
const showVersion = vi.fn()

/** One version of a question; each version is a separate element. */
function Version({ index }: { index: number }) {
  const siblings = { index, count: 3, previous_id: ids[index - 1] ?? null, next_id: ids[index + 1] ?? null }
  const item = storedItem(message(ids[index]!, 'user', `Version ${index}`, { siblings }), undefined)
  const operations = { showVersion } as unknown as MessageOperations
  return <QuestionActions key={index} item={item} isBusy={false} operations={operations} onEdit={() => {}} />
}

it('arrow keys keep switching versions after each switch', async () => {
  const { user, rerender } = await renderPart(<Version index={0} />)
  screen.getByRole('button', { name: 'Next version' }).focus()
  await user.keyboard('{ArrowRight}')
  expect(showVersion).toHaveBeenLastCalledWith('v1')
  rerender(<Version index={1} />)
  await user.keyboard('{ArrowRight}')
  expect(showVersion).toHaveBeenLastCalledWith('v2')
  rerender(<Version index={2} />)
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Previous version' }))
  await user.keyboard('{ArrowLeft}')
  expect(showVersion).toHaveBeenLastCalledWith('v1')
})
