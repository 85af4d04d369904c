// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { WordsAlone } from './words-alone.tsx'

vi.mock('../../api/media.ts', () => ({
  fetchLibrary: async ({ query }: { query: string }) => ({ total: query === 'lease' ? 3 : 0 }),
}))

it('offers the words of a query that stand in something, with how much that is', async () => {
  const onChoose = vi.fn()
  const { user } = await renderPart(<WordsAlone query="lease of the spaceship" onChoose={onChoose} />)
  const button = await screen.findByRole('button', { name: '“lease” in 3 items' })
  expect(screen.getAllByRole('button')).toHaveLength(1)
  await user.click(button)
  expect(onChoose).toHaveBeenCalledExactlyOnceWith('lease')
})

it('offers nothing where there is one word only', async () => {
  await renderPart(<WordsAlone query="lease" onChoose={() => {}} />)
  expect(document.body.textContent).toBe('')
})
