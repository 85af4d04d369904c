// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ArtifactPreview } from './preview.tsx'

const TICK_MS = 2_000
const sandbox = {} as Window

beforeEach(async () => {
  await loadTexts('chat')
  vi.spyOn(HTMLIFrameElement.prototype, 'contentWindow', 'get').mockReturnValue(sandbox)
  sandbox.postMessage = vi.fn()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

async function show() {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'performance'] })
  await renderPart(<ArtifactPreview kind="svg" source="<svg/>" />)
}

const tick = () => act(() => vi.advanceTimersByTime(TICK_MS))
const respond = () =>
  fireEvent(window, new MessageEvent('message', { source: sandbox, data: { type: 'pong' } } as MessageEventInit))

it('keeps the preview while the tab is in the background or the device sleeps', async () => {
  await show()
  for (let minute = 0; minute < 5; minute += 1) {
    vi.setSystemTime(Date.now() + 60_000)
    tick()
    respond()
  }
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByTitle('Preview')).toBeTruthy()
})

it('removes the preview when it stops responding', async () => {
  await show()
  tick()
  respond()
  for (let count = 0; count < 4; count += 1) tick()
  expect(screen.getByTitle('Preview')).toBeTruthy()
  tick()
  expect(screen.queryByTitle('Preview')).toBeNull()
})

it('runs Python once its runtime can be fetched again', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  // As in Chromium, where a module that couldn't be loaded stays failed until the page is reloaded.
  vi.doMock('pyodide/pyodide.mjs?url', () => {
    throw new Error('Failed to fetch dynamically imported module')
  })
  const fetchMock = vi
    .fn(async (_url: string) => new Response(''))
    .mockRejectedValueOnce(new TypeError('Failed to fetch'))
  vi.stubGlobal('fetch', fetchMock)
  const { user } = await renderPart(<ArtifactPreview kind="python" source="print(1)" />)
  const start = () => fireEvent(window, new MessageEvent('message', { source: sandbox, data: { type: 'ready' } }))
  await user.click(screen.getByRole('button', { name: 'Run' }))
  start()
  await screen.findByText(/Check the connection, then try again/)
  expect(sandbox.postMessage).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: 'Run again' }))
  start()
  await vi.waitFor(() =>
    expect(sandbox.postMessage).toHaveBeenCalledWith(
      expect.objectContaining({ kind: 'python', source: 'print(1)' }),
      '*',
      expect.anything(),
    ),
  )
  vi.doUnmock('pyodide/pyodide.mjs?url')
})
