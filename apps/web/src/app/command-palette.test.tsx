// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { listenToShortcuts } from '../lib/browser/keyboard.ts'
import { CommandPalette } from './command-palette.tsx'

const { promise: dialogLoad, resolve: finishLoading } = vi.hoisted(() => Promise.withResolvers<void>())
vi.mock('./command-palette-dialog.tsx', async () => {
  await dialogLoad
  return { PaletteDialog: ({ typed }: { typed: () => string }) => <div role="dialog">{typed()}</div> }
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
