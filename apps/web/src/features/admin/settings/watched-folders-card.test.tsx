// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { WatchedFoldersCard } from './watched-folders-card.tsx'

vi.mock('../../../lib/session/session.ts', () => ({ useUser: () => ({ id: 'me', username: 'admin' }) }))

test('offers the administrator’s own account and accounts from all pages of the list', async () => {
  await loadTexts('watched-folders', 'errors')
  route('GET /admin/watched-folders').mockResolvedValue({ root: '/in', folders: [] })
  route('GET /admin/users').mockImplementation(async ({ query }) => {
    const isFirst = query?.cursor === undefined
    const users = isFirst ? [{ id: 'a', username: 'ada' }] : [{ id: 'b', username: 'bob' }]
    return Response.json(users, { headers: isFirst ? { 'X-Next-Cursor': 'next' } : {} }) as never
  })
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <WatchedFoldersCard />
    </ConfirmProvider>,
  )
  await user.click(await screen.findByRole('button', { name: 'Watch a folder' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByRole('option', { name: 'bob' })
  expect(dialog.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['admin', 'ada', 'bob'])
})

test('a late response doesn’t close a dialog opened meanwhile', async () => {
  await loadTexts('watched-folders', 'errors')
  const list = route('GET /admin/watched-folders').mockResolvedValue({ root: '/in', folders: [] })
  route('GET /admin/users').mockResolvedValue([])
  const pendingSave = Promise.withResolvers<never>()
  const save = route('POST /admin/watched-folders').mockReturnValue(pendingSave.promise)
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <WatchedFoldersCard />
    </ConfirmProvider>,
  )
  const watchButton = await screen.findByRole('button', { name: 'Watch a folder' })
  await user.click(watchButton)
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText('Folder'), 'scans')
  await user.click(dialog.getByRole('button', { name: 'Watch' }))
  await vi.waitFor(() => expect(save).toHaveBeenCalled())
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  await user.click(watchButton)
  pendingSave.resolve({} as never)
  await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(2))
  expect(await screen.findByRole('dialog')).toBeTruthy()
})
