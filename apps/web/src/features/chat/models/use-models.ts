import type { ChatModel } from '@mira/shared'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'
import { useQueryOncePainted } from '../../../lib/loading/use-query-once-painted.ts'
import { useUser } from '../../../lib/session/session.ts'
import type { ModelChoice } from '../conversation/conversation-state.ts'

/** Short, because the list changes when administrators connect a server. */
const STALE_MS = 60_000

const modelsQuery = queryOptions({
  queryKey: ['chat-models'],
  queryFn: ({ signal }) => call('GET /models', { signal }),
  staleTime: STALE_MS,
})

/** Selectable models; undefined until they've loaded. */
export function useModels(): ChatModel[] | undefined {
  return useQueryOncePainted(modelsQuery).data
}

/**
 * Default model of new conversations: that of the chosen persona or project, else the user's preference if it still
 * exists.
 */
export function useChoiceOfNew(wished: string | null = null): ModelChoice {
  const preferred = useUser().preferences.model
  const models = useModels()
  const isGone = models?.every(({ id }) => id !== preferred)
  if (wished !== null) return { model: wished, parameters: null }
  return { model: isGone ? null : preferred, parameters: null }
}
