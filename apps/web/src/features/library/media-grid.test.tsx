// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import type { GridItem } from './library-items.ts'
import { useDaysText, useGridKeyboard } from './media-grid.tsx'

function Cards({ ids }: { ids: string }) {
  const items = [...ids].map((id) => ({ id }) as GridItem)
  const { grid, activeIndex, onFocus } = useGridKeyboard({ items, rows: [], reveal: () => {}, onMoved: () => {} })
  return (
    <div ref={grid}>
      {items.map(({ id }, index) => (
        <button
          key={id}
          type="button"
          data-media-id={id}
          tabIndex={index === activeIndex ? 0 : -1}
          onFocus={() => onFocus(id)}
        >
          {id}
        </button>
      ))}
    </div>
  )
}

const card = (name: string) => screen.getByRole('button', { name })

it('moves the focus to the next card when the focused one is removed, or to the previous one at the end', async () => {
  const { rerender } = await renderPart(<Cards ids="abcd" />)
  act(() => card('c').focus())
  rerender(<Cards ids="abd" />)
  expect(document.activeElement).toBe(card('d'))
  rerender(<Cards ids="ab" />)
  expect(document.activeElement).toBe(card('b'))
})

it('doesn’t take the focus when a card that lost it is removed, and Tab leads to the next card', async () => {
  const { rerender } = await renderPart(<Cards ids="abcd" />)
  act(() => card('c').focus())
  act(() => card('c').blur())
  rerender(<Cards ids="abd" />)
  expect(document.activeElement).toBe(document.body)
  expect(card('d').tabIndex).toBe(0)
})

function Day({ day }: { day: string }) {
  return <p>{useDaysText()({ first: day, last: day })}</p>
}

it('labels a day as today only until midnight', async () => {
  await loadTexts('gallery')
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-05-17T12:00:00Z') })
  try {
    const { rerender } = await renderPart(<Day day="2026-05-17" />)
    expect(screen.getByText('Today')).toBeTruthy()
    vi.setSystemTime(new Date('2026-05-18T12:00:00Z'))
    rerender(<Day day="2026-05-17" />)
    expect(screen.getByText('Yesterday')).toBeTruthy()
  } finally {
    vi.useRealTimers()
  }
})
