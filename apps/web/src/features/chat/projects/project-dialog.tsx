import type { KnownItem, ProjectJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import {
  PROJECT_INSTRUCTIONS_MAX_CHARACTERS,
  PROJECT_NAME_MAX_CHARACTERS,
  PROJECT_SEARCH_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { ModelField } from '../models/model-field.tsx'
import { LimitSwitch, ProjectItems } from './project-items.tsx'
import { projectsQuery } from './projects-query.ts'

/** Makes a project, or changes one. */
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
  const [limited, setLimited] = useState(project?.limited ?? false)
  const hasKnowledge = items.length > 0 || search.trim() !== ''
  const save = useMutation({
    mutationFn: () => {
      const media_ids = items.map(({ media_id }) => media_id)
      const knowledge = { search: search.trim(), media_ids, limited: limited || hasKnowledge }
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
                // whoever takes the last one away is shown what follows
                if (items.length > 0) setLimited(true)
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
            <LimitSwitch hasKnowledge={hasKnowledge} isLimited={limited} onChange={setLimited} />
          </>
        )}
        {save.isError && <InlineError text={errorText(save.error)} />}
      </div>
    </FormDialog>
  )
}

type ProjectDialogProps = {
  /** Null for a new one. */
  project: ProjectJson | null
  onSaved: (project: ProjectJson) => void
  onClose: () => void
}
