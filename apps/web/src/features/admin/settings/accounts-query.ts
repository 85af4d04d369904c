import type { UserJson } from '@mira/shared'
import { LIST_MAX } from '@mira/shared/constants/limits'
import { queryOptions } from '@tanstack/react-query'
import { callPage, type Page } from '../../../lib/api/client.ts'

/** All accounts, for fields that choose users. */
export const accountsQuery = queryOptions({
  queryKey: ['admin-accounts'],
  queryFn: async ({ signal }) => {
    const accounts: UserJson[] = []
    let cursor: string | null = null
    do {
      const page: Page<UserJson> = await callPage('GET /admin/users', { signal, query: { limit: LIST_MAX, cursor } })
      accounts.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    return accounts
  },
})
