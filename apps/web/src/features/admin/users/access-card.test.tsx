// @vitest-environment happy-dom
import type { AccessItemJson, PublicConfig } from '@mira/shared'
import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { pause } from '../../../lib/browser/pause.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { readPendingSignIn } from '../../../lib/session/pending-sign-in.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { AccessCard } from './access-card.tsx'

vi.mock('../../../lib/browser/pause.ts', () => ({ pause: vi.fn() }))
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useSession: () => ({ status: 'signed-in', user: { role: 'user' } }),
}))

const openCard = async (items: AccessItemJson[]) => {
  await loadTexts('users', 'sign-in', 'errors')
  route('GET /config').mockResolvedValue({ sign_in: { oidc: { name: 'Our house' } } } as PublicConfig)
  route('GET /auth/access').mockResolvedValue({ items, next_cursor: null })
  return renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <AccessCard />
    </ConfirmProvider>,
  )
}

it('goes to the sign-in provider to link it', async () => {
  const leave = vi.spyOn(window.location, 'assign').mockImplementation(() => {})
  route('POST /auth/oidc/link').mockResolvedValue({ url: 'https://id.example/authorize', ticket: 'ticket' })
  const leaving = Promise.withResolvers<void>()
  vi.mocked(pause).mockReturnValue(leaving.promise)
  const { user } = await openCard([])
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Link Our house' })
  await user.click(button)
  await waitFor(() => expect(leave).toHaveBeenCalledWith('https://id.example/authorize'))
  expect(readPendingSignIn()).toEqual({ ticket: 'ticket', from: '/dashboard?tab=settings#access', isLinking: true })
  expect(button.disabled).toBe(true)
  // The user stayed, or came back to the page.
  leaving.resolve()
  await waitFor(() => expect(button.disabled).toBe(false))
})

it('offers no other link to a user who has one', async () => {
  const linked = {
    kind: 'oidc',
    id: 'link',
    name: 'https://id.example',
    last_used_at: null,
    is_suspended: false,
  } as const
  await openCard([{ ...linked, created_at: new Date().toISOString() }])
  expect(await screen.findByText(/id\.example/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Link Our house' })).toBeNull()
})
