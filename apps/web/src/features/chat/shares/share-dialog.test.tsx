// @vitest-environment happy-dom
import type { ChatSessionJson, ShareJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ShareDialog } from './share-dialog.tsx'

const session = { id: '0198c0de-0000-7000-8000-000000000000', session_name: 'Lighthouses' } as ChatSessionJson
const share: ShareJson = {
  id: '0198c0de-0000-7000-8000-000000000001',
  kind: 'conversation',
  subject_id: session.id,
  title: 'Lighthouses',
  token: 'abc.def',
  url: '/s/abc.def',
  created_at: '2026-11-01T10:00:00.000Z',
  expires_at: null,
}

it('creates a link with the chosen expiry, shows it, and revokes it', async () => {
  route('GET /shares').mockResolvedValue({ shares: [], next_cursor: null })
  route('POST /shares').mockResolvedValue(share)
  const revoke = route('DELETE /shares/:id')
  const { user } = await renderPart(<ShareDialog session={session} onClose={() => {}} />)
  expect(await screen.findByText('There’s no link to this conversation yet.')).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('Expires after'), 'Until I revoke it')
  route('GET /shares').mockResolvedValue({ shares: [share], next_cursor: null })
  await user.click(screen.getByRole('button', { name: 'Create a link' }))
  expect(await screen.findByText(/\/s\/abc\.def$/)).toBeTruthy()
  expect(route('POST /shares')).toHaveBeenCalledExactlyOnceWith({
    json: { kind: 'conversation', id: session.id, expires_at: null },
  })
  await user.click(await screen.findByRole('button', { name: 'Revoke the link to Lighthouses' }))
  await vi.waitFor(() => expect(revoke).toHaveBeenCalledWith({ params: { id: share.id } }))
})
