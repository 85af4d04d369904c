import type { AttachedMedia } from '@mira/shared'
import { can } from '@mira/shared/access'
import { MESSAGE_MAX_MEDIA } from '@mira/shared/constants/limits'
import { Paperclip } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../lib/i18n/i18n.ts'
import { useUser } from '../../lib/session/session.ts'
import { lazyDialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'

/** Loaded when it opens. */
export const LibraryPickerDialog = lazyDialog(() =>
  import('./library-picker-dialog.tsx').then((module) => module.LibraryPickerDialog),
)

/** Button for attaching items of the library to a message; null for users without a library. */
export function LibraryPicker({ attached, max = MESSAGE_MAX_MEDIA, onChoose }: LibraryPickerProps) {
  const text = useText('chat')
  const user = useUser()
  const [isOpen, setIsOpen] = useState(false)
  if (!can(user, 'upload')) return null
  return (
    <>
      <IconButton name={text('attach.button')} icon={<Paperclip aria-hidden />} onClick={() => setIsOpen(true)} />
      {isOpen && (
        <LibraryPickerDialog
          max={max - attached.length}
          takenIds={new Set(attached.map(({ media_id }) => media_id))}
          onClose={() => setIsOpen(false)}
          onChoose={onChoose}
        />
      )}
    </>
  )
}

type LibraryPickerProps = {
  attached: readonly AttachedMedia[]
  /** Maximum number of items; defaults to a message's limit. */
  max?: number
  onChoose: (items: AttachedMedia[]) => void
}
