// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { markMissingPart } from '../ui/lazy-part.tsx'
import { ScreenError } from './screen-error.tsx'
import { OfflineBar } from './signed-in-layout.tsx'

function setOnline(isOnline: boolean) {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  act(() => void window.dispatchEvent(new Event(isOnline ? 'online' : 'offline')))
}

it('shows that the browser is offline until it reconnects', async () => {
  await renderPart(<OfflineBar />)
  const bar = screen.getByRole('status')
  expect(bar.textContent).toBe('')
  setOnline(false)
  expect(bar.textContent).toBe('You’re offline. Mira will reconnect automatically.')
  setOnline(true)
  expect(bar.textContent).toBe('')
})

it('reloads a page with missing parts once online, but not one that failed for another reason', async () => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {})
  const { rerender } = await renderPart(<ScreenError key="failed" error={new Error('a bug')} />)
  setOnline(true)
  expect(reload).not.toHaveBeenCalled()
  const error = new Error('Failed to fetch dynamically imported module')
  markMissingPart(error)
  // The browser doesn't request the part again when the screen is opened once more, so there's no second `vite:preloadError`.
  for (const key of ['missing', 'opened again']) {
    rerender(<ScreenError key={key} error={error} />)
    expect(screen.getByText('A part of Mira couldn’t be loaded')).toBeTruthy()
    reload.mockClear()
    setOnline(true)
    expect(reload).toHaveBeenCalledOnce()
  }
})
