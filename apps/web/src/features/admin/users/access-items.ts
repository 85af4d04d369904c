import type { AccessItemJson, AccessItemRef } from '@mira/shared'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { readUserAgent } from './device-name.ts'

export const refOf = ({ kind, id }: AccessItemJson): AccessItemRef => ({ kind, id })

export const accessItemsKey = ['access-items']

/** Everything with access to the user's account, page after page. */
export function useAccessItems() {
  const query = useInfiniteQuery({
    queryKey: accessItemsKey,
    queryFn: ({ pageParam, signal }) => call('GET /auth/access', { signal, query: { limit: 100, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  return { query, items: query.data?.pages.flatMap((page) => page.items) }
}

/** Words for one of them: its kind, and its name where it has one. */
export function useAccessItemText() {
  const text = useText('users')
  return ({ kind, name }: Pick<AccessItemJson, 'kind' | 'name'>): string => {
    const { app, system } = kind === 'session' ? readUserAgent(name) : { app: null, system: null }
    const label = app && system ? text('devices.name', { app, system }) : kind === 'session' ? '' : name
    return label === '' ? text(`access.kinds.${kind}`) : `${text(`access.kinds.${kind}`)}: ${label}`
  }
}
