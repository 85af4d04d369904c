import type { ApiTokenJson } from '@mira/shared'
import { type TokenScope, tokenScopes } from '@mira/shared/constants/accounts'
import { API_TOKEN_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog, SecretDialog } from '../../../lib/components/form-dialog.tsx'
import { ListCard } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckboxGroup } from '../../../ui/checkbox-group.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { TimeText } from '../../../ui/time-text.tsx'

/** Query key of the list of tokens. */
const apiTokensKey = ['api-tokens']

const DAY_MS = 24 * 60 * 60 * 1000
const lifetimesDays = ['30', '90', '365', 'never'] as const
type Lifetime = (typeof lifetimesDays)[number]

/** Creates a personal API token, and shows its secret once. */
function NewApiTokenDialog({ open, onOpenChange }: NewApiTokenDialogProps) {
  const text = useText('users')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { role } = useUser()
  // only scopes that the account may have
  const allowedScopes = tokenScopes.filter((scope) => scope !== 'admin' || role === 'admin')
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('365')
  const [scopes, setScopes] = useState<TokenScope[]>(['read'])
  const [scopesError, setScopesError] = useState<string>()
  const [nameError, setNameError] = useState<string>()
  const create = useMutation({
    mutationFn: () =>
      call('POST /auth/tokens', {
        json: { name: name.trim(), scopes, expires_at: expiryOf(lifetime)?.toISOString() ?? null },
      }),
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
      // Stays open while the token is being created: the secret is shown only once, here.
      onOpenChange={(isOpen) => !create.isPending && onOpenChange(isOpen)}
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
          options={allowedScopes.map((value) => ({
            value,
            label: text(`tokens.scope.${value}`),
            description: text(`tokens.scopeHint.${value}`),
          }))}
          selected={scopes}
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

type NewApiTokenDialogProps = { open: boolean; onOpenChange: (isOpen: boolean) => void }

/** The user's personal API tokens: create them, see their last use, revoke them. */
export function ApiTokens() {
  const text = useText('users')
  const [dialogKey, setDialogKey] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const query = useQuery({
    queryKey: apiTokensKey,
    queryFn: ({ signal }) => call('GET /auth/tokens', { signal, query: { limit: 200 } }),
  })

  useEffect(() => {
    if (query.error) console.error('The API tokens could not be loaded', query.error)
  }, [query.error])

  return (
    <>
      <ListCard
        title={text('tokens.title')}
        description={text('tokens.subtitle')}
        add={{
          icon: <Plus aria-hidden />,
          children: text('tokens.create'),
          onClick: () => {
            setDialogKey(dialogKey + 1)
            setIsOpen(true)
          },
        }}
        query={query}
        items={query.data}
        empty={{ icon: <KeyRound />, title: text('tokens.empty'), text: text('tokens.emptyHint') }}
      >
        {(token) => <Token key={token.id} token={token} />}
      </ListCard>
      <NewApiTokenDialog key={dialogKey} open={isOpen} onOpenChange={setIsOpen} />
    </>
  )
}

function Token({ token }: { token: ApiTokenJson }) {
  const text = useText('users')
  const revoke = useRemoval({
    question: text('tokens.revokeQuestion', { name: token.name }),
    detail: text('tokens.revokeDetail'),
    confirmLabel: text('tokens.revoke'),
    remove: () => call('DELETE /auth/tokens/:id', { params: { id: token.id } }),
    successToast: text('tokens.revoked', { name: token.name }),
    failureTitle: text('tokens.revokeFailed'),
    queryKey: apiTokensKey,
  })

  return (
    <li className="flex items-center gap-3 py-3">
      <span
        aria-hidden
        className="grid size-9 shrink-0 place-items-center rounded-control bg-surface-sunken text-muted"
      >
        <KeyRound className="size-4.5" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate text-14 font-medium">{token.name}</p>
        <p className="text-13 text-muted">{token.scopes.map((scope) => text(`tokens.scope.${scope}`)).join(', ')}</p>
        <p className="flex flex-wrap gap-x-3 text-13 text-muted">
          <span>
            {text('tokens.lastUsed')}{' '}
            {token.last_used_at ? <RelativeTime moment={token.last_used_at} /> : text('tokens.never')}
          </span>
          <TokenExpiry expiresAt={token.expires_at} />
        </p>
      </div>
      <Button
        size="sm"
        loading={revoke.isPending}
        aria-label={text('tokens.revokeOne', { name: token.name })}
        onClick={revoke.ask}
      >
        {text('tokens.revoke')}
      </Button>
    </li>
  )
}

function TokenExpiry({ expiresAt }: { expiresAt: string | null }) {
  const text = useText('users')
  const format = useFormat()
  if (expiresAt === null) return <span>{text('tokens.noExpiry')}</span>
  if (new Date(expiresAt) <= new Date()) return <Badge tone="warning">{text('tokens.expired')}</Badge>
  return (
    <span>
      {text('tokens.expires')}{' '}
      <TimeText text={format.date(expiresAt)} absolute={format.dateTime(expiresAt)} dateTime={expiresAt} />
    </span>
  )
}
