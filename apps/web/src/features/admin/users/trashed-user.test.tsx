// @vitest-environment happy-dom
import type { UserJson } from '@mira/shared'
import { screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { UserManagement } from './user-management.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'admin', role: 'admin' }),
}))

const HOUR_MS = 3_600_000
const trashed = (name: string, untilMs: number) =>
  ({
    id: name,
    username: name,
    full_name: name,
    email: `${name}@mira.test`,
    trash: { since: new Date(0).toISOString(), until: new Date(untilMs).toISOString() },
  }) as UserJson

it('offers to restore a trashed account, but not one that is being deleted', async () => {
  route('GET /admin/invitations').mockResolvedValue([])
  route('GET /admin/users').mockImplementation(async ({ query }) =>
    query?.in === 'trash' ? [trashed('Ada', Date.now() + HOUR_MS), trashed('Bert', Date.now() - HOUR_MS)] : [],
  )
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <UserManagement />
    </ConfirmProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Trash' }))
  const [ada, bert] = (await screen.findAllByRole('heading', { name: /^(Ada|Bert)$/ })).map(
    (heading) => heading.closest('li')!,
  )
  expect(within(ada!).getByRole('button', { name: 'Restore Ada' })).toBeTruthy()
  expect(within(bert!).queryByRole('button', { name: 'Restore Bert' })).toBeNull()
  expect(bert!.textContent).toContain('Being deleted')
})
