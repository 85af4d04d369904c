// @vitest-environment happy-dom
import type { PasskeyJson, PublicConfig } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderPart } from '../../../../../test/render-part.tsx'
import { route } from '../../../../../test/routes.ts'
import { loadTexts } from '../../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../../ui/confirm-dialog.tsx'
import { PasskeysCard } from './passkeys-card.tsx'

test('a late answer leaves a dialog alone that was opened after it', async () => {
  await loadTexts('sign-in', 'users', 'errors')
  route('GET /config').mockResolvedValue({ sign_in: { passkeys: true } } as PublicConfig)
  const laptop = { id: 'k1', name: 'Laptop', is_backed_up: false, last_used_at: null } as PasskeyJson
  route('GET /auth/passkeys').mockResolvedValue([laptop])
  const renamed = Promise.withResolvers<PasskeyJson>()
  route('PATCH /auth/passkeys/:id').mockReturnValue(renamed.promise)
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <PasskeysCard />
    </ConfirmProvider>,
  )
  const open = async () => user.click(await screen.findByRole('button', { name: /Rename/ }))
  await open()
  await user.type(await screen.findByRole('textbox'), '{Enter}')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await open()
  await act(async () => renamed.resolve(laptop))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(screen.getByRole('textbox')).toBeTruthy()
})
