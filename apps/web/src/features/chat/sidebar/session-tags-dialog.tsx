import type { ChatSessionJson } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changeChatSessions } from '../../../api/chat.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { FormDialog } from '../../../lib/form-dialog.tsx'
import { useText } from '../../../lib/i18n.ts'
import { splitTags } from '../../../lib/split-tags.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { chatTagsQuery } from './tag-query.ts'
import { LIST_KEY } from './use-session-list.ts'

const MOST_OFFERED = 30

/** Gives tags to conversations, or takes them away. */
export function SessionTagsDialog({ sessions, onClose }: SessionTagsDialogProps) {
  const text = useText('conversations')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { data: known = [] } = useQuery(chatTagsQuery)
  const [written, setWritten] = useState('')
  const [wanted, setWanted] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [error, setError] = useState<string | null>(null)
  const [isSaving, setIsSaving] = useState(false)

  const counts = new Map<string, number>()
  for (const { tags } of sessions) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const offered = [...new Set([...counts.keys(), ...known.map(({ tag }) => tag)])].slice(0, MOST_OFFERED)

  const save = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    const add_tags = [...[...wanted].flatMap(([tag, isOn]) => (isOn ? [tag] : [])), ...splitTags(written)]
    const remove_tags = [...wanted].flatMap(([tag, isOn]) => (isOn ? [] : [tag]))
    if (add_tags.length === 0 && remove_tags.length === 0) return onClose()
    setIsSaving(true)
    try {
      await changeChatSessions({ ids: sessions.map(({ id }) => id), add_tags, remove_tags })
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
        queryClient.invalidateQueries({ queryKey: chatTagsQuery.queryKey }),
      ])
      onClose()
    } catch (failure) {
      setError(errorText(failure))
      setIsSaving(false)
    }
  }

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('tags.title', { count: sessions.length })}
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
                  checked={isOn ?? (count === sessions.length && count > 0)}
                  indeterminate={isOn === undefined && count > 0 && count < sessions.length}
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

type SessionTagsDialogProps = { sessions: readonly ChatSessionJson[]; onClose: () => void }
