// @vitest-environment happy-dom
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessItemJson, PublicConfig } from '@mira/shared'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
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

/** Opens the card of a user with these items, of which the list shows only the first ones at once. */
const openCard = async (items: AccessItemJson[], { shownCount = 100 } = {}) => {
  await loadTexts('users', 'sign-in', 'errors', 'app')
  route('GET /config').mockResolvedValue({ sign_in: { oidc: { name: 'Our house' } } } as PublicConfig)
  route('GET /auth/access').mockImplementation(async ({ query }) => ({
    items: query?.kind === undefined ? items.slice(0, shownCount) : items.filter(({ kind }) => kind === query.kind),
    next_cursor: null,
  }))
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const page = await renderPart(
    <QueryClientProvider client={client}>
      <ConfirmProvider cancelLabel="Cancel">
        <AccessCard />
      </ConfirmProvider>
    </QueryClientProvider>,
  )
  return { ...page, client }
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

it.each([
  ['', 2],
  [' far down the list', 1],
])('offers no other link to a user who has one%s', async (_, shownCount) => {
  const item = { last_used_at: null, is_suspended: false, created_at: new Date().toISOString() }
  const items: AccessItemJson[] = [
    { ...item, kind: 'api_token', id: 'token', name: 'A script' },
    { ...item, kind: 'oidc', id: 'link', name: 'https://id.example' },
  ]
  const { client } = await openCard(items, { shownCount })
  expect(await screen.findByText(/A script/)).toBeTruthy()
  const links = () => route('GET /auth/access').mock.calls.filter(([{ query }]) => query?.kind === 'oidc')
  await waitFor(() => expect(links()).toHaveLength(1))
  await waitFor(() => expect(client.isFetching()).toBe(0))
  // The page shows a response in the next task.
  await act(() => sleep(0))
  await waitFor(() => expect(screen.queryAllByText(/id\.example/)).toHaveLength(shownCount - 1))
  expect(screen.queryByRole('button', { name: 'Link Our house' })).toBeNull()
})

it('offers a retry when the links can’t be loaded', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { client, user } = await openCard([])
  await screen.findByRole('button', { name: 'Link Our house' })
  route('GET /auth/access').mockImplementation(async ({ query }) => {
    if (query?.kind === 'oidc') throw new ApiError(500, { code: 'internal', detail: 'It failed.' })
    return { items: [], next_cursor: null }
  })
  await act(() => client.resetQueries())
  const retry = await screen.findByRole('button', { name: 'Retry' })
  route('GET /auth/access').mockResolvedValue({ items: [], next_cursor: null })
  await user.click(retry)
  expect(await screen.findByRole('button', { name: 'Link Our house' })).toBeTruthy()
})
