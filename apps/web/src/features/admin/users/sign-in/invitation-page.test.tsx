// @vitest-environment happy-dom
import type { PublicConfig } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../../test/render-part.tsx'
import { route } from '../../../../../test/routes.ts'
import { ApiError } from '../../../../lib/api/client.ts'
import { loadTexts } from '../../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../../ui/confirm-dialog.tsx'
import { InvitationPage } from './invitation-page.tsx'

it('leads to the sign-in provider where passwords are off', async () => {
  await loadTexts('sign-in', 'users', 'errors')
  const until = new Date(Date.now() + 60_000).toISOString()
  const look = { email: 'anna@example.org', full_name: null, invited_by: 'admin', expires_at: until }
  route('POST /auth/invitations/look').mockResolvedValue(look)
  const ways = { password: false, passkeys: false, oidc: { name: 'Our house' } }
  route('GET /config').mockResolvedValue({ sign_in: ways } as PublicConfig)
  const start = route('POST /auth/oidc/start').mockReturnValue(new Promise(() => {}))
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <InvitationPage />
    </ConfirmProvider>,
  )
  expect(await screen.findByText(/Sign in to Our house with the address anna@example\.org/)).toBeTruthy()
  expect(screen.queryByLabelText('Password')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Continue with Our house' }))
  expect(start).toHaveBeenCalledOnce()
})

it('says why an invitation can’t be accepted, also when that concerns no field of the form', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  await loadTexts('sign-in', 'users', 'errors')
  const until = new Date(Date.now() + 60_000).toISOString()
  const look = { email: 'anna@example.org', full_name: null, invited_by: 'admin', expires_at: until }
  route('POST /auth/invitations/look').mockResolvedValue(look)
  const message = 'The email address “anna@example.org” is taken.'
  const errors = [{ path: 'email', message }]
  route('POST /auth/invitations/accept').mockRejectedValue(
    new ApiError(409, { code: 'email_taken', detail: message, errors }),
  )
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <InvitationPage />
    </ConfirmProvider>,
  )
  await user.type(await screen.findByLabelText('Password'), 'quiet-lantern-orchard-52')
  await user.click(screen.getByRole('button', { name: 'Create account' }))
  expect(await screen.findByText(message)).toBeTruthy()
})
