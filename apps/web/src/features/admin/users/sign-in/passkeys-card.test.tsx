// @vitest-environment happy-dom
import type { PasskeyJson, PublicConfig } from '@mira/shared'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../../test/render-part.tsx'
import { route } from '../../../../../test/routes.ts'
import { ApiError } from '../../../../lib/api/client.ts'
import { loadTexts } from '../../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../../ui/confirm-dialog.tsx'
import { PasskeysCard } from './passkeys-card.tsx'

const createPasskey = vi.hoisted(() => vi.fn())
vi.mock('./passkey-ways.ts', async (original) => ({ ...(await original()), createPasskey }))

test('a device that has a passkey already, or whose dialog is cancelled, isn’t blamed on the password', async () => {
  await loadTexts('sign-in', 'users', 'errors')
  vi.stubGlobal('PublicKeyCredential', class {})
  route('GET /config').mockResolvedValue({ sign_in: { passkeys: true } } as PublicConfig)
  route('GET /auth/passkeys').mockResolvedValue([])
  const { user } = await renderPart(<PasskeysCard />)
  for (const [name, message] of [
    ['InvalidStateError', 'This device already has one of your passkeys.'],
    ['NotAllowedError', null],
  ] as const) {
    createPasskey
      .mockRejectedValueOnce(new ApiError(403, { code: 'confirmation_required', detail: 'Enter your password.' }))
      .mockRejectedValueOnce(new DOMException('', name))
    await user.click(await screen.findByRole('button', { name: /Add/ }))
    await user.type(await screen.findByLabelText('Password'), 'correct{Enter}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(screen.queryByText('This device already has one of your passkeys.')?.textContent ?? null).toBe(message)
  }
  vi.unstubAllGlobals()
})

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
