// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { DialogPanel } from '../../ui/dialog-panel.tsx'
import { PopoverPanel } from '../../ui/popover-panel.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { SidePanel } from '../../ui/side-panel.tsx'
import { TextEditor } from './editable-text.tsx'

function Search() {
  const [value, setValue] = useState('')
  return <SearchField label="Search" clearLabel="Clear" value={value} onValueChange={setValue} />
}

function Editor() {
  const [isOpen, setIsOpen] = useState(true)
  if (!isOpen) return null
  return (
    <TextEditor
      draftKey="caption.1"
      label="Caption"
      value=""
      maxLength={9}
      onSave={async () => true}
      onClose={() => setIsOpen(false)}
    />
  )
}

function DialogAround({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <DialogPanel open onOpenChange={onClose} title="Around" closeLabel="Close">
      {children}
    </DialogPanel>
  )
}

function PanelAround({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <SidePanel title="Around" closeLabel="Close" returnTo={null} onClose={onClose}>
      {children}
    </SidePanel>
  )
}

function PopoverAround({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <PopoverPanel title="Around" anchor={{ current: null }} onClose={onClose}>
      {children}
    </PopoverPanel>
  )
}

it.each([
  ['dialog', DialogAround],
  ['side panel', PanelAround],
  ['popover', PopoverAround],
])('Escape clears a search field and closes a text editor before it closes the %s around them', async (_, Around) => {
  await loadTexts('gallery')
  const onClose = vi.fn()
  const { user } = await renderPart(
    <Around onClose={onClose}>
      <Search />
      <Editor />
    </Around>,
  )
  const search = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search' })
  await user.type(search, 'boat{Escape}')
  expect(search.value).toBe('')
  await user.type(screen.getByRole('textbox', { name: 'Caption' }), 'Bay{Escape}')
  expect(screen.queryByRole('textbox', { name: 'Caption' })).toBeNull()
  expect(onClose).not.toHaveBeenCalled()
  await user.type(search, '{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})
