// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { ItemPeekContext } from '../../lib/session/navigation-state.ts'
import { TypeaheadField } from './typeahead-field.tsx'

const fetchLibrary = vi.hoisted(() => vi.fn())
vi.mock('../../lib/api/library.ts', () => ({ fetchLibrary }))

const item = (id: string, name: string) => ({
  ...{ id, media_type: 'document', caption: null, thumbnail: null, thumbhash: null },
  metadata: { original_filename: name },
})

function Field({ onSubmit }: { onSubmit: () => void }) {
  const [value, setValue] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <TypeaheadField
        label="Search"
        clearLabel="Clear"
        value={value}
        onValueChange={setValue}
        submittedQuery=""
        types={[]}
      />
    </form>
  )
}

it('shows matching items after a pause in typing, and opens one with the keyboard', async () => {
  fetchLibrary.mockResolvedValue({ media_items: [item('1', 'lease.pdf'), item('2', 'lease of the cellar.pdf')] })
  const onShow = vi.fn()
  const submitted = vi.fn()
  const { user } = await renderPart(
    <ItemPeekContext.Provider value={onShow}>
      <Field onSubmit={submitted} />
    </ItemPeekContext.Provider>,
  )
  const box = screen.getByRole('combobox', { name: 'Search' })
  await user.type(box, 'lease')
  expect(await screen.findAllByRole('option')).toHaveLength(2)
  // one request for five keystrokes
  expect(fetchLibrary.mock.calls.map(([query]) => query.query)).toEqual(['lease'])

  await user.keyboard('{ArrowDown}{ArrowDown}')
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('lease of the cellar.pdf')
  expect(box.getAttribute('aria-activedescendant')).toBe(screen.getByRole('option', { selected: true }).id)
  await user.keyboard('{Enter}')
  expect(onShow).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^\/gallery\/2\?q=/))
  expect(submitted).not.toHaveBeenCalled()
  expect(screen.queryByRole('listbox')).toBeNull()
})

it('keeps the hits open on Enter during input method composition', async () => {
  fetchLibrary.mockResolvedValue({ media_items: [item('1', 'lease.pdf')] })
  const { user } = await renderPart(<Field onSubmit={vi.fn()} />)
  const box = screen.getByRole('combobox', { name: 'Search' })
  await user.type(box, 'lea')
  await screen.findByRole('option')
  fireEvent.keyDown(box, { key: 'Enter', isComposing: true })
  expect(screen.getByRole('listbox')).toBeTruthy()
})

it('searches on Enter when no hit is selected; Escape closes the hits and keeps the text', async () => {
  fetchLibrary.mockResolvedValue({ media_items: [item('1', 'lease.pdf')] })
  const submitted = vi.fn()
  const { user } = await renderPart(<Field onSubmit={submitted} />)
  const box = screen.getByRole<HTMLInputElement>('combobox', { name: 'Search' })
  await user.type(box, 'lea')
  await screen.findByRole('option')
  await user.keyboard('{Escape}')
  expect([screen.queryByRole('listbox'), box.value]).toEqual([null, 'lea'])
  await user.keyboard('s')
  await screen.findByRole('option')
  await user.keyboard('{Enter}')
  expect(submitted).toHaveBeenCalledOnce()
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull())
})
