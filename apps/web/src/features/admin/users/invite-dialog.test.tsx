// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { InviteDialog } from './invite-dialog.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'admin', has_password: true }) as MeJson,
}))

it('shows at the field that an address is taken, and hides the error once another address is typed', async () => {
  await loadTexts('users', 'errors', 'sign-in', 'app')
  vi.spyOn(console, 'error').mockReturnValue()
  const detail = 'The email address ann@example.org is taken.'
  const problem = {
    code: 'email_taken',
    detail,
    params: { email: 'ann@example.org' },
    errors: [{ path: 'email', message: detail }],
  }
  route('POST /admin/invitations').mockRejectedValue(new ApiError(409, problem))
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <InviteDialog onClose={() => undefined} />
    </ConfirmProvider>,
  )
  const field = await screen.findByLabelText(/Email/)
  await user.type(field, 'ann@example.org')
  await user.click(screen.getByRole('button', { name: 'Create link' }))
  expect(await screen.findByText(/is taken/)).toBeTruthy()
  await user.type(field, 'a')
  expect(screen.queryByText(/is taken/)).toBeNull()
})
