import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeMediaTags } from '../../api/media.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { FormDialog } from '../../lib/form-dialog.tsx'
import { useText } from '../../lib/i18n.ts'
import { splitTags } from '../../lib/split-tags.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { GridItem } from './library-items.ts'
import { libraryKey, tagsQuery } from './library-queries.ts'

const MOST_OFFERED = 30

/** Gives tags to several items, or takes them away. */
export function TagsDialog({ open, onOpenChange, items }: TagsDialogProps) {
  const text = useText('gallery')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { data: known = [] } = useQuery(tagsQuery)
  const [written, setWritten] = useState('')
  const [wanted, setWanted] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [error, setError] = useState<string | null>(null)
  const [isSaving, setIsSaving] = useState(false)

  const counts = new Map<string, number>()
  for (const { tags } of items) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const offered = [...new Set([...counts.keys(), ...known.map(({ tag }) => tag)])].slice(0, MOST_OFFERED)

  const close = () => {
    setWritten('')
    setWanted(new Map())
    setError(null)
    onOpenChange(false)
  }
  const save = async (event: React.FormEvent) => {
    event.preventDefault()
    const add = [...[...wanted].flatMap(([tag, isOn]) => (isOn ? [tag] : [])), ...splitTags(written)]
    const remove = [...wanted].flatMap(([tag, isOn]) => (isOn ? [] : [tag]))
    if (add.length === 0 && remove.length === 0) return close()
    setIsSaving(true)
    try {
      await changeMediaTags(
        items.map(({ id }) => id),
        { add, remove },
      )
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: libraryKey }),
        queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey }),
      ])
      close()
    } catch (failure) {
      console.error('Tags could not be changed', failure)
      setError(errorText(failure))
    } finally {
      setIsSaving(false)
    }
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && close()}
      title={text('tags.title', { count: items.length })}
      size="sm"
      onSubmit={(event) => void save(event)}
      submitLabel={text('tags.save')}
      isBusy={isSaving}
    >
      <TextField
        label={text('tags.add')}
        hint={text('tags.hint')}
        error={error ?? undefined}
        value={written}
        onChange={(event) => setWritten(event.target.value)}
        data-autofocus=""
        maxLength={500}
      />
      {offered.length > 0 && (
        <fieldset className="mt-5">
          <legend className="mb-2 text-13 font-medium">{text('tags.all')}</legend>
          <div className="flex max-h-64 flex-col gap-1.5 overflow-y-auto p-0.5">
            {offered.map((tag) => {
              const count = counts.get(tag) ?? 0
              const isOn = wanted.get(tag)
              return (
                <Checkbox
                  key={tag}
                  label={tag}
                  checked={isOn ?? (count === items.length && count > 0)}
                  indeterminate={isOn === undefined && count > 0 && count < items.length}
                  onCheckedChange={(isChecked) => setWanted((current) => new Map(current).set(tag, isChecked))}
                />
              )
            })}
          </div>
        </fieldset>
      )}
    </FormDialog>
  )
}

type TagsDialogProps = { open: boolean; onOpenChange: (isOpen: boolean) => void; items: readonly GridItem[] }
