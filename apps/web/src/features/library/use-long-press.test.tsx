// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { useLongPress } from './media-tile.tsx'

const [onPress, onClick] = [vi.fn(), vi.fn()]
beforeEach(() => vi.clearAllMocks())
afterEach(() => vi.useRealTimers())

function Part() {
  return (
    <div {...useLongPress(onPress)}>
      <button type="button" onClick={onClick}>
        Card
      </button>
    </div>
  )
}

const finger = { pointerType: 'touch', isPrimary: true }

async function renderCard() {
  await renderPart(<Part />)
  vi.useFakeTimers()
  return screen.getByRole('button', { name: 'Card' })
}

it('reports a long press once, and ignores the click when the finger is lifted', async () => {
  const card = await renderCard()
  fireEvent.pointerDown(card, finger)
  vi.advanceTimersByTime(600)
  fireEvent.pointerUp(card, finger)
  fireEvent.click(card)
  expect([onPress, onClick].map((handler) => handler.mock.calls.length)).toEqual([1, 0])
  fireEvent.pointerDown(card, finger)
  fireEvent.pointerUp(card, finger)
  fireEvent.click(card)
  expect([onPress, onClick].map((handler) => handler.mock.calls.length)).toEqual([1, 1])
})

it('treats an earlier context menu on a phone as a long press, and suppresses it', async () => {
  const card = await renderCard()
  fireEvent.pointerDown(card, finger)
  vi.advanceTimersByTime(400)
  expect(fireEvent.contextMenu(card), 'the browser’s context menu opens').toBe(false)
  fireEvent.pointerCancel(card, finger)
  vi.advanceTimersByTime(600)
  expect(onPress).toHaveBeenCalledTimes(1)
})

it('ignores the context menu of a mouse, and a finger that scrolls', async () => {
  const card = await renderCard()
  expect(fireEvent.contextMenu(card)).toBe(true)
  fireEvent.pointerDown(card, { ...finger, clientX: 0, clientY: 0 })
  fireEvent.pointerMove(card, { ...finger, clientX: 0, clientY: 40 })
  expect(fireEvent.contextMenu(card)).toBe(true)
  vi.advanceTimersByTime(600)
  expect(onPress).not.toHaveBeenCalled()
})
