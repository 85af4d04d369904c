// @vitest-environment happy-dom
import type { MediaArchiveJson } from '@mira/shared'
import { screen, waitFor } from '@testing-library/react'
import { useLocation } from 'react-router-dom'
import { afterEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { currentToasts, dismissToast } from '../../ui/show-toast.ts'
import type { GridItem } from './library-items.ts'
import { SelectionBar } from './selection-bar.tsx'

// the dialog's requests don't matter here
vi.mock('./item-tags-dialog.tsx', () => ({ ItemTagsDialog: () => null }))
const calls = vi.hoisted(() => ({ applied: [] as unknown[] }))
vi.mock('../../lib/api/effects.ts', () => ({
  fetchRecipes: async () => [{ id: 'r', name: 'Old film', steps: [{ effect_name: 'sepia', intensity: 1 }] }],
  applyEffects: async (input: { mediaId: string }, steps: unknown) => {
    calls.applied.push([input, steps])
    return input.mediaId === 'b' ? null : {}
  },
}))

const items = [
  { id: 'a', type: 'image', thumbnail: '/a', tags: [] },
  { id: 'b', type: 'video', thumbnail: '/b', tags: [] },
] as unknown as GridItem[]
const recording = { id: 'c', type: 'audio', thumbnail: null, tags: [] } as unknown as GridItem
afterEach(() => {
  for (const { id } of currentToasts()) dismissToast(id)
})
const noHandlers = { onClear: () => {}, onDelete: () => {} }

it('shows the number of selected items, and deletes or deselects them', async () => {
  const [onClear, onDelete] = [vi.fn(), vi.fn()]
  const { user } = await renderPart(<SelectionBar items={items} onClear={onClear} onDelete={onDelete} />)
  expect(screen.getByRole('status').textContent).toContain('2')
  await user.click(await screen.findByRole('button', { name: 'Delete 2 items' }))
  expect(onDelete).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: 'Clear selection' }))
  expect(onClear).toHaveBeenCalledOnce()
})

it('is hidden while nothing is selected', async () => {
  await renderPart(<SelectionBar items={[]} onClear={() => {}} onDelete={() => {}} />)
  expect(screen.queryByRole('toolbar')).toBeNull()
})

it('downloads all files as one archive, unless there are too many', async () => {
  const prepare = route('POST /media/archive').mockResolvedValue({ url: '#archive' } as MediaArchiveJson)
  const { user, rerender } = await renderPart(<SelectionBar items={items} {...noHandlers} />)
  await user.click(await screen.findByRole('button', { name: 'Download' }))
  expect(prepare).toHaveBeenCalledExactlyOnceWith({ json: { ids: ['a', 'b'] } })
  const many = Array.from({ length: 301 }, (_, number) => ({ ...recording, id: String(number) }))
  rerender(<SelectionBar items={many} {...noHandlers} />)
  await user.click(screen.getByRole('button', { name: 'Download' }))
  await user.click(await screen.findByRole('button', { name: 'Ask about these' }))
  expect(prepare).toHaveBeenCalledOnce()
  expect(currentToasts().map(({ title }) => title)).toEqual([
    'An archive can hold at most 300 items. Select fewer.',
    'A message can have at most 10 items. Select fewer.',
  ])
})

it('starts a message about the selected items', async () => {
  const { user } = await renderPart(
    <>
      <SelectionBar items={items} {...noHandlers} />
      <Address />
    </>,
  )
  await user.click(await screen.findByRole('button', { name: 'Ask about these' }))
  expect(screen.getByTestId('address').textContent).toBe('/chat?attach=a&attach=b')
})

it('applies a saved recipe to each item with an image, and reports the results', async () => {
  const { user } = await renderPart(<SelectionBar items={[...items, recording]} {...noHandlers} />)
  await user.click(await screen.findByRole('button', { name: 'Apply recipe' }))
  expect(await screen.findByText('1 item has no picture and is skipped.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Apply' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  const steps = [{ effect_name: 'sepia', intensity: 1 }]
  expect(calls.applied).toEqual([
    [{ mediaId: 'a', frameNumber: null }, steps],
    [{ mediaId: 'b', frameNumber: 1 }, steps],
  ])
  const toastTitles = currentToasts().map(({ title }) => title)
  expect(toastTitles).toContain('1 picture created')
  expect(toastTitles).toContain('1 item couldn’t be processed')
})

function Address() {
  const { pathname, search } = useLocation()
  return <p data-testid="address">{pathname + search}</p>
}
