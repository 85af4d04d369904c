// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import type { GridItem } from './library-items.ts'
import { SelectionBar } from './selection-bar.tsx'

// what it asks the server for is not about the bar
vi.mock('./tags-dialog.tsx', () => ({ TagsDialog: () => null }))

const items = [
  { id: 'a', tags: [] },
  { id: 'b', tags: [] },
] as unknown as GridItem[]

it('says how many are selected, and does with them what is asked', async () => {
  const [onClear, onDelete] = [vi.fn(), vi.fn()]
  const { user } = await renderPart(<SelectionBar items={items} onClear={onClear} onDelete={onDelete} />)
  expect(screen.getByRole('status').textContent).toContain('2')
  await user.click(screen.getByRole('button', { name: 'Delete 2 items' }))
  expect(onDelete).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: 'Clear selection' }))
  expect(onClear).toHaveBeenCalledOnce()
})

it('is not there while nothing is selected', async () => {
  await renderPart(<SelectionBar items={[]} onClear={() => {}} onDelete={() => {}} />)
  expect(screen.queryByRole('toolbar')).toBeNull()
})
