import type { ModelConnection } from '@mira/shared'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { fetchConnections } from '../../../api/connections.ts'
import { adminSettingsQuery } from './use-settings-form.ts'

/** The connected model servers. */
export const connectionsQuery = queryOptions({
  queryKey: ['admin-connections'],
  queryFn: ({ signal }) => fetchConnections(signal),
})

/** Puts a connection into the list that is shown; what is chosen for engines may do something else now. */
export function keepConnection(queryClient: QueryClient, connection: ModelConnection): void {
  queryClient.setQueryData(connectionsQuery.queryKey, (cached: ModelConnection[] | undefined) => {
    if (cached === undefined) return cached
    const isKnown = cached.some(({ id }) => id === connection.id)
    return isKnown ? cached.map((one) => (one.id === connection.id ? connection : one)) : [...cached, connection]
  })
  followConnections(queryClient)
}

/** Asks anew what depends on the connections. */
export function followConnections(queryClient: QueryClient): void {
  void queryClient.invalidateQueries(adminSettingsQuery)
  void queryClient.invalidateQueries({ queryKey: ['chat-models'] })
}
