import type { ApiTokenJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fetchApiTokens, revokeApiToken } from '../../api/users.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { ListCard } from '../../lib/list-card.tsx'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { useRemoval } from '../../lib/use-removal.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { apiTokensKey, NewApiTokenDialog } from './new-api-token-dialog.tsx'

/** The personal API tokens of the signed-in user: make one, see when each was used, revoke it. */
export function ApiTokens() {
  const text = useText('users')
  const [opening, setOpening] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const query = useQuery({
    queryKey: apiTokensKey,
    queryFn: ({ signal }) => fetchApiTokens(signal),
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
            setOpening(opening + 1)
            setIsOpen(true)
          },
        }}
        query={query}
        items={query.data}
        empty={{ icon: <KeyRound />, title: text('tokens.empty'), text: text('tokens.emptyHint') }}
      >
        {(token) => <Token key={token.id} token={token} />}
      </ListCard>
      <NewApiTokenDialog key={opening} open={isOpen} onOpenChange={setIsOpen} />
    </>
  )
}

function Token({ token }: { token: ApiTokenJson }) {
  const text = useText('users')
  const revoke = useRemoval({
    question: text('tokens.revokeQuestion', { name: token.name }),
    detail: text('tokens.revokeDetail'),
    confirmLabel: text('tokens.revoke'),
    remove: () => revokeApiToken(token.id),
    removed: text('tokens.revoked', { name: token.name }),
    failed: text('tokens.revokeFailed'),
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
