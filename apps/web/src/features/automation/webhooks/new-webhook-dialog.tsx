import {
  HOOK_NAME_MAX_CHARACTERS,
  HOOK_URL_MAX_CHARACTERS,
  type HookEvent,
  hookEvents,
} from '@mira/shared/constants/activity'
import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog, SecretDialog } from '../../../lib/components/form-dialog.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { CheckboxGroup } from '../../../ui/checkbox-group.tsx'
import { TextField } from '../../../ui/text-field.tsx'

/** Prefix of all query keys about webhooks. */
export const hooksKey = ['hooks']

/** The user's webhooks, page by page. */
export const hooksQuery = infiniteQueryOptions({
  queryKey: [...hooksKey, 'list'],
  queryFn: ({ pageParam, signal }) => call('GET /me/hooks', { signal, query: { limit: 50, cursor: pageParam } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

/** Deliveries of a webhook, page by page. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...hooksKey, 'deliveries', id],
    queryFn: ({ pageParam, signal }) =>
      call('GET /me/hooks/:id/deliveries', { params: { id }, signal, query: { limit: 50, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })

/** Adds a webhook, and shows its secret once. */
export function NewWebhookDialog({ open, onOpenChange }: NewHookDialogProps) {
  const text = useText('webhooks')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { role } = useUser()
  const availableEvents = hookEvents.filter((event) => event !== 'automation.run' || role === 'admin')
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [events, setEvents] = useState<HookEvent[]>(availableEvents)
  const [urlError, setUrlError] = useState<string>()
  const [eventsError, setEventsError] = useState<string>()
  const create = useMutation({
    mutationFn: () => call('POST /me/hooks', { json: { url: url.trim(), name: name.trim(), events } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: hooksKey }),
    onError: (error) => console.error('Failed to add the webhook', error),
  })
  const secret = create.data?.secret

  const submit = (form: HTMLFormElement) => {
    if (!/^https?:/i.test(url.trim()) || !URL.canParse(url.trim())) {
      setUrlError(text('urlWrong'))
      form.querySelector('input')?.focus()
      return
    }
    if (events.length === 0) {
      setEventsError(text('eventsMissing'))
      form.querySelector<HTMLInputElement>('input[type=checkbox]')?.focus()
      return
    }
    create.mutate()
  }

  if (secret) {
    return (
      <SecretDialog
        open={open}
        onOpenChange={onOpenChange}
        title={text('createdTitle')}
        hint={text('createdHint')}
        secret={secret}
        copyLabel={text('copy')}
        copiedLabel={text('copied')}
        doneLabel={text('done')}
      />
    )
  }

  return (
    <FormDialog
      open={open}
      // Stays open while the webhook is being created, because its secret is only shown once, here.
      onOpenChange={(isOpen) => !create.isPending && onOpenChange(isOpen)}
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
        <CheckboxGroup
          legend={text('events')}
          options={availableEvents.map((value) => ({ value, label: text(`event.${value}`) }))}
          selected={events}
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

type NewHookDialogProps = { open: boolean; onOpenChange: (isOpen: boolean) => void }
