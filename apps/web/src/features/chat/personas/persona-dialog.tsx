import type { KnownItem, PersonaJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import {
  PERSONA_DESCRIPTION_MAX_CHARACTERS,
  PERSONA_INSTRUCTIONS_MAX_CHARACTERS,
  PERSONA_MOST_STARTERS,
  PERSONA_NAME_MAX_CHARACTERS,
  PERSONA_STARTER_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { administerPersona, createPersona, updatePersona } from '../../../api/personas.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { FormDialog } from '../../../lib/form-dialog.tsx'
import { useText } from '../../../lib/i18n.ts'
import { useUser } from '../../../lib/session.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { ModelField } from '../models/model-field.tsx'
import { LimitSwitch, ProjectItems } from '../projects/project-items.tsx'
import { PersonaTools } from './persona-tools.tsx'
import { personasQuery } from './personas-query.ts'
import { PictureField } from './picture-field.tsx'

/** Makes a persona, or changes one; administrators share it with everybody. */
export function PersonaDialog({ persona, onClose }: { persona: PersonaJson | null; onClose: () => void }) {
  const text = useText('personas')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const user = useUser()
  const isOwn = persona?.own !== false
  const [name, setName] = useState(persona?.name ?? '')
  const [description, setDescription] = useState(persona?.description ?? '')
  const [instructions, setInstructions] = useState(persona?.instructions ?? '')
  const [model, setModel] = useState(persona?.model ?? null)
  const [tools, setTools] = useState<readonly string[] | null>(persona?.tools ?? null)
  const [starters, setStarters] = useState(persona?.starters.join('\n') ?? '')
  const [items, setItems] = useState<KnownItem[]>(persona?.items ?? [])
  const [limited, setLimited] = useState(persona?.limited ?? false)
  const [picture, setPicture] = useState(persona?.picture ?? null)
  const [isShared, setIsShared] = useState(persona?.shared === true)
  const save = useMutation({
    mutationFn: async () => {
      const questions = starters.split('\n').map((line) => line.trim().slice(0, PERSONA_STARTER_MAX_CHARACTERS))
      const written = {
        name: name.trim(),
        description: description.trim(),
        instructions: instructions.trim(),
        model,
        picture,
        tools: tools === null ? null : [...tools],
        starters: questions.filter((line) => line !== '').slice(0, PERSONA_MOST_STARTERS),
        ...(isOwn ? { media_ids: items.map(({ media_id }) => media_id), limited: limited || items.length > 0 } : {}),
      }
      if (persona === null) {
        const made = await createPersona(written)
        return isShared ? administerPersona(made.id, { shared: true }) : made
      }
      if (!persona.shared && !isShared) return updatePersona(persona.id, written)
      return administerPersona(persona.id, { ...written, ...(isOwn ? { shared: isShared } : {}) })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: personasQuery.queryKey })
      onClose()
    },
  })
  const canSave = name.trim() !== ''
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text(persona === null ? 'newTitle' : 'editTitle')}
      onSubmit={() => save.mutate()}
      submitLabel={text('save')}
      isBusy={save.isPending}
      canSubmit={canSave}
    >
      <div className="flex flex-col gap-4">
        <PictureField name={name} picture={picture} onChange={setPicture} />
        <TextField
          label={text('name')}
          value={name}
          maxLength={PERSONA_NAME_MAX_CHARACTERS}
          autoComplete="off"
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={text('description')}
          value={description}
          maxLength={PERSONA_DESCRIPTION_MAX_CHARACTERS}
          autoComplete="off"
          onChange={(event) => setDescription(event.target.value)}
        />
        <TextArea
          label={text('instructions')}
          hint={text('instructionsHint')}
          rows={5}
          value={instructions}
          maxLength={PERSONA_INSTRUCTIONS_MAX_CHARACTERS}
          onChange={(event) => setInstructions(event.target.value)}
        />
        <TextArea
          label={text('starters')}
          hint={text('startersHint', { most: PERSONA_MOST_STARTERS })}
          rows={3}
          value={starters}
          onChange={(event) => setStarters(event.target.value)}
        />
        <ModelField label={text('model')} model={model} onChange={setModel} />
        <PersonaTools tools={tools} onChange={setTools} />
        {isOwn && can(user, 'upload') && (
          <>
            <ProjectItems
              items={items}
              onChange={(chosen) => {
                // whoever takes the last one away is shown what follows
                if (items.length > 0) setLimited(true)
                setItems(chosen)
              }}
            />
            <LimitSwitch hasKnowledge={items.length > 0} isLimited={limited} onChange={setLimited} />
          </>
        )}
        {isOwn && user.role === 'admin' && (
          <Switch
            label={text('share')}
            description={text('shareHint')}
            checked={isShared}
            onCheckedChange={setIsShared}
          />
        )}
        {save.isError && <InlineError text={errorText(save.error)} />}
      </div>
    </FormDialog>
  )
}
