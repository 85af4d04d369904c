import { path } from '@mira/client/path'
import type { AttachedMedia, MediaItemJson, MediaType } from '@mira/shared'
import { can } from '@mira/shared/access'
import { MESSAGE_MAX_MEDIA } from '@mira/shared/words/limits'
import { Paperclip } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../../lib/i18n.ts'
import { LibraryBrowser } from '../../../lib/library-browser.tsx'
import { useUser } from '../../../lib/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'

/** An item as it goes with a message. */
export function attachedOf({ id, media_type, thumbnail, metadata }: MediaItemJson): AttachedMedia {
  return { media_id: id, title: metadata.original_filename, media_type, thumbnail, url: path`/gallery/${id}` }
}

/** The button that opens the library to choose what a message is about; nothing for those who have none. */
export function LibraryPicker({ chosen, most = MESSAGE_MAX_MEDIA, onChoose }: LibraryPickerProps) {
  const text = useText('chat')
  const user = useUser()
  const [isOpen, setIsOpen] = useState(false)
  if (!can(user, 'upload')) return null
  return (
    <>
      <IconButton name={text('attach.button')} icon={<Paperclip aria-hidden />} onClick={() => setIsOpen(true)} />
      <Picker
        // what was marked and not attached is forgotten
        key={String(isOpen)}
        isOpen={isOpen}
        most={most - chosen.length}
        takenIds={new Set(chosen.map(({ media_id }) => media_id))}
        onClose={() => setIsOpen(false)}
        onChoose={onChoose}
      />
    </>
  )
}

function Picker({ isOpen, most, takenIds, onClose, onChoose }: PickerProps) {
  const text = useText('chat')
  const common = useText('app')
  const [marked, setMarked] = useState<ReadonlyMap<string, AttachedMedia>>(new Map())
  const room = most - marked.size

  const kindTexts = (kind: 'all' | MediaType) => ({ label: text(`attach.kinds.${kind}`), empty: text('attach.empty') })
  const toggle = (item: MediaItemJson) => {
    const next = new Map(marked)
    if (!next.delete(item.id)) next.set(item.id, attachedOf(item))
    setMarked(next)
  }
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(isStillOpen) => !isStillOpen && onClose()}
      title={text('attach.title')}
      closeLabel={common('common.close')}
      size="lg"
      footer={
        <>
          <Button onClick={onClose}>{common('common.cancel')}</Button>
          <Button
            variant="primary"
            disabled={marked.size === 0}
            onClick={() => {
              onChoose([...marked.values()])
              onClose()
            }}
          >
            {text('attach.done', { count: marked.size })}
          </Button>
        </>
      }
    >
      <LibraryBrowser
        kinds={[
          { value: 'all', ...kindTexts('all') },
          ...(['image', 'video', 'audio', 'document'] as const).map((value) => ({ value, ...kindTexts(value) })),
        ]}
        texts={{
          search: text('attach.search'),
          kinds: text('attach.kinds.label'),
          noneFound: text('attach.noneFound'),
        }}
        isOpen={isOpen}
        isChosen={(id) => marked.has(id) || takenIds.has(id)}
        isDisabled={(id) => takenIds.has(id) || (room <= 0 && !marked.has(id))}
        onPick={toggle}
      />
    </Dialog>
  )
}

type LibraryPickerProps = {
  chosen: readonly AttachedMedia[]
  /** How many there may be in all; as many as go with a message. */
  most?: number
  onChoose: (items: AttachedMedia[]) => void
}
type PickerProps = {
  isOpen: boolean
  /** How many more may be chosen. */
  most: number
  takenIds: ReadonlySet<string | null>
  onClose: () => void
  onChoose: (items: AttachedMedia[]) => void
}
