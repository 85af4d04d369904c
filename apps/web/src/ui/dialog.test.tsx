// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { Dialog } from './dialog.tsx'

it('closes on Escape, but not during input method composition', async () => {
  const onOpenChange = vi.fn()
  await renderPart(
    <Dialog open onOpenChange={onOpenChange} title="A name" closeLabel="Close">
      <input aria-label="Name" />
    </Dialog>,
  )
  const field = await screen.findByRole('textbox')
  fireEvent.keyDown(field, { key: 'Escape', isComposing: true })
  fireEvent.keyDown(field, { key: 'Escape', keyCode: 229 })
  expect(onOpenChange).not.toHaveBeenCalled()
  fireEvent.keyDown(field, { key: 'Escape' })
  expect(onOpenChange).toHaveBeenCalledWith(false)
})
