// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { useItemPeek } from '../lib/session/navigation-state.ts'
import { ItemPeeks } from './signed-in-layout.tsx'

vi.mock('../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', can_upload: true }),
}))
vi.mock('../features/library/item-peek.tsx', () => ({
  ItemPeek: ({ address, onClose }: { address: string; onClose: () => void }) => (
    <button type="button" onClick={onClose}>
      Close {address}
    </button>
  ),
}))

function Page() {
  const peek = useItemPeek()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  return (
    <>
      <Link to="/memory?q=boat">Search</Link>
      <Link to="/gallery/a?t=5" onClick={peek('/gallery/a?t=5')}>
        First
      </Link>
      <Link to="/gallery/b" onClick={peek('/gallery/b')}>
        Second
      </Link>
      <button type="button" onClick={() => void navigate(-1)}>
        Back
      </button>
      <p data-testid="address">{pathname + search}</p>
    </>
  )
}

it('closes the item panel on Back, and the page keeps its address', async () => {
  const { user } = await renderPart(
    <ItemPeeks>
      <Page />
    </ItemPeeks>,
  )
  const press = (name: string) => user.click(screen.getByText(name))
  const panel = () => screen.queryByRole('button', { name: /^Close/ })
  const address = () => screen.getByTestId('address').textContent
  await press('Search')
  await press('First')
  expect((await screen.findByRole('button', { name: /^Close/ })).textContent).toBe('Close /gallery/a?t=5')
  expect(address()).toBe('/memory?q=boat')
  await press('Back')
  expect(panel()).toBeNull()
  expect(address()).toBe('/memory?q=boat')

  // a second item replaces the first in the history: one step back closes the panel
  await press('First')
  await press('Second')
  expect(panel()?.textContent).toBe('Close /gallery/b')
  await press('Close /gallery/b')
  expect(panel()).toBeNull()
  expect(address()).toBe('/memory?q=boat')
  await press('Back')
  expect(address()).toBe('/')
})
