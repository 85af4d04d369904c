// @vitest-environment happy-dom
import type { MeJson, UserJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { UserDialog } from './user-dialog.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'admin', has_password: true }) as MeJson,
}))

it('rejects storage that isn’t a number instead of using the default', async () => {
  await loadTexts('users', 'errors', 'sign-in', 'app')
  const storage = { used_bytes: 0, limit_bytes: 1_048_576, own_limit_bytes: 1_048_576, default_limit_bytes: null }
  route('GET /admin/users/:id/storage').mockResolvedValue(storage)
  const save = route('PUT /admin/users/:id')
  const anna = { id: 'anna', username: 'anna', email: 'anna@mira.test', role: 'user' } as UserJson
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <UserDialog user={anna} onClose={() => undefined} />
    </ConfirmProvider>,
  )
  await user.type(await screen.findByLabelText('Storage (MB)'), 'GB')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  expect(await screen.findByText(/Enter a whole number/)).toBeTruthy()
  expect(save).not.toHaveBeenCalled()
})
