// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { QueryParts } from './nothing-found.tsx'

vi.mock('../../lib/api/library.ts', () => ({
  fetchLibrary: async ({ query }: { query: string }) => ({ total: query === 'lease' ? 3 : 0 }),
}))

it('offers the words of a query that have matches, with their number', async () => {
  const onChoose = vi.fn()
  const { user } = await renderPart(
    <QueryParts query="lease of the spaceship" words="lease of the spaceship" onChoose={onChoose} />,
  )
  const button = await screen.findByRole('button', { name: '“lease” in 3 items' })
  expect(screen.getAllByRole('button')).toHaveLength(1)
  await user.click(button)
  expect(onChoose).toHaveBeenCalledExactlyOnceWith('lease')
})

it('offers nothing for a single word', async () => {
  await renderPart(<QueryParts query="lease" words="lease" onChoose={() => {}} />)
  expect(document.body.textContent).toBe('')
})

it('doesn’t take a filter for a word, and offers the rest of the query without the words', async () => {
  const onChoose = vi.fn()
  const query = 'holiday last winter type:image'
  const { user } = await renderPart(<QueryParts query={query} words="holiday" onChoose={onChoose} />)
  expect(screen.getAllByRole('button')).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Everything from “last winter type:image”' }))
  expect(onChoose).toHaveBeenCalledExactlyOnceWith('last winter type:image')
})
