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

let emit: (event: ClientEvent) => void = () => {}
vi.mock('../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    emit = handler
  },
}))

const filters = { ...clearedFilters, sort: 'newest' } as const

function Library() {
  const { items, isOutdated } = useLibrary(filters)
  return <output>{`${items.length} ${isOutdated ? 'outdated' : 'up to date'}`}</output>
}

/** A list with more pages than are reloaded at once. */
function LongLibrary() {
  const queryClient = useQueryClient()
  useState(() => {
    const pages = [0, 1, 2, 3, 4].map((number) => ({ items: [{ id: `i${number}` }], nextCursor: null, total: 5 }))
    queryClient.setQueryData(libraryQuery(filters).queryKey, { pages, pageParams: pages.map(() => null) } as never)
  })
  return <Library />
}

it('marks a long list as outdated when events may have been missed, but not after a deletion', async () => {
  await renderPart(<LongLibrary />)
  const status = () => screen.getByRole('status').textContent
  const statusAfter = async (event: ClientEvent) => {
    act(() => emit(event))
    await act(() => new Promise((resolve) => setTimeout(resolve, 900)))
    return status()
  }
  expect(await statusAfter({ type: 'media.updated', ids: ['i1'], deleted: true })).toBe('4 up to date')
  expect(await statusAfter({ type: 'events.resumed' })).toBe('4 outdated')
})

it('removes a changed item that no longer exists from a long list, and reloads the others', async () => {
  await renderPart(<LongLibrary />)
  const read = route('GET /media/:id').mockRejectedValueOnce(new ApiError(404, { code: 'not_found', detail: 'Gone.' }))
  for (const id of ['i1', 'i2']) act(() => emit({ type: 'media.done', id }))
  await screen.findByText('4 up to date')
  await expect.poll(() => read.mock.calls.map(([{ params }]) => params?.id)).toEqual(['i1', 'i2'])
})

it('marks a long list as outdated when an item is added', async () => {
  await renderPart(<LongLibrary />)
  act(() => emit({ type: 'media.updated', ids: ['new'], deleted: false }))
  await screen.findByText('5 outdated')
})
