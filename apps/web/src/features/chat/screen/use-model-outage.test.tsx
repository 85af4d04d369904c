// @vitest-environment happy-dom
import type { Health } from '@mira/shared'
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import type { ChatItem } from '../conversation/conversation-state.ts'
import { ModelUnavailableNote } from './conversation-view.tsx'
import { useModelOutage } from './use-model-outage.ts'

let state = 'error'
beforeEach(() => {
  route('GET /health').mockImplementation(async () => ({ checks: { models: { chat: { state } } } }) as Health)
})

const failedAnswer = (id: string, code = 'model_unreachable', minutesAgo = 0) =>
  ({
    id,
    parent_id: 'question',
    error_code: code,
    created_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
  }) as ChatItem

function AwayNote({ items, onAskAgain }: { items: ChatItem[]; onAskAgain: (answer: ChatItem) => void }) {
  return <ModelUnavailableNote {...useModelOutage({ items, isBusy: false, onAskAgain })} />
}

it('says that the model is unreachable, and retries when it is back, at most three times', async () => {
  const onAskAgain = vi.fn()
  const { rerender } = await renderPart(<AwayNote items={[failedAnswer('a')]} onAskAgain={onAskAgain} />)
  expect(await screen.findByText(/retry automatically/)).toBeTruthy()
  // on failure and after painting: neither request is pending when the model comes back
  await waitFor(() => expect(route('GET /health')).toHaveBeenCalledTimes(2))
  expect(onAskAgain).not.toHaveBeenCalled()
  state = 'ok'
  for (const [index, id] of ['b', 'c', 'd'].entries()) {
    rerender(<AwayNote items={[failedAnswer(id)]} onAskAgain={onAskAgain} />)
    await waitFor(() => expect(onAskAgain).toHaveBeenCalledTimes(index + 1))
  }
  rerender(<AwayNote items={[failedAnswer('e')]} onAskAgain={onAskAgain} />)
  await waitFor(() => expect(screen.queryByText(/retry automatically/)).toBeNull())
  expect(onAskAgain).toHaveBeenCalledTimes(3)
})

it.each([
  ['an old question', failedAnswer('a', 'model_unreachable', 60)],
  ['a question that failed for another reason', failedAnswer('a', 'context_too_long')],
])('leaves retrying %s to the user', async (_case, item) => {
  state = 'error'
  const onAskAgain = vi.fn()
  await renderPart(<AwayNote items={[item]} onAskAgain={onAskAgain} />)
  expect(await screen.findByText(/with quotes/)).toBeTruthy()
  expect(onAskAgain).not.toHaveBeenCalled()
})
