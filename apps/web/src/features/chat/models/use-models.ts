import type { ChatModel } from '@mira/shared'
import { queryOptions } from '@tanstack/react-query'
import { fetchChatModels } from '../../../api/connections.ts'
import { useUser } from '../../../lib/session.ts'
import { useQueryOncePainted } from '../../../lib/use-query-once-painted.ts'
import type { ModelChoice } from '../conversation/conversation-state.ts'

/** What may be picked changes when an administrator connects something. */
const STALE_MS = 60_000

const modelsQuery = queryOptions({
  queryKey: ['chat-models'],
  queryFn: ({ signal }) => fetchChatModels(signal),
  staleTime: STALE_MS,
})

/** What may be picked; undefined until it is known. */
export function useModels(): ChatModel[] | undefined {
  return useQueryOncePainted(modelsQuery).data
}

/** What answers new conversations of the person: the model of the persona or the project that they chose, else the one that they wish for, as long as it is there. */
export function useChoiceOfNew(wished: string | null = null): ModelChoice {
  const wanted = useUser().preferences.model
  const models = useModels()
  const isGone = models?.every(({ id }) => id !== wanted)
  if (wished !== null) return { model: wished, parameters: null }
  return { model: isGone ? null : wanted, parameters: null }
}
