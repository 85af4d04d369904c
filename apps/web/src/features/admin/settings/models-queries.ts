import type { LocalModel, LocalModelsResponse } from '@mira/shared'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** Models that the server can run itself; what happens to one is told by events. */
export const localModelsQuery = queryOptions({
  queryKey: ['admin-models'],
  queryFn: ({ signal }) => call('GET /admin/models', { signal }),
})

/** Puts what was told of a model into the list that is shown. */
export function keepLocalModel(queryClient: QueryClient, model: LocalModel): void {
  queryClient.setQueryData(
    localModelsQuery.queryKey,
    (cached: LocalModelsResponse | undefined) =>
      cached && { ...cached, models: cached.models.map((one) => (one.id === model.id ? model : one)) },
  )
}
