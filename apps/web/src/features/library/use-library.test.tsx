// @vitest-environment happy-dom
import { useQueryClient } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import type { ClientEvent } from '../../lib/loading/event-stream.ts'
import { everything, libraryQuery } from './library-queries.ts'
import { useLibrary } from './use-library.ts'

let hear: (event: ClientEvent) => void = () => {}
vi.mock('../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    hear = handler
  },
}))

const filters = { ...everything, sort: 'newest' } as const

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

it('offers an added item of a long list', async () => {
  await renderPart(<LongLibrary />)
  act(() => hear({ type: 'media.updated', ids: ['new'], deleted: false }))
  await screen.findByText('5 outdated')
})
