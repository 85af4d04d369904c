import type { AttachedMedia } from '@mira/shared'
import { can } from '@mira/shared/access'
import { acceptedExtensionsOf } from '@mira/shared/constants/formats'
import { MESSAGE_MAX_MEDIA } from '@mira/shared/constants/limits'
import { mediaTypes } from '@mira/shared/constants/media'
import { FilePlus, ImagePlus, Paperclip } from 'lucide-react'
import { useRef, useState } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { DropdownMenu } from '../../../ui/dropdown-menu.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { acceptedPictures } from '../conversation/choose-pictures.ts'
import { LibraryPickerDialog } from '../library-picker.tsx'

const ACCEPTED = acceptedExtensionsOf(...mediaTypes)
  .map((extension) => `.${extension}`)
  .join(',')

/** Keeps the latest input alive: browsers may garbage-collect an input outside the page, together with its chosen files. */
let latestInput: HTMLInputElement | undefined

/**
 * Opens a file dialog for the formats that the memory can read. The input isn't added to the page, because the end-to-end
 * tests rely on the page having a single file input, the one for pictures.
 */
function chooseFiles(onChoose: (files: File[]) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: ACCEPTED, multiple: true })
  input.addEventListener('change', () => onChoose([...(input.files ?? [])]))
  latestInput = input
  latestInput.click()
}

/** Ways to attach something to a message: one button each, or a single menu in narrow layouts. */
export function AddToMessage({ attached, onPictures, onFiles, onItems }: AddToMessageProps) {
  const text = useText('chat')
  const mayUpload = can(useUser(), 'upload')
  const pictures = useRef<HTMLInputElement>(null)
  const [isLibraryOpen, setIsLibraryOpen] = useState(false)
  const attachActions = [
    {
      key: 'pictures',
      label: text('pictures.add'),
      icon: <ImagePlus aria-hidden />,
      onSelect: () => pictures.current?.click(),
    },
    onFiles && {
      key: 'files',
      label: text('files.add'),
      icon: <FilePlus aria-hidden />,
      onSelect: () => chooseFiles(onFiles),
    },
    mayUpload && {
      key: 'library',
      label: text('attach.button'),
      icon: <Paperclip aria-hidden />,
      onSelect: () => setIsLibraryOpen(true),
    },
  ].filter((action) => action !== undefined && action !== false)
  const isMenu = attachActions.length > 1
  return (
    <>
      <input
        ref={pictures}
        type="file"
        accept={acceptedPictures}
        multiple
        hidden
        aria-label={text('pictures.add')}
        onChange={({ target }) => {
          onPictures([...(target.files ?? [])])
          // Lets the user choose the same file again.
          target.value = ''
        }}
      />
      {attachActions.map(({ key, label, icon, onSelect }) => (
        <IconButton
          key={key}
          name={label}
          icon={icon}
          className={isMenu ? '@max-md:hidden' : undefined}
          onClick={onSelect}
        />
      ))}
      {isMenu && (
        <DropdownMenu
          trigger={<IconButton name={text('composer.add')} icon={<Paperclip aria-hidden />} className="@md:hidden" />}
          entries={attachActions}
        />
      )}
      {isLibraryOpen && (
        <LibraryPickerDialog
          max={MESSAGE_MAX_MEDIA - attached.length}
          takenIds={new Set(attached.map(({ media_id }) => media_id))}
          onClose={() => setIsLibraryOpen(false)}
          onChoose={onItems}
        />
      )}
    </>
  )
}

interface AddToMessageProps {
  /** Items already attached. */
  attached: readonly AttachedMedia[]
  onPictures: (files: File[]) => void
  /** Undefined where files can't be added. */
  onFiles: ((files: File[]) => void) | undefined
  onItems: (items: AttachedMedia[]) => void
}
