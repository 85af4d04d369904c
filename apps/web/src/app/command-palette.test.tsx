// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { listenToShortcuts } from '../lib/browser/keyboard.ts'
import { CommandPalette } from './command-palette.tsx'

const { promise: dialogLoad, resolve: finishLoading } = vi.hoisted(() => Promise.withResolvers<void>())
vi.mock('./command-palette-dialog.tsx', async () => {
  await dialogLoad
  return {
    PaletteDialog: ({ getTypedText }: { getTypedText: () => string }) => <div role="dialog">{getTypedText()}</div>,
  }
})

it('puts text typed while the palette loads into its field', async () => {
  const stop = listenToShortcuts()
  const { user } = await renderPart(
    <>
      <CommandPalette />
      <input aria-label="Message" />
    </>,
  )
  const message = screen.getByRole<HTMLInputElement>('textbox', { name: 'Message' })
  await user.click(message)
  await user.keyboard('{Control>}k{/Control}lease')
  finishLoading()
  expect((await screen.findByRole('dialog')).textContent).toBe('lease')
  expect(message.value).toBe('')
  stop()
})

it('closes and leaves the screen as it is when its code can’t be loaded', async () => {
  vi.resetModules()
  const error = new Error('Failed to fetch dynamically imported module')
  // A factory's own error would be wrapped in another one.
  vi.doMock('./command-palette-dialog.tsx', () => ({
    get PaletteDialog() {
      throw error
    },
  }))
  vi.spyOn(console, 'error').mockReturnValue()
  const { markMissingPart } = await import('../ui/lazy-part.tsx')
  markMissingPart(error)
  const { CommandPalette, showCommandPalette } = await import('./command-palette.tsx')
  const { user } = await renderPart(
    <>
      <CommandPalette />
      <input aria-label="Message" />
    </>,
  )
  const message = screen.getByRole<HTMLInputElement>('textbox', { name: 'Message' })
  await user.type(message, 'Dear Ann')
  await act(async () => showCommandPalette())
  await user.type(message, ', hello')
  expect(message.value).toBe('Dear Ann, hello')
  vi.restoreAllMocks()
})
