// @vitest-environment happy-dom
import { act, screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { DataCard } from './data-card.tsx'

const account = { has_password: true }
vi.mock('../../../lib/session/session.ts', async (original) => ({ ...(await original()), useUser: () => account }))

let emit: (event: ClientEvent) => void = () => {}
vi.mock('../../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    emit = handler
  },
}))

test('an export that was cancelled, or whose end may have been missed, isn’t shown as running', async () => {
  await loadTexts('settings', 'errors')
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  route('POST /me/export').mockResolvedValue({ export_id: 'e1', url: '/x', expires_at: '2026-11-20T10:00:00Z' })
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <DataCard />
    </ConfirmProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Export My Data' }))
  await screen.findByRole('progressbar')
  act(() => emit({ type: 'events.resumed' }))
  expect(screen.queryByRole('progressbar')).toBeNull()
  const progress = { type: 'export.progress', export_id: 'e1', done: 1, total: 2, is_finished: false } as const
  act(() => emit(progress))
  expect(screen.getByRole('progressbar')).toBeTruthy()
  act(() => emit({ ...progress, is_cancelled: true }))
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('an account without a password isn’t asked for one to delete its data', async () => {
  await loadTexts('settings', 'errors')
  account.has_password = false
  const remove = route('DELETE /me/data').mockRejectedValue(
    new ApiError(403, { code: 'sign_in_again', detail: 'Sign out and in again first.' }),
  )
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <DataCard />
    </ConfirmProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Delete My Data' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.queryByLabelText('Your password')).toBeNull()
  await user.click(dialog.getByRole('button', { name: 'Delete My Data' }))
  await dialog.findByText(/^Sign out and/)
  expect(remove).toHaveBeenCalledWith({ json: {} })
})
