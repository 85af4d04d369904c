import { useState } from 'react'
import { FormDialog } from '../../lib/components/form-dialog.tsx'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useLanguage, useText } from '../../lib/i18n/i18n.ts'
import { TextField } from '../../ui/text-field.tsx'
import { useDialogError } from '../../ui/use-dialog-error.ts'
import type { GridItem } from './library-items.ts'
import { MapLink, placeOfText, placeText } from './place.tsx'
import { useFactChanges } from './use-fact-changes.ts'

/** Sets the place where items were taken, by coordinates or a map URL. */
export function PlaceDialog({ items, onClose }: PlaceDialogProps) {
  const text = useText('gallery')
  const language = useLanguage()
  const errorText = useErrorText()
  const change = useFactChanges()
  const [firstItem, ...otherItems] = items
  const [draft, setDraft] = useState(() =>
    firstItem?.place && otherItems.length === 0 ? placeText(firstItem.place) : '',
  )
  const [error, setError] = useDialogError()
  const [isSaving, setIsSaving] = useState(false)
  const place = placeOfText(draft, language)

  const save = async () => {
    if (place === null) return setError(text('facts.noPlace'))
    setIsSaving(true)
    try {
      await change(items, place)
      onClose()
    } catch (failure) {
      console.error('Places could not be changed', failure)
      setError(errorText(failure))
      setIsSaving(false)
    }
  }

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('facts.placeTitle', { count: items.length })}
      size="sm"
      onSubmit={() => void save()}
      submitLabel={text('edit.save')}
      isBusy={isSaving}
      canSubmit={draft.trim() !== ''}
    >
      <TextField
        label={text('facts.coordinates')}
        hint={text('facts.coordinatesHint')}
        error={error ?? undefined}
        placeholder="43.26, -2.92"
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value)
          setError(null)
        }}
        maxLength={2000}
        autoComplete="off"
        data-autofocus=""
      />
      {place && (
        <p className="mt-3 text-13">
          <MapLink place={place} />
        </p>
      )}
    </FormDialog>
  )
}

type PlaceDialogProps = { items: readonly GridItem[]; onClose: () => void }
