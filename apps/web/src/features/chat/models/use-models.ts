import type { ChatModel } from '@mira/shared'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'
import { useQueryOncePainted } from '../../../lib/loading/queries.ts'
import { useUser } from '../../../lib/session/session.ts'
import type { ChatItem, ModelChoice } from '../conversation/conversation-state.ts'

/** Tokens of an answer, including all of its input, and the model that generated it. */
export interface UsedTokens {
  input: number
  output: number
  model: string | null
}

/** Tokens of the newest answer; null when no server reported them. */
export function usedTokensOf(items: readonly ChatItem[]): UsedTokens | null {
  const answer = items.findLast((item) => item.role === 'assistant' && item.usage !== null)
  if (!answer?.usage) return null
  return { input: answer.usage.input_tokens, output: answer.usage.output_tokens, model: answer.model_used }
}

/** Percentage of a model's context used by one of its own answers; null when unknown. */
export function contextUsagePercent(used: UsedTokens | null, model: ChatModel | undefined): number | null {
  if (used === null || !model?.context_tokens || used.model !== model.id) return null
  return ((used.input + used.output) / model.context_tokens) * 100
}

/** Cost of an answer in US dollars; null when the price is zero or unknown. */
export function costOf(used: UsedTokens, { price }: Pick<ChatModel, 'price'>): number | null {
  return price ? (used.input * price.input + used.output * price.output) / 1_000_000 || null : null
}

/** Time for which the list of models stays fresh; short, because it changes when administrators connect a server. */
const STALE_MS = 60_000

const modelsQuery = queryOptions({
  queryKey: ['chat-models'],
  queryFn: ({ signal }) => call('GET /models', { signal }),
  staleTime: STALE_MS,
})

/** Selectable models in the server's order (`chatModels` of engines/servers.ts); undefined until they've loaded. */
export function useModels(): ChatModel[] | undefined {
  return useQueryOncePainted(modelsQuery).data
}

/**
 * Default model of new conversations: that of the chosen persona or project (`presetModel`), or else the user's preferred
 * model, if it still exists.
 */
export function useDefaultModelChoice(presetModel: string | null = null): ModelChoice {
  const preferred = useUser().preferences.model
  const models = useModels()
  const isGone = models?.every(({ id }) => id !== preferred)
  if (presetModel !== null) return { model: presetModel, parameters: null }
  return { model: isGone ? null : preferred, parameters: null }
}
