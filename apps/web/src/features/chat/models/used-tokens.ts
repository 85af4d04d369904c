import type { ChatModel } from '@mira/shared'
import type { ChatItem } from '../conversation/conversation-state.ts'

/** The tokens that an answer was made of, with all that was read for it, and the model that made it. */
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

/** The percentage of what a model holds that an answer of its own took; null where that is not known. */
export function fullnessOf(used: UsedTokens | null, model: ChatModel | undefined): number | null {
  if (used === null || !model?.context_tokens || used.model !== model.id) return null
  return ((used.input + used.output) / model.context_tokens) * 100
}

/** Cost of an answer in US dollars; null when the price is zero or unknown. */
export function costOf(used: UsedTokens, { price }: Pick<ChatModel, 'price'>): number | null {
  return price ? (used.input * price.input + used.output * price.output) / 1_000_000 || null : null
}
