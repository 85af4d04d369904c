// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import type { ItemLocation } from './item-location.ts'
import { ItemView } from './item-view.tsx'

let pendingDeletion = Promise.withResolvers<boolean>()
vi.mock('./use-item.ts', () => ({
  isNote: () => false,
  useItem: (id: string) => ({ data: { id, url: '', metadata: { original_filename: id } } as MediaDetailJson }),
  useDeletion: () => () => pendingDeletion.promise,
}))
vi.mock('./item-body.tsx', () => ({
  ItemBody: ({ location }: { location: ItemLocation }) => <p>Opened at page {useState(location.page)[0]}</p>,
}))
vi.mock('../../lib/session/session.ts', async (original) => ({
  ...(await original()),
  useUser: () => ({ id: 'me' }),
}))

const onGoTo = vi.fn()
const onClose = vi.fn()
const view = (id: string, nextId: string | null = null) => (
  <ItemView id={id} previousId={null} nextId={nextId} onGoTo={onGoTo} onClose={onClose} />
)

beforeEach(async () => {
  await loadTexts('gallery')
  vi.clearAllMocks()
  pendingDeletion = Promise.withResolvers()
})

it('shows the next item once the current one is deleted', async () => {
  const { user } = await renderPart(view('one', 'two'))
  await user.click(screen.getByRole('button', { name: 'Delete item' }))
  await act(async () => pendingDeletion.resolve(true))
  expect(onGoTo).toHaveBeenCalledExactlyOnceWith('two')
})

it('does not navigate a user who has moved on while the item was being deleted', async () => {
  const { user, rerender } = await renderPart(view('one', 'two'))
  await user.click(screen.getByRole('button', { name: 'Delete item' }))
  rerender(view('two'))
  await act(async () => pendingDeletion.resolve(true))
  expect(onGoTo).not.toHaveBeenCalled()
  expect(onClose).not.toHaveBeenCalled()
})

it('does not navigate a user who has left the library meanwhile', async () => {
  const { user, rerender } = await renderPart(view('one'))
  await user.click(screen.getByRole('button', { name: 'Delete item' }))
  rerender(null)
  await act(async () => pendingDeletion.resolve(true))
  expect(onClose).not.toHaveBeenCalled()
})

function OtherPage() {
  const navigate = useNavigate()
  return (
    <button type="button" onClick={() => void navigate('?page=7')}>
      Choose page 7
    </button>
  )
}

it('turns to another location that is chosen in the item already open', async () => {
  const { user } = await renderPart(
    <>
      {view('one')}
      <OtherPage />
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'Choose page 7' }))
  expect(screen.getByText('Opened at page 7')).toBeTruthy()
})
