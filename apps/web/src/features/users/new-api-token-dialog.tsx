import { API_TOKEN_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { type TokenScope, tokenScopes } from '@mira/shared/constants/scopes'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createApiToken } from '../../api/users.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { FormDialog } from '../../lib/form-dialog.tsx'
import { useText } from '../../lib/i18n.ts'
import { SecretDialog } from '../../lib/secret-dialog.tsx'
import { useUser } from '../../lib/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { CheckboxGroup } from '../../ui/checkbox-group.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Query key of the list of tokens. */
export const apiTokensKey = ['api-tokens']

const DAY_MS = 24 * 60 * 60 * 1000
const lifetimesDays = ['30', '90', '365', 'never'] as const
type Lifetime = (typeof lifetimesDays)[number]

/** Makes a personal API token, and shows its secret this once. */
export function NewApiTokenDialog({ open, onOpenChange }: NewApiTokenDialogProps) {
  const text = useText('users')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { role } = useUser()
  // what an account may not do is not offered
  const offered = tokenScopes.filter((scope) => scope !== 'admin' || role === 'admin')
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('365')
  const [scopes, setScopes] = useState<TokenScope[]>(['read'])
  const [scopesError, setScopesError] = useState<string>()
  const [nameError, setNameError] = useState<string>()
  const create = useMutation({
    mutationFn: () => createApiToken({ name: name.trim(), scopes, expiresAt: expiryOf(lifetime) }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiTokensKey }),
    onError: (error) => console.error('The API token could not be made', error),
  })
  const secret = create.data?.token

  const submit = (form: HTMLFormElement) => {
    if (name.trim() === '') {
      setNameError(text('tokens.nameMissing'))
      form.querySelector('input')?.focus()
      return
    }
    if (scopes.length === 0) {
      setScopesError(text('tokens.scopesMissing'))
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
        title={text('tokens.createdTitle')}
        hint={text('tokens.createdHint')}
        secret={secret}
        copyLabel={text('tokens.copy')}
        copiedLabel={text('tokens.copied')}
        doneLabel={text('tokens.done')}
      />
    )
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={text('tokens.createTitle')}
      description={text('tokens.createText')}
      onSubmit={submit}
      submitLabel={text('tokens.create')}
      isBusy={create.isPending}
    >
      <div className="flex flex-col gap-4">
        {create.error && <Banner tone="error">{errorText(create.error)}</Banner>}
        <TextField
          label={text('tokens.name')}
          hint={text('tokens.nameHint')}
          name="name"
          required
          data-autofocus=""
          maxLength={API_TOKEN_NAME_MAX_CHARACTERS}
          autoComplete="off"
          value={name}
          error={nameError}
          onChange={(event) => {
            setName(event.target.value)
            setNameError(undefined)
          }}
        />
        <CheckboxGroup
          legend={text('tokens.scopes')}
          options={offered.map((value) => ({
            value,
            label: text(`tokens.scope.${value}`),
            description: text(`tokens.scopeHint.${value}`),
          }))}
          chosen={scopes}
          error={scopesError}
          onChange={(next) => {
            setScopes(next)
            setScopesError(undefined)
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
    </FormDialog>
  )
}

function expiryOf(lifetime: Lifetime): Date | null {
  return lifetime === 'never' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS)
}

export type NewApiTokenDialogProps = { open: boolean; onOpenChange: (isOpen: boolean) => void }
