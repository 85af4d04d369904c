// @vitest-environment happy-dom
import { useQueryClient } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { ApiError } from '../../lib/api/client.ts'
import type { ClientEvent } from '../../lib/loading/event-stream.ts'
import { clearedFilters, libraryQuery } from './library-queries.ts'
import { useLibrary } from './use-library.ts'

let hear: (event: ClientEvent) => void = () => {}
vi.mock('../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    hear = handler
  },
}))

const filters = { ...clearedFilters, sort: 'newest' } as const

function Library() {
  const { items, isOutdated } = useLibrary(filters)
  return <output>{`${items.length} ${isOutdated ? 'outdated' : 'up to date'}`}</output>
}

/** A list of more pages than are fetched again as a whole. */
function LongLibrary() {
  const queryClient = useQueryClient()
  useState(() => {
    const pages = [0, 1, 2, 3, 4].map((number) => ({ items: [{ id: `i${number}` }], nextCursor: null, total: 5 }))
    queryClient.setQueryData(libraryQuery(filters).queryKey, { pages, pageParams: pages.map(() => null) } as never)
  })
  return <Library />
}

it('offers new items of a long list after one came or events were missed, not after a deletion', async () => {
  await renderPart(<LongLibrary />)
  const shown = () => screen.getByRole('status').textContent
  const after = async (event: ClientEvent) => {
    act(() => hear(event))
    await act(() => new Promise((resolve) => setTimeout(resolve, 900)))
    return shown()
  }
  expect(await after({ type: 'media.updated', ids: ['i1'], deleted: true })).toBe('4 up to date')
  expect(await after({ type: 'events.resumed' })).toBe('4 outdated')
})

it('takes an item off a long list that has gone since it changed, and reads the others again', async () => {
  await renderPart(<LongLibrary />)
  const read = route('GET /media/:id').mockRejectedValueOnce(new ApiError(404, { code: 'not_found', detail: 'Gone.' }))
  for (const id of ['i1', 'i2']) act(() => hear({ type: 'media.done', id }))
  await screen.findByText('4 up to date')
  await expect.poll(() => read.mock.calls.map(([{ params }]) => params?.id)).toEqual(['i1', 'i2'])
})

it('offers an added item of a long list', async () => {
  await renderPart(<LongLibrary />)
  act(() => hear({ type: 'media.updated', ids: ['new'], deleted: false }))
  await screen.findByText('5 outdated')
})
