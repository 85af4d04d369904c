// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { createStore } from '../../lib/loading/store.ts'
import { Chapters } from './item-panel.tsx'

it('a chapter shows its start and the source of its title, and plays from there', async () => {
  const seek = vi.fn()
  const chapters = [
    { start: 0, end: 3725, title: 'The dough rises.', from: 'speech', frame_number: null },
    { start: 3725, end: 5000, title: 'Part two: Boats', from: 'text', frame_number: 4 },
  ]
  const frames = [
    { frame_number: 4, timestamp_seconds: 3726, thumbnail: '/four.webp', caption: null, extracted_text: null },
  ]
  const item = { chapters, frames } as unknown as MediaDetailJson
  await renderPart(
    <Chapters item={item} player={{ element: { current: null }, time: createStore(4000), seek }} words="" />,
  )
  const [first, second] = within(screen.getByRole('list', { name: 'Chapters' })).getAllByRole('listitem')
  expect(first?.textContent).toContain('0:00 · spoken')
  expect(second?.textContent).toContain('1:02:05 · on the screen')
  expect([first, second].map((chapter) => chapter?.getAttribute('aria-current'))).toEqual([null, 'true'])
  expect(second?.querySelector('img')?.getAttribute('src')).toBe('/four.webp')
  await userEvent.click(within(second as HTMLElement).getByRole('button'))
  expect(seek).toHaveBeenCalledWith(3725, true)
})
