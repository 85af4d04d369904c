// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../../test/render-part.tsx'
import { route } from '../../../../../test/routes.ts'
import { loadTexts } from '../../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../../ui/confirm-dialog.tsx'
import { CodesCard } from './codes-card.tsx'

vi.mock('../../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ username: 'anna' }),
}))

it('shows the recovery codes even when the dialog is closed while the first code is being confirmed', async () => {
  await loadTexts('sign-in', 'errors')
  route('GET /auth/totp').mockResolvedValue({ enabled: false, recovery_codes_left: 0 })
  route('POST /auth/totp').mockResolvedValue({ secret: 'AAAA', uri: 'otpauth://totp/anna' })
  const confirmation = Promise.withResolvers<{ recovery_codes: string[] }>()
  route('POST /auth/totp/confirm').mockReturnValue(confirmation.promise)
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <CodesCard />
    </ConfirmProvider>,
  )
  await user.click(await screen.findByRole('button', { name: 'Set up' }))
  await user.type(await screen.findByLabelText('Six-digit code'), '123456{Enter}')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await act(async () => confirmation.resolve({ recovery_codes: ['abcde-fghjk'] }))
  expect(await screen.findByText('abcde-fghjk')).toBeTruthy()
})
