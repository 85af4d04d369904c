// @vitest-environment happy-dom
import type { InvitationPreviewJson, PublicConfig } from '@mira/shared'
import { screen } from '@testing-library/react'
import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../../test/render-part.tsx'
import { route } from '../../../../../test/routes.ts'
import { ApiError } from '../../../../lib/api/client.ts'
import { loadTexts } from '../../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../../ui/confirm-dialog.tsx'
import { InvitationPage } from './invitation-page.tsx'

const token = 'A'.repeat(43)
const invitation: InvitationPreviewJson = {
  email: 'anna@example.org',
  full_name: null,
  role: 'user',
  invited_by: 'admin',
  expires_at: new Date(Date.now() + 60_000).toISOString(),
}
const config = (password: boolean) =>
  ({ sign_in: { password, passkeys: false, oidc: { name: 'Our house' } } }) as PublicConfig

async function open() {
  await loadTexts('sign-in', 'users', 'errors')
  return renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <OpenedFromLink />
    </ConfirmProvider>,
  )
}

/** Invitation page, opened from a link. */
function OpenedFromLink() {
  const navigate = useNavigate()
  const { hash } = useLocation()
  useEffect(() => void navigate(`/invitation#${token}`), [navigate])
  return hash !== '' && <InvitationPage />
}

it('starts sign-in at the provider with the invitation token when passwords are off', async () => {
  route('POST /auth/invitations/look').mockResolvedValue(invitation)
  route('GET /config').mockResolvedValue(config(false))
  const start = route('POST /auth/oidc/start').mockReturnValue(new Promise(() => {}))
  const { user } = await open()
  expect(await screen.findByText(/Sign in to Our house, and your account is created/)).toBeTruthy()
  expect(screen.queryByLabelText('Password')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Continue with Our house' }))
  expect(start).toHaveBeenCalledExactlyOnceWith({ json: { invitation: token } })
})

it('offers an administrator both a password and the provider when passwords are off', async () => {
  route('POST /auth/invitations/look').mockResolvedValue({ ...invitation, role: 'admin' })
  route('GET /config').mockResolvedValue(config(false))
  await open()
  expect(await screen.findByLabelText('Password')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Continue with Our house' })).toBeTruthy()
})

it('shows no form until the sign-in methods are loaded', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  route('POST /auth/invitations/look').mockResolvedValue(invitation)
  route('GET /config').mockRejectedValueOnce(new Error('down')).mockResolvedValue(config(true))
  const { user } = await open()
  expect(await screen.findByText('Couldn’t load')).toBeTruthy()
  expect(screen.queryByLabelText('Password')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  expect(await screen.findByLabelText('Password')).toBeTruthy()
})

it('shows why an invitation can’t be accepted, even when no field of the form is at fault', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  route('POST /auth/invitations/look').mockResolvedValue(invitation)
  route('GET /config').mockResolvedValue(config(true))
  const message = 'The email address “anna@example.org” is taken.'
  const errors = [{ path: 'email', message }]
  route('POST /auth/invitations/accept').mockRejectedValue(
    new ApiError(409, { code: 'email_taken', detail: message, errors }),
  )
  const { user } = await open()
  await user.type(await screen.findByLabelText('Password'), 'quiet-lantern-orchard-52')
  await user.click(screen.getByRole('button', { name: 'Create account' }))
  expect(await screen.findByText(message)).toBeTruthy()
})
