// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { SearchField } from './search-field.tsx'

it('is cleared on Escape, but not during input method composition', async () => {
  const onValueChange = vi.fn()
  await renderPart(<SearchField label="Search" clearLabel="Clear" value="にほ" onValueChange={onValueChange} />)
  const box = screen.getByRole('searchbox')
  fireEvent.keyDown(box, { key: 'Escape', isComposing: true })
  fireEvent.keyDown(box, { key: 'Escape', keyCode: 229 })
  expect(onValueChange).not.toHaveBeenCalled()
  fireEvent.keyDown(box, { key: 'Escape' })
  expect(onValueChange).toHaveBeenCalledWith('')
})
