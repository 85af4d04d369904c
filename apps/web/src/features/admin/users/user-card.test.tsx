// @vitest-environment happy-dom
import type { UserJson } from '@mira/shared'
import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { UserManagement } from './user-management.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'admin', role: 'admin', has_password: true }),
}))

const ada: UserJson = {
  ...{ id: 'ada', username: 'ada', full_name: 'Ada', email: 'ada@mira.test', role: 'user', is_active: true },
  ...{ can_chat: true, can_upload: false, can_use_voice: false, can_use_agents: false },
  ...{ created_at: '2026-06-01T00:00:00Z', updated_at: '2026-06-01T00:00:00Z', last_active_at: null },
}

test('sends only the changed fields of a card or form, since another administrator may have changed the rest', async () => {
  route('GET /admin/invitations').mockResolvedValue([])
  route('GET /admin/users').mockResolvedValue([ada])
  const save = route('PUT /admin/users/:id').mockResolvedValue(ada)
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <UserManagement />
    </ConfirmProvider>,
  )
  await user.click(await screen.findByRole('switch', { name: 'Voice' }))
  expect(save).toHaveBeenLastCalledWith({ params: { id: 'ada' }, json: { can_use_voice: true } })

  await user.click(screen.getByRole('button', { name: 'Edit Ada' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText(/^Full Name/), ' Lovelace')
  await user.click(dialog.getByRole('button', { name: 'Save changes' }))
  await vi.waitFor(() => expect(save).toHaveBeenCalledTimes(2))
  expect(save).toHaveBeenLastCalledWith({ params: { id: 'ada' }, json: { full_name: 'Ada Lovelace' } })
})
