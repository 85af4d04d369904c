import { HOOK_NAME_MAX_CHARACTERS, HOOK_URL_MAX_CHARACTERS, type HookEvent, hookEvents } from '@mira/shared/words/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { createHook } from '../../api/hooks.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { FormDialog } from '../../lib/form-dialog.tsx'
import { useText } from '../../lib/i18n.ts'
import { useUser } from '../../lib/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { hooksKey } from './hook-queries.ts'

/** Adds a hook, and shows its secret this once. */
export function NewHookDialog({ open, onOpenChange }: NewHookDialogProps) {
  const text = useText('hooks')
  const appText = useText('app')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { role } = useUser()
  const offered = hookEvents.filter((event) => event !== 'automation.run' || role === 'admin')
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [events, setEvents] = useState<HookEvent[]>(offered)
  const [urlError, setUrlError] = useState<string>()
  const [eventsError, setEventsError] = useState<string>()
  const create = useMutation({
    mutationFn: () => createHook({ url: url.trim(), name: name.trim(), events }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: hooksKey }),
    onError: (error) => console.error('The hook could not be added', error),
  })
  const secret = create.data?.secret

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    if (!/^https?:$/.test(URL.parse(url.trim())?.protocol ?? '')) {
      setUrlError(text('urlWrong'))
      event.currentTarget.querySelector('input')?.focus()
      return
    }
    if (events.length === 0) {
      setEventsError(text('eventsMissing'))
      event.currentTarget.querySelector<HTMLInputElement>('input[type=checkbox]')?.focus()
      return
    }
    create.mutate()
  }

  if (secret) {
    return (
      <Dialog
        open={open}
        onOpenChange={onOpenChange}
        title={text('createdTitle')}
        closeLabel={appText('common.close')}
        footer={
          <Button variant="primary" onClick={() => onOpenChange(false)}>
            {text('done')}
          </Button>
        }
      >
        <Banner tone="warning">{text('createdHint')}</Banner>
        <div className="mt-4 flex items-start gap-2 rounded-control border border-border bg-surface-sunken p-2 pl-3">
          <code className="min-w-0 flex-1 py-1.5 font-mono text-13 break-all select-all">{secret}</code>
          <CopyButton text={secret} label={text('copy')} copiedLabel={text('copied')} />
        </div>
      </Dialog>
    )
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={text('addTitle')}
      description={text('addText')}
      onSubmit={submit}
      submitLabel={text('add')}
      isBusy={create.isPending}
    >
      <div className="flex flex-col gap-4">
        {create.error && <Banner tone="error">{errorText(create.error)}</Banner>}
        <TextField
          label={text('url')}
          hint={text('urlHint')}
          name="url"
          type="url"
          inputMode="url"
          required
          data-autofocus=""
          maxLength={HOOK_URL_MAX_CHARACTERS}
          autoComplete="off"
          value={url}
          error={urlError}
          onChange={(event) => {
            setUrl(event.target.value)
            setUrlError(undefined)
          }}
        />
        <TextField
          label={text('name')}
          name="name"
          maxLength={HOOK_NAME_MAX_CHARACTERS}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Events
          offered={offered}
          chosen={events}
          error={eventsError}
          onChange={(next) => {
            setEvents(next)
            setEventsError(undefined)
          }}
        />
      </div>
    </FormDialog>
  )
}

function Events({ offered, chosen, error, onChange }: EventsProps) {
  const text = useText('hooks')
  const id = useId()
  return (
    <fieldset
      className="rounded-control border border-border px-4 pt-2 pb-3.5"
      aria-describedby={error ? `${id}-error` : undefined}
    >
      <legend className="px-1 text-13 font-medium">{text('events')}</legend>
      <div className="grid gap-x-8 gap-y-2.5 sm:grid-cols-2">
        {offered.map((event) => (
          <Checkbox
            key={event}
            label={text(`event.${event}`)}
            checked={chosen.includes(event)}
            onCheckedChange={(isOn) => onChange(offered.filter((one) => (one === event ? isOn : chosen.includes(one))))}
          />
        ))}
      </div>
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-2 text-13 text-danger-text">
          {error}
        </p>
      )}
    </fieldset>
  )
}

type EventsProps = {
  offered: readonly HookEvent[]
  chosen: HookEvent[]
  error: string | undefined
  onChange: (events: HookEvent[]) => void
}

export type NewHookDialogProps = { open: boolean; onOpenChange: (isOpen: boolean) => void }
