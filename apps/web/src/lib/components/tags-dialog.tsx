import { useState } from 'react'
import { Checkbox } from '../../ui/checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useDialogError } from '../../ui/use-dialog-error.ts'
import { splitTags } from '../format/split-tags.ts'
import { useErrorText } from '../i18n/error-text.ts'
import { FormDialog } from './form-dialog.tsx'

/** Maximum number of tags offered; all tags that are already set are offered even if there are more. */
const MAX_OFFERED = 30

/** Dialog that adds and removes tags of several entries at once. */
export function TagsDialog({ entries, existingTags, labels, onSave, onClose }: TagsDialogProps) {
  const errorText = useErrorText()
  const [draft, setDraft] = useState('')
  const [changes, setChanges] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [error, setError] = useDialogError()
  const [isSaving, setIsSaving] = useState(false)

  const counts = new Map<string, number>()
  for (const { tags } of entries) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const all = new Set([...counts.keys(), ...existingTags.map(({ tag }) => tag)])
  const offered = [...all].slice(0, Math.max(MAX_OFFERED, counts.size))

  const save = async () => {
    const add = [...[...changes].flatMap(([tag, isOn]) => (isOn ? [tag] : [])), ...splitTags(draft)]
    const remove = [...changes].flatMap(([tag, isOn]) => (isOn ? [] : [tag]))
    if (add.length === 0 && remove.length === 0) return onClose()
    setIsSaving(true)
    try {
      await onSave({ add, remove })
      onClose()
    } catch (failure) {
      console.error('Tags could not be changed', failure)
      setError(errorText(failure))
      setIsSaving(false)
    }
  }

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={labels.title}
      size="sm"
      onSubmit={() => void save()}
      submitLabel={labels.save}
      isBusy={isSaving}
    >
      <TextField
        label={labels.add}
        hint={labels.hint}
        error={error ?? undefined}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        data-autofocus=""
        maxLength={500}
      />
      {offered.length > 0 && (
        <fieldset className="mt-5">
          <legend className="mb-2 text-13 font-medium">{labels.all}</legend>
          <div className="flex max-h-64 flex-col gap-1.5 overflow-y-auto p-0.5">
            {offered.map((tag) => {
              const count = counts.get(tag) ?? 0
              const isOn = changes.get(tag)
              return (
                <Checkbox
                  key={tag}
                  label={tag}
                  checked={isOn ?? (count === entries.length && count > 0)}
                  indeterminate={isOn === undefined && count > 0 && count < entries.length}
                  onCheckedChange={(isChecked) => setChanges((current) => new Map(current).set(tag, isChecked))}
                />
              )
            })}
          </div>
        </fieldset>
      )}
    </FormDialog>
  )
}

type TagsDialogProps = {
  entries: readonly { tags: readonly string[] }[]
  /** Tags that the user has used. */
  existingTags: readonly { tag: string }[]
  labels: { title: string; add: string; hint: string; all: string; save: string }
  onSave: (change: { add: string[]; remove: string[] }) => Promise<unknown>
  onClose: () => void
}
