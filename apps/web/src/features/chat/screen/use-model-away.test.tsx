// @vitest-environment happy-dom
import type { Health } from '@mira/shared'
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import type { ChatItem } from '../conversation/conversation-state.ts'
import { ModelAwayNote } from './conversation-view.tsx'
import { useModelAway } from './use-model-away.ts'

let state = 'error'
beforeEach(() => {
  route('GET /health').mockImplementation(async () => ({ checks: { models: { chat: { state } } } }) as Health)
})

const failed = (id: string, code = 'model_unreachable', minutesAgo = 0) =>
  ({
    id,
    parent_id: 'question',
    error_code: code,
    created_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
  }) as ChatItem

function Shown({ items, onAskAgain }: { items: ChatItem[]; onAskAgain: (answer: ChatItem) => void }) {
  return <ModelAwayNote {...useModelAway({ items, isBusy: false, onAskAgain })} />
}

it('says that the model is away, and asks again when it is back, three times at most', async () => {
  const onAskAgain = vi.fn()
  const { show } = await renderPart(<Shown items={[failed('a')]} onAskAgain={onAskAgain} />)
  expect(await screen.findByText(/retry automatically/)).toBeTruthy()
  // when it failed, and once it is painted: neither is on its way any more when the model comes back
  await waitFor(() => expect(route('GET /health')).toHaveBeenCalledTimes(2))
  expect(onAskAgain).not.toHaveBeenCalled()
  state = 'ok'
  for (const [at, id] of ['b', 'c', 'd'].entries()) {
    show(<Shown items={[failed(id)]} onAskAgain={onAskAgain} />)
    await waitFor(() => expect(onAskAgain).toHaveBeenCalledTimes(at + 1))
  }
  show(<Shown items={[failed('e')]} onAskAgain={onAskAgain} />)
  await waitFor(() => expect(screen.queryByText(/retry automatically/)).toBeNull())
  expect(onAskAgain).toHaveBeenCalledTimes(3)
})

it.each([
  ['a question of long ago', failed('a', 'model_unreachable', 60)],
  ['a failure that the model has nothing to do with', failed('a', 'context_too_long')],
])('leaves %s to the person', async (_what, item) => {
  state = 'error'
  const onAskAgain = vi.fn()
  await renderPart(<Shown items={[item]} onAskAgain={onAskAgain} />)
  expect(await screen.findByText(/with quotes/)).toBeTruthy()
  expect(onAskAgain).not.toHaveBeenCalled()
})
