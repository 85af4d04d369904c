import type { AttachedMedia, KnownItem, MediaType, ProjectJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import {
  PROJECT_INSTRUCTIONS_MAX_CHARACTERS,
  PROJECT_MAX_ITEMS,
  PROJECT_NAME_MAX_CHARACTERS,
  PROJECT_SEARCH_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { InlineError } from '../../../ui/inline-error.tsx'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { projectsQuery } from '../chat-queries.ts'
import { LibraryPicker } from '../library-picker.tsx'
import { ModelField } from '../models/model-picker.tsx'

/** Library items that a project or persona answers from, to add and remove. */
export function ProjectItems({ items, onChange }: ProjectItemsProps) {
  const text = useText('projects')
  const attached: AttachedMedia[] = items.map((item) => ({ ...item, thumbnail: null, url: null }))
  const add = (added: readonly AttachedMedia[]) => {
    const attachments = added.flatMap(({ media_id, title, media_type }) =>
      media_id === null ? [] : [{ media_id, title, media_type }],
    )
    onChange([...items, ...attachments].slice(0, PROJECT_MAX_ITEMS))
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="text-13 font-medium">{text('items')}</legend>
      <p className="text-13 text-pretty text-muted">{text('itemsHint')}</p>
      {items.length > 0 && (
        <ul className="flex max-h-44 flex-col overflow-y-auto rounded-control border border-border px-1 py-1">
          {items.map((item) => (
            <li key={item.media_id} className="flex min-w-0 items-center gap-2 pl-2 text-14">
              <MediaIcon type={item.media_type as MediaType} className="size-4 shrink-0 text-muted" />
              <span className="min-w-0 flex-1 truncate">{item.title}</span>
              <IconButton
                size="sm"
                name={text('removeItem', { name: item.title })}
                icon={<X aria-hidden />}
                onClick={() => onChange(items.filter((other) => other !== item))}
              />
            </li>
          ))}
        </ul>
      )}
      <div>
        <LibraryPicker attached={attached} max={PROJECT_MAX_ITEMS} onChoose={add} />
      </div>
    </fieldset>
  )
}

/** Switch that limits answers to the attached items; it can be turned off once nothing is attached. */
export function LimitToItemsSwitch({ hasKnowledge, isLimited, onChange }: LimitSwitchProps) {
  const text = useText('projects')
  if (!hasKnowledge && !isLimited) return null
  return (
    <Switch
      label={text('limited')}
      description={text(hasKnowledge ? 'limitedHint' : 'nothingLeft')}
      checked
      disabled={hasKnowledge}
      onCheckedChange={onChange}
    />
  )
}

type LimitSwitchProps = { hasKnowledge: boolean; isLimited: boolean; onChange: (isLimited: boolean) => void }
type ProjectItemsProps = { items: readonly KnownItem[]; onChange: (items: KnownItem[]) => void }

/** Creates or edits a project. */
export function ProjectDialog({ project, onSaved, onClose }: ProjectDialogProps) {
  const text = useText('projects')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const mayUpload = can(useUser(), 'upload')
  const [name, setName] = useState(project?.name ?? '')
  const [instructions, setInstructions] = useState(project?.instructions ?? '')
  const [model, setModel] = useState(project?.model ?? null)
  const [search, setSearch] = useState(project?.search ?? '')
  const [items, setItems] = useState<KnownItem[]>(project?.items ?? [])
  const [isLimitedToItems, setIsLimitedToItems] = useState(project?.limited ?? false)
  const hasKnowledge = items.length > 0 || search.trim() !== ''
  const save = useMutation({
    mutationFn: () => {
      const media_ids = items.map(({ media_id }) => media_id)
      const knowledge = { search: search.trim(), media_ids, limited: isLimitedToItems || hasKnowledge }
      const body = { name: name.trim(), instructions: instructions.trim(), model, ...knowledge }
      return project === null
        ? call('POST /projects', { json: body })
        : call('PATCH /projects/:id', { params: { id: project.id }, json: body })
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      onSaved(saved)
      onClose()
    },
  })
  const canSave = name.trim() !== ''
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text(project === null ? 'newTitle' : 'editTitle')}
      onSubmit={() => save.mutate()}
      submitLabel={text('save')}
      isBusy={save.isPending}
      canSubmit={canSave}
    >
      <div className="flex flex-col gap-4">
        <TextField
          label={text('name')}
          value={name}
          maxLength={PROJECT_NAME_MAX_CHARACTERS}
          autoComplete="off"
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
        <TextArea
          label={text('instructions')}
          hint={text('instructionsHint')}
          rows={4}
          value={instructions}
          maxLength={PROJECT_INSTRUCTIONS_MAX_CHARACTERS}
          onChange={(event) => setInstructions(event.target.value)}
        />
        <ModelField label={text('model')} model={model} onChange={setModel} />
        {mayUpload && (
          <>
            <ProjectItems
              items={items}
              onChange={(next) => {
                // Answers stay limited to the items when the last one is removed; the switch then explains the effect.
                if (items.length > 0) setIsLimitedToItems(true)
                setItems(next)
              }}
            />
            <TextField
              label={text('search')}
              hint={text('searchHint', { example: 'tag:house type:document' })}
              value={search}
              maxLength={PROJECT_SEARCH_MAX_CHARACTERS}
              autoComplete="off"
              onChange={(event) => setSearch(event.target.value)}
            />
            <LimitToItemsSwitch
              hasKnowledge={hasKnowledge}
              isLimited={isLimitedToItems}
              onChange={setIsLimitedToItems}
            />
          </>
        )}
        {save.isError && <InlineError text={errorText(save.error)} />}
      </div>
    </FormDialog>
  )
}

type ProjectDialogProps = {
  /** Null for a new project. */
  project: ProjectJson | null
  onSaved: (project: ProjectJson) => void
  onClose: () => void
}
