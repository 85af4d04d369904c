// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { Link, useLocation } from 'react-router-dom'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { useDeleted } from './use-session-changes.ts'

const forget = vi.fn()
let tellDeleted: (id: string) => void

function Shown({ id }: { id: string | null }) {
  tellDeleted = useDeleted(id, forget)
  return null
}

const part = (id: string | null | undefined) => (
  <>
    {id !== undefined && <Shown id={id} />}
    <Link to="/elsewhere">Elsewhere</Link>
    <Address />
  </>
)

function Address() {
  return <p>{useLocation().pathname}</p>
}

it('leads to a new conversation once the one that is shown was deleted', async () => {
  await renderPart(part('one'))
  act(() => tellDeleted('other'))
  expect(screen.getByText('/')).toBeTruthy()
  act(() => tellDeleted('one'))
  expect(screen.getByText('/chat')).toBeTruthy()
  expect(forget.mock.calls).toEqual([['other'], ['one']])
})

it('leaves whoever went on meanwhile, to another conversation or another screen, where they are', async () => {
  const { user, show } = await renderPart(part('one'))
  const tell = tellDeleted
  show(part('two'))
  act(() => tell('one'))
  expect(screen.getByText('/')).toBeTruthy()
  await user.click(screen.getByRole('link'))
  show(part(undefined))
  act(() => tell('two'))
  expect(screen.getByText('/elsewhere')).toBeTruthy()
})
