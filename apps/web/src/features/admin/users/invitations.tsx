import type { InvitationJson } from '@mira/shared'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { useEffect } from 'react'
import { call, callPage } from '../../../lib/api/client.ts'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { showToast } from '../../../ui/show-toast.ts'

export const invitationsKey = ['invitations']

const tones = { open: 'accent', accepted: 'success', revoked: undefined, expired: 'warning' } as const

/** Invitations and their states; hidden when there are none. */
export function Invitations() {
  const text = useText('sign-in')
  const query = useInfiniteQuery({
    queryKey: invitationsKey,
    queryFn: ({ pageParam, signal }) =>
      callPage('GET /admin/invitations', { signal, query: { limit: 20, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const { data, error } = query
  const invitations = data?.pages.flatMap(({ items }) => items) ?? []

  useEffect(() => {
    if (error) console.error('The invitations could not be loaded', error)
  }, [error])

  if (query.isLoadingError) return <LoadFailed query={query} />
  if (invitations.length === 0) return null
  return (
    <Card className="mt-6">
      <CardHeader title={text('invitations.title')} description={text('invitations.subtitle')} />
      <ul className="-my-3 divide-y divide-border">
        {invitations.map((invitation) => (
          <Invitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
      <NextPage query={query} className="mt-6" />
    </Card>
  )
}

function Invitation({ invitation }: { invitation: InvitationJson }) {
  const text = useText('sign-in')
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, email, state } = invitation
  const revoke = useMutation({
    mutationFn: () => call('DELETE /admin/invitations/:id', { params: { id } }),
    onSuccess: () => showToast({ tone: 'success', title: text('invitations.revoked', { email }) }),
    onError: (error) => {
      console.error('An invitation could not be revoked', error)
      showToast({ tone: 'danger', title: text('invitations.revokeFailed'), description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: invitationsKey }),
  })

  const confirmRevocation = async () => {
    const isConfirmed = await confirm({
      question: text('invitations.revokeQuestion', { email }),
      detail: text('invitations.revokeDetail'),
      confirmLabel: text('invitations.revoke'),
      tone: 'danger',
    })
    if (isConfirmed) revoke.mutate()
  }

  return (
    <li className="flex items-center gap-3 py-3">
      <span
        aria-hidden
        className="grid size-9 shrink-0 place-items-center rounded-control bg-surface-sunken text-muted max-sm:hidden"
      >
        <Mail className="size-4.5" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-14 font-medium">
          <span className="min-w-0 break-all">{email}</span>
          <Badge tone={tones[state]}>{text(`invitations.states.${state}`)}</Badge>
        </p>
        <p className="text-13 text-muted">
          {appText(`roles.${invitation.role}`)} ·{' '}
          {text('invitations.by', { name: invitation.invited_by, date: format.date(invitation.created_at) })}
          {state === 'open' && <> · {text('invitations.until', { date: format.dateTime(invitation.expires_at) })}</>}
        </p>
      </div>
      {state === 'open' && (
        <Button
          size="sm"
          loading={revoke.isPending}
          aria-label={text('invitations.revokeOne', { email })}
          onClick={() => void confirmRevocation()}
        >
          {text('invitations.revoke')}
        </Button>
      )}
    </li>
  )
}
