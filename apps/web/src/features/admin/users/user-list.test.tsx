// @vitest-environment happy-dom
import type { UserJson } from '@mira/shared'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { UserManagement } from './user-management.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'admin', role: 'admin' }),
}))

const trashed = (name: string) =>
  ({
    id: name,
    username: name,
    full_name: name,
    email: `${name}@mira.test`,
    trash: { since: '2030-05-01T08:00:00.000Z', until: '2030-06-01T08:00:00.000Z' },
  }) as UserJson

it('offers a retry below the accounts when their next page fails to load', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  route('GET /admin/invitations').mockResolvedValue([])
  const users = route('GET /admin/users').mockImplementation(async ({ query }) => {
    if (query?.cursor) throw new ApiError(400, { code: 'away', detail: 'The server is away.' })
    if (query?.in !== 'trash') return []
    return Response.json([trashed('Ada')], { headers: { 'X-Next-Cursor': 'more' } }) as never
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { user } = await renderPart(
    <QueryClientProvider client={client}>
      <ConfirmProvider cancelLabel="Cancel">
        <UserManagement />
      </ConfirmProvider>
    </QueryClientProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Trash' }))
  const ada = await screen.findByRole('heading', { name: 'Ada' })
  await user.click(screen.getByRole('button', { name: 'Load more' }))
  const alert = await screen.findByRole('alert')
  expect(ada.compareDocumentPosition(alert) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  users.mockResolvedValue([trashed('Bert')])
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  expect(await screen.findByRole('heading', { name: 'Bert' })).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'Ada' })).toBeTruthy()
})
