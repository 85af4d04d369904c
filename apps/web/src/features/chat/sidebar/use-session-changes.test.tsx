// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { Link, useLocation } from 'react-router-dom'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { useDeletionHandler } from './use-session-changes.ts'

const forget = vi.fn()
let notifyDeleted: (id: string) => void

function OpenConversation({ id }: { id: string | null }) {
  notifyDeleted = useDeletionHandler(id, forget)
  return null
}

const page = (id: string | null | undefined) => (
  <>
    {id !== undefined && <OpenConversation id={id} />}
    <Link to="/elsewhere">Elsewhere</Link>
    <Address />
  </>
)

function Address() {
  return <p>{useLocation().pathname}</p>
}

it('opens a new conversation once the open one was deleted', async () => {
  await renderPart(page('one'))
  act(() => notifyDeleted('other'))
  expect(screen.getByText('/')).toBeTruthy()
  act(() => notifyDeleted('one'))
  expect(screen.getByText('/chat')).toBeTruthy()
  expect(forget.mock.calls).toEqual([['other'], ['one']])
})

it('doesn’t navigate a user who has moved on to another conversation or screen', async () => {
  const { user, rerender } = await renderPart(page('one'))
  const notify = notifyDeleted
  rerender(page('two'))
  act(() => notify('one'))
  expect(screen.getByText('/')).toBeTruthy()
  await user.click(screen.getByRole('link'))
  rerender(page(undefined))
  act(() => notify('two'))
  expect(screen.getByText('/elsewhere')).toBeTruthy()
})
