import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createApiToken } from '../../api/users.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Where the list of tokens is kept. */
export const apiTokensKey = ['api-tokens']

const DAY_MS = 24 * 60 * 60 * 1000
const lifetimesDays = ['30', '90', '365', 'never'] as const
type Lifetime = (typeof lifetimesDays)[number]

/** Makes a personal API token, and shows its secret this once. */
export function NewApiTokenDialog({ open, onOpenChange }: NewApiTokenDialogProps) {
  const text = useText('users')
  const appText = useText('app')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [nameError, setNameError] = useState<string>()
  const create = useMutation({
    mutationFn: () => createApiToken(name.trim(), expiryOf(lifetime)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiTokensKey }),
    onError: (error) => console.error('The API token could not be made', error),
  })
  const secret = create.data?.token

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.stopPropagation()
    if (name.trim() === '') {
      setNameError(text('tokens.nameMissing'))
      event.currentTarget.querySelector('input')?.focus()
      return
    }
    create.mutate()
  }

  if (secret) {
    return (
      <Dialog
        open={open}
        onOpenChange={onOpenChange}
        title={text('tokens.createdTitle')}
        closeLabel={appText('common.close')}
        footer={
          <Button variant="primary" onClick={() => onOpenChange(false)}>
            {text('tokens.done')}
          </Button>
        }
      >
        <Banner tone="warning">{text('tokens.createdHint')}</Banner>
        <div className="mt-4 flex items-start gap-2 rounded-control border border-border bg-surface-sunken p-2 pl-3">
          <code className="min-w-0 flex-1 py-1.5 font-mono text-13 break-all select-all">{secret}</code>
          <CopyButton text={secret} label={text('tokens.copy')} copiedLabel={text('tokens.copied')} />
        </div>
      </Dialog>
    )
  }

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={text('tokens.createTitle')}
      description={text('tokens.createText')}
      closeLabel={appText('common.close')}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{appText('common.cancel')}</Button>
          <Button type="submit" variant="primary" loading={create.isPending}>
            {text('tokens.create')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {create.error && <Banner tone="error">{errorText(create.error)}</Banner>}
        <TextField
          label={text('tokens.name')}
          hint={text('tokens.nameHint')}
          name="name"
          required
          data-autofocus=""
          maxLength={80}
          autoComplete="off"
          value={name}
          error={nameError}
          onChange={(event) => {
            setName(event.target.value)
            setNameError(undefined)
          }}
        />
        <Select
          label={text('tokens.lifetime')}
          options={lifetimesDays.map((days) => ({
            value: days,
            label: days === 'never' ? text('tokens.unlimited') : text('tokens.days', { count: Number(days) }),
          }))}
          value={lifetime}
          onValueChange={setLifetime}
        />
      </div>
    </Dialog>
  )
}

function expiryOf(lifetime: Lifetime): Date | null {
  return lifetime === 'never' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS)
}

export type NewApiTokenDialogProps = { open: boolean; onOpenChange: (isOpen: boolean) => void }
