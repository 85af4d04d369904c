// @vitest-environment happy-dom
import type { LibraryJson, MeJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { session } from '../../lib/session/session.ts'
import { RecentlyAdded } from './recently-added.tsx'

vi.mock('../../lib/loading/event-stream.ts', () => ({ useUserEvents: () => {} }))

it('shows recently added items with the time they were added, however old the photo is', async () => {
  session.state.set({ status: 'signed-in', user: { id: 'me', can_upload: true } as MeJson })
  const metadata = { original_filename: 'grandma.jpg', created_at: new Date().toISOString(), corrected: [] }
  const item = { id: 'a', media_type: 'image', timestamp: '1955-08-01T10:00:00Z', tags: [], metadata }
  const list = route('GET /media/library').mockResolvedValue({
    media_items: [{ ...item, thumbnail: null, processing_status: 'completed' }],
    next_cursor: null,
    total: 1,
  } as unknown as LibraryJson)
  await renderPart(<RecentlyAdded />)
  expect((await screen.findByRole('link', { name: /grandma\.jpg/ })).textContent).not.toContain('years')
  expect(list.mock.lastCall?.[0].query).toMatchObject({ sort: 'added' })
})
