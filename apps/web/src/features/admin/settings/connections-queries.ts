import { path } from '@mira/client/path'
import type { ModelConnection, OllamaPullEvent } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/constants/sse'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call, requestEvents } from '../../../lib/api/client.ts'
import { adminSettingsQuery } from './use-settings-form.ts'

/** Lets Ollama download a model and yields the progress; the download stops when the caller stops reading. */
export async function* pullOllamaModel(
  id: string,
  model: string,
  signal: AbortSignal,
): AsyncGenerator<OllamaPullEvent> {
  const events = requestEvents(path`/admin/connections/${id}/ollama/pull`, { method: 'POST', json: { model }, signal })
  for await (const { data } of events) {
    if (data === SSE_DONE) return
    yield JSON.parse(data) as OllamaPullEvent
  }
}

/** The connected model servers. */
export const connectionsQuery = queryOptions({
  queryKey: ['admin-connections'],
  queryFn: ({ signal }) => call('GET /admin/connections', { signal }),
})

/** Puts a connection into the cached list, and refetches what depends on it. */
export function updateCachedConnection(queryClient: QueryClient, connection: ModelConnection): void {
  queryClient.setQueryData(connectionsQuery.queryKey, (cached: ModelConnection[] | undefined) => {
    if (cached === undefined) return cached
    const isKnown = cached.some(({ id }) => id === connection.id)
    return isKnown ? cached.map((one) => (one.id === connection.id ? connection : one)) : [...cached, connection]
  })
  refetchDependents(queryClient)
}

/** Refetches what depends on the connections. */
export function refetchDependents(queryClient: QueryClient): void {
  void queryClient.invalidateQueries(adminSettingsQuery)
  void queryClient.invalidateQueries({ queryKey: ['chat-models'] })
}
