import type { AttachedMedia, MediaItemJson, MediaType } from '@mira/shared'
import { useState } from 'react'
import { LibraryBrowser } from '../../lib/components/library-browser.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { attachedOf } from './messages/attached-items.tsx'

/** Dialog for choosing items of the library. */
export function LibraryPickerDialog({ max, takenIds, onClose, onChoose }: LibraryPickerDialogProps) {
  const text = useText('chat')
  const common = useText('app')
  const [selection, setSelection] = useState<ReadonlyMap<string, AttachedMedia>>(new Map())
  const remaining = max - selection.size

  const kindTexts = (kind: 'all' | MediaType) => ({ label: text(`attach.kinds.${kind}`), empty: text('attach.empty') })
  const toggle = (item: MediaItemJson) => {
    const next = new Map(selection)
    if (!next.delete(item.id)) next.set(item.id, attachedOf(item))
    setSelection(next)
  }
  return (
    <Dialog
      open
      onOpenChange={(isStillOpen) => !isStillOpen && onClose()}
      title={text('attach.title')}
      closeLabel={common('common.close')}
      size="lg"
      footer={
        <>
          <Button onClick={onClose}>{common('common.cancel')}</Button>
          <Button
            variant="primary"
            disabled={selection.size === 0}
            onClick={() => {
              onChoose([...selection.values()])
              onClose()
            }}
          >
            {text('attach.done', { count: selection.size })}
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
        isOpen
        isChosen={(id) => selection.has(id) || takenIds.has(id)}
        isDisabled={(id) => takenIds.has(id) || (remaining <= 0 && !selection.has(id))}
        onPick={toggle}
      />
    </Dialog>
  )
}

type LibraryPickerDialogProps = {
  /** Number of items that can still be chosen. */
  max: number
  /** Ids of items that are already attached. */
  takenIds: ReadonlySet<string | null>
  onClose: () => void
  onChoose: (items: AttachedMedia[]) => void
}
