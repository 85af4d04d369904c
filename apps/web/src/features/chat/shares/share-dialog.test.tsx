// @vitest-environment happy-dom
import type { ChatSessionJson, ShareJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import * as api from '../../../api/shares.ts'
import { ShareDialog } from './share-dialog.tsx'

vi.mock('../../../api/shares.ts')

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

it('makes a link that holds as long as was chosen, shows it, and revokes it', async () => {
  vi.mocked(api.fetchShares).mockResolvedValue({ shares: [], next_cursor: null })
  vi.mocked(api.createShare).mockResolvedValue(share)
  const { user } = await renderPart(<ShareDialog session={session} onClose={() => {}} />)
  expect(await screen.findByText('There is no link to this conversation yet.')).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('Expires after'), 'Until I revoke it')
  vi.mocked(api.fetchShares).mockResolvedValue({ shares: [share], next_cursor: null })
  await user.click(screen.getByRole('button', { name: 'Make a link' }))
  expect(await screen.findByText(/\/s\/abc\.def$/)).toBeTruthy()
  expect(api.createShare).toHaveBeenCalledExactlyOnceWith({ kind: 'conversation', id: session.id, expires_at: null })
  await user.click(await screen.findByRole('button', { name: 'Revoke the link to Lighthouses' }))
  await vi.waitFor(() => expect(vi.mocked(api.revokeShare).mock.calls[0]![0]).toBe(share.id))
})
