// @vitest-environment happy-dom
import type { AuthSessionJson } from '@mira/shared'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { Devices } from './devices.tsx'

const device = (id: string) =>
  ({
    ...{ id, user_agent: '', address: '', method: 'password', current: id === 'here' },
    last_used_at: new Date(0).toISOString(),
  }) as AuthSessionJson

it('signs out all other sessions, including one created since the list was loaded, even when one has already ended', async () => {
  await loadTexts('users', 'errors')
  let ids = ['here', 'over', 'phone']
  route('GET /auth/sessions').mockImplementation(async () => ids.map(device))
  route('DELETE /auth/sessions/:id').mockImplementation(async ({ params }) => {
    const { id = '' } = params ?? {}
    const hasEnded = id === 'over'
    ids = ids.filter((sessionId) => sessionId !== id)
    if (hasEnded) throw new ApiError(404, { code: 'not_found', detail: 'There is no such session.' })
  })
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <Devices />
    </ConfirmProvider>,
  )
  await user.click(await screen.findByRole('button', { name: 'Sign out all others' }))
  ids = [...ids, 'intruder']
  const confirmDialog = await screen.findByRole('alertdialog')
  await user.click(within(confirmDialog).getByRole('button', { name: 'Sign out all others' }))
  await waitFor(() => expect(ids).toEqual(['here']))
})
