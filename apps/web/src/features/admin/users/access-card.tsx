import type { AccessItemJson, AccessItemRef } from '@mira/shared'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { LoadFailed, QueryList } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../lib/loading/use-move-to-trash.ts'
import { dashboardPath } from '../../../lib/session/paths.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { readUserAgent } from './devices.tsx'
import { useRecentSignIn } from './sign-in/confirm-password.tsx'
import { linkProvider, useSignInMethods } from './sign-in/other-sign-in-methods.tsx'

export const accessRefOf = ({ kind, id }: AccessItemJson): AccessItemRef => ({ kind, id })

export const accessItemsKey = ['access-items']

/** Address of the card. */
const ACCESS_PATH = `${dashboardPath('settings')}#access`

/** Everything with access to the user's account, page by page. */
export function useAccessItems() {
  const query = useInfiniteQuery({
    queryKey: accessItemsKey,
    queryFn: ({ pageParam, signal }) => call('GET /auth/access', { signal, query: { limit: 100, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  return { query, items: query.data?.pages.flatMap((page) => page.items) }
}

/** Formatter for an item: its kind, and its name if it has one. */
export function useAccessItemText() {
  const text = useText('users')
  return ({ kind, name }: Pick<AccessItemJson, 'kind' | 'name'>): string => {
    const { app, system } = kind === 'session' ? readUserAgent(name) : { app: null, system: null }
    const label = app && system ? text('devices.name', { app, system }) : kind === 'session' ? '' : name
    const kindText = text(`access.kinds.${kind}`)
    return label === '' ? kindText : text('access.named', { kind: kindText, name: label })
  }
}

/** Everything that has access to the account or receives its data, to revoke, or to confirm if a restore suspended it. */
export function AccessCard() {
  const text = useText('users')
  const queryClient = useQueryClient()
  const { query, items } = useAccessItems()
  const { confirm, isConfirming, dialog } = useConfirming()
  const suspended = items?.filter((item) => item.is_suspended) ?? []

  useEffect(() => {
    if (query.error) console.error('Failed to load the access list', query.error)
  }, [query.error])

  useEffect(
    () =>
      // anything added or revoked on this page changes the list
      queryClient.getMutationCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'success') return
        queryClient
          .invalidateQueries({ queryKey: accessItemsKey })
          .catch((error: unknown) => console.error('Failed to refetch the access list', error))
      }),
    [queryClient],
  )

  return (
    <Card id="access">
      <CardHeader title={text('access.title')} description={text('access.subtitle')} />
      {suspended.length > 0 && (
        <Banner tone="warning" className="mb-4">
          {text('access.suspendedHint')}
        </Banner>
      )}
      <QueryList query={query} items={items} label={text('access.title')} empty={undefined}>
        {(item) => (
          <AccessLine key={item.id} item={item} isConfirming={isConfirming} onConfirm={() => confirm([item])} />
        )}
      </QueryList>
      {items?.length === 0 && <p className="text-14 text-muted">{text('access.empty')}</p>}
      {suspended.length > 1 && (
        <Button size="sm" className="mt-4" loading={isConfirming} onClick={() => confirm(suspended)}>
          {text('access.confirmAll')}
        </Button>
      )}
      {dialog}
      <LinkProvider />
    </Card>
  )
}

/** Links the sign-in provider to the account, if the server has one and the account isn't linked yet. */
function LinkProvider() {
  const text = useText('users')
  const errorText = useErrorText()
  const { methods } = useSignInMethods()
  const { runConfirmed, dialog } = useRecentSignIn()
  const [isLeaving, setIsLeaving] = useState(false)
  // Asked for separately, since the link may be on a later page of the list.
  const links = useQuery({
    queryKey: [...accessItemsKey, 'oidc'],
    queryFn: ({ signal }) => call('GET /auth/access', { signal, query: { limit: 1, kind: 'oidc' } }),
    enabled: methods?.oidc != null,
  })

  useEffect(() => {
    if (links.error) console.error('Failed to load the links to the sign-in provider', links.error)
  }, [links.error])

  if (links.isLoadingError) return <LoadFailed query={links} className="mt-4" />
  if (!methods?.oidc || links.data?.items.length !== 0) return null
  const { name } = methods.oidc
  const link = async () => {
    setIsLeaving(true)
    try {
      await runConfirmed((password) => linkProvider(ACCESS_PATH, password))
    } catch (error) {
      console.error('The sign-in provider could not be linked', error)
      showToast({ tone: 'danger', title: text('access.linkFailed', { name }), description: errorText(error) })
    }
    setIsLeaving(false)
  }
  return (
    <>
      <Button size="sm" className="mt-4" loading={isLeaving} onClick={() => void link()}>
        {text('access.link', { name })}
      </Button>
      {dialog}
    </>
  )
}

/** Reactivates suspended access; asks for the password if the sign-in isn't recent. */
function useConfirming() {
  const text = useText('users')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { runConfirmed, dialog } = useRecentSignIn()
  const [isConfirming, setIsConfirming] = useState(false)
  const run = async (items: readonly AccessItemJson[]) => {
    setIsConfirming(true)
    try {
      await runConfirmed(async (password) => {
        await call('POST /auth/access/confirm', { json: { items: items.map(accessRefOf), current_password: password } })
        await queryClient.invalidateQueries()
        showToast({ tone: 'success', title: text('access.confirmed', { count: items.length }) })
      })
    } catch (error) {
      console.error('Access could not be confirmed', error)
      showToast({ tone: 'danger', title: text('access.confirmFailed'), description: errorText(error) })
    }
    setIsConfirming(false)
  }
  return { confirm: (items: readonly AccessItemJson[]) => void run(items), isConfirming, dialog }
}

function AccessLine({ item, isConfirming, onConfirm }: AccessLineProps) {
  const text = useText('users')
  const queryClient = useQueryClient()
  const name = useAccessItemText()(item)
  const end = useRemoval({
    question: text('access.endQuestion', { name }),
    detail: text('access.endDetail'),
    confirmLabel: text('access.end'),
    remove: async () => {
      await call('POST /auth/access/end', { json: { items: [accessRefOf(item)] } })
      await queryClient.invalidateQueries()
    },
    successToast: text('access.ended', { name }),
    failureTitle: text('access.endFailed'),
    queryKey: accessItemsKey,
  })
  return (
    <li className="flex flex-wrap items-center gap-3 py-3">
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-14 font-medium">
          <span className="min-w-0 truncate">{name}</span>
          {item.is_suspended && <Badge tone="warning">{text('access.off')}</Badge>}
        </p>
        <p className="text-13 text-muted">
          {text('access.since')} <RelativeTime moment={item.created_at} />
        </p>
      </div>
      {item.is_suspended && (
        <Button size="sm" loading={isConfirming} aria-label={text('access.confirmOne', { name })} onClick={onConfirm}>
          {text('access.confirm')}
        </Button>
      )}
      <Button size="sm" loading={end.isPending} aria-label={text('access.endOne', { name })} onClick={end.ask}>
        {text('access.end')}
      </Button>
    </li>
  )
}

type AccessLineProps = { item: AccessItemJson; isConfirming: boolean; onConfirm: () => void }
