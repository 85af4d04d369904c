import type { KnownItem, PersonaJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { agentNames, answerToolNames } from '@mira/shared/constants/agents'
import { cutText } from '@mira/shared/constants/cut-text'
import {
  PERSONA_DESCRIPTION_MAX_CHARACTERS,
  PERSONA_INSTRUCTIONS_MAX_CHARACTERS,
  PERSONA_MAX_STARTERS,
  PERSONA_NAME_MAX_CHARACTERS,
  PERSONA_PICTURE_MAX_CHARACTERS,
  PERSONA_STARTER_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ImagePlus, X } from 'lucide-react'
import { type ChangeEvent, useId, useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { InlineError } from '../../../ui/inline-error.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { personasQuery, personaToolsQuery } from '../chat-queries.ts'
import { ModelField } from '../models/model-picker.tsx'
import { LimitToItemsSwitch, ProjectItems } from '../projects/project-dialog.tsx'
import { PersonaPicture } from './persona-greeting.tsx'

/** Side of a persona's picture in pixels; sharp enough on screens with double density. */
const PICTURE_SIDE = 128
const QUALITIES = [0.85, 0.6, 0.4]

/** Small square from the centre of a picture, as a data URL. @throws Error when it's unreadable or still too large. */
async function smallPicture(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file)
  try {
    const canvas = document.createElement('canvas')
    canvas.width = PICTURE_SIDE
    canvas.height = PICTURE_SIDE
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('This browser has no canvas')
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, PICTURE_SIDE, PICTURE_SIDE)
    const cropSide = Math.min(bitmap.width, bitmap.height)
    const [left, top] = [(bitmap.width - cropSide) / 2, (bitmap.height - cropSide) / 2]
    context.drawImage(bitmap, left, top, cropSide, cropSide, 0, 0, PICTURE_SIDE, PICTURE_SIDE)
    for (const quality of QUALITIES) {
      const url = canvas.toDataURL('image/jpeg', quality)
      if (url.length <= PERSONA_PICTURE_MAX_CHARACTERS) return url
    }
    throw new Error('The picture stays too large')
  } finally {
    bitmap.close()
  }
}

/** Field to choose a persona's picture from the device, or remove it. */
function PictureField({ name, picture, onChange }: PictureFieldProps) {
  const text = useText('personas')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isUnreadable, setIsUnreadable] = useState(false)
  const choose = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? []
    event.target.value = ''
    if (file === undefined) return
    try {
      onChange(await smallPicture(file))
      setIsUnreadable(false)
    } catch (error) {
      console.warn('A picture could not be read', error)
      setIsUnreadable(true)
    }
  }
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center gap-3">
        <PersonaPicture persona={{ name, picture }} size="lg" />
        <Button
          size="sm"
          icon={<ImagePlus aria-hidden />}
          aria-describedby={isUnreadable ? id : undefined}
          onClick={() => input.current?.click()}
        >
          {text('choosePicture')}
        </Button>
        {picture !== null && (
          <IconButton size="sm" name={text('removePicture')} icon={<X aria-hidden />} onClick={() => onChange(null)} />
        )}
        <input
          ref={input}
          type="file"
          accept="image/*"
          aria-label={text('choosePicture')}
          tabIndex={-1}
          onChange={(event) => void choose(event)}
          className="sr-only"
        />
      </div>
      {isUnreadable && (
        <p id={id} role="alert" className="text-13 text-danger-text">
          {text('pictureUnreadable')}
        </p>
      )}
    </div>
  )
}

type PictureFieldProps = { name: string; picture: string | null; onChange: (picture: string | null) => void }

const builtInNames: readonly string[] = [...agentNames, ...answerToolNames]

/** Tools allowed for a persona: agents, built-in tools, and tools of connected servers. */
function PersonaTools({ tools, onChange }: PersonaToolsProps) {
  const text = useText('personas')
  const { data: availableNames = [] } = useQuery(personaToolsQuery)
  // An allowed tool is listed even while its server is unavailable.
  const connected = [...new Set([...availableNames, ...(tools ?? [])])].filter((name) => !builtInNames.includes(name))
  const all = [...builtInNames, ...connected]
  const isAllowed = (name: string) => tools === null || tools.includes(name)
  const allow = (name: string, allowed: boolean) => {
    const nextNames = all.filter((other) => (other === name ? allowed : isAllowed(other)))
    onChange(nextNames.length === all.length ? null : nextNames)
  }
  const checkboxFor = (name: string, label: string) => (
    <Checkbox key={name} label={label} checked={isAllowed(name)} onCheckedChange={(allowed) => allow(name, allowed)} />
  )
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-13 font-medium">{text('tools')}</legend>
      {answerToolNames.map((name) => checkboxFor(name, text(`answerTools.${name}`)))}
      {agentNames.map((name) => checkboxFor(name, text(`agents.${name}`)))}
      {connected.map((name) => checkboxFor(name, name))}
    </fieldset>
  )
}

type PersonaToolsProps = {
  /** Null for all. */
  tools: readonly string[] | null
  onChange: (tools: readonly string[] | null) => void
}

/** Creates or edits a persona; administrators can share it with everyone. */
export function PersonaDialog({ persona, onClose }: { persona: PersonaJson | null; onClose: () => void }) {
  const text = useText('personas')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const user = useUser()
  const close = useCloseIfMounted(onClose)
  const isOwn = persona?.own !== false
  const [name, setName] = useState(persona?.name ?? '')
  const [description, setDescription] = useState(persona?.description ?? '')
  const [instructions, setInstructions] = useState(persona?.instructions ?? '')
  const [model, setModel] = useState(persona?.model ?? null)
  const [tools, setTools] = useState<readonly string[] | null>(persona?.tools ?? null)
  const [starters, setStarters] = useState(persona?.starters.join('\n') ?? '')
  const [items, setItems] = useState<KnownItem[]>(persona?.items ?? [])
  const [isLimitedToItems, setIsLimitedToItems] = useState(persona?.limited ?? false)
  const [picture, setPicture] = useState(persona?.picture ?? null)
  /** Id of the persona that this dialog has created; if sharing it fails, saving again updates the persona. */
  const createdId = useRef<string>(null)
  const [isShared, setIsShared] = useState(persona?.shared === true)
  const refetch = () => queryClient.invalidateQueries({ queryKey: personasQuery.queryKey })
  const save = useMutation({
    mutationFn: async () => {
      const questions = starters.split('\n').map((line) => cutText(line.trim(), PERSONA_STARTER_MAX_CHARACTERS))
      const body = {
        name: name.trim(),
        description: description.trim(),
        instructions: instructions.trim(),
        model,
        picture,
        tools: tools === null ? null : [...tools],
        starters: questions.filter((line) => line !== '').slice(0, PERSONA_MAX_STARTERS),
        ...(isOwn
          ? { media_ids: items.map(({ media_id }) => media_id), limited: isLimitedToItems || items.length > 0 }
          : {}),
      }
      const id = persona?.id ?? createdId.current
      if (id === null) {
        const created = await call('POST /personas', { json: body })
        createdId.current = created.id
        return isShared
          ? call('PATCH /admin/personas/:id', { params: { id: created.id }, json: { shared: true } })
          : created
      }
      if (!persona?.shared && !isShared) return call('PATCH /personas/:id', { params: { id }, json: body })
      return call('PATCH /admin/personas/:id', {
        params: { id },
        json: { ...body, ...(isOwn ? { shared: isShared } : {}) },
      })
    },
    onSuccess: async () => {
      await refetch()
      close()
    },
    // The persona may have been created, although sharing it failed.
    onError: () => void refetch(),
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
          hint={text('startersHint', { max: PERSONA_MAX_STARTERS })}
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
              onChange={(next) => {
                // Answers stay limited to the items when the last one is removed; the switch then explains the effect.
                if (items.length > 0) setIsLimitedToItems(true)
                setItems(next)
              }}
            />
            <LimitToItemsSwitch
              hasKnowledge={items.length > 0}
              isLimited={isLimitedToItems}
              onChange={setIsLimitedToItems}
            />
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
