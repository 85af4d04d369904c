// @vitest-environment happy-dom
import type { PasskeyJson, PublicConfig } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderPart } from '../../../../../test/render-part.tsx'
import { route } from '../../../../../test/routes.ts'
import { loadTexts } from '../../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../../ui/confirm-dialog.tsx'
import { PasskeysCard } from './passkeys-card.tsx'

test('a late response doesn’t close a dialog opened meanwhile', async () => {
  await loadTexts('sign-in', 'users', 'errors')
  route('GET /config').mockResolvedValue({ sign_in: { passkeys: true } } as PublicConfig)
  const laptop = { id: 'k1', name: 'Laptop', is_backed_up: false, last_used_at: null } as PasskeyJson
  route('GET /auth/passkeys').mockResolvedValue([laptop])
  const pendingRename = Promise.withResolvers<PasskeyJson>()
  route('PATCH /auth/passkeys/:id').mockReturnValue(pendingRename.promise)
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
  await act(async () => pendingRename.resolve(laptop))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(screen.getByRole('textbox')).toBeTruthy()
})
