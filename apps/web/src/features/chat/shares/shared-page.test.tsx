// @vitest-environment happy-dom
import type { PublicShareJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { SharedPage } from './shared-page.tsx'

const share: PublicShareJson = {
  kind: 'conversation',
  title: 'Lighthouses',
  assistant_name: 'Mira',
  created_at: '2026-11-01T10:00:00.000Z',
  expires_at: null,
  messages: [
    {
      ...{ id: '0198c0de-0000-7000-8000-000000000000', role: 'user', content: 'What is this?', model_used: null },
      ...{ created_at: '2026-11-01T10:00:00.000Z', images: [], sources: [] },
    },
    {
      ...{ id: '0198c0de-0000-7000-8000-000000000001', role: 'assistant', content: 'A tower [1].', model_used: 'm' },
      ...{ created_at: '2026-11-01T10:00:01.000Z', images: [], sources: [{ n: 1, title: 'Letter.pdf' }] },
    },
  ],
  previous_cursor: null,
}

it('shows the messages and the names of sources, and offers a signed-out visitor nothing that needs an account', async () => {
  route('GET /public/shares/:token').mockResolvedValue(share)
  await renderPart(<SharedPage />)
  expect(await screen.findByRole('heading', { name: 'Lighthouses' })).toBeTruthy()
  // a question in Hebrew or Arabic is shown from right to left
  expect(screen.getByText('What is this?').getAttribute('dir')).toBe('auto')
  expect(screen.getByText('Sources: [1] Letter.pdf')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Continue as my own conversation' })).toBeNull()
})

it('offers a single retry when earlier messages fail to load', async () => {
  route('GET /public/shares/:token')
    .mockResolvedValueOnce({ ...share, previous_cursor: 'earlier' })
    .mockRejectedValue(new ApiError(400, { detail: 'Out of order.', code: 'http' }))
  const { user } = await renderPart(<SharedPage />)
  await user.click(await screen.findByRole('button', { name: 'Show earlier messages' }))
  expect(await screen.findAllByRole('button', { name: 'Retry' })).toHaveLength(1)
  expect(screen.getByText('What is this?')).toBeTruthy()
})

it('says that a link no longer works', async () => {
  route('GET /public/shares/:token').mockRejectedValue(new ApiError(404, { detail: 'Gone.', code: 'not_found' }))
  await renderPart(<SharedPage />)
  expect(await screen.findByText('This link no longer works')).toBeTruthy()
})
