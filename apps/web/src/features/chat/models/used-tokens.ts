import type { ChatItem } from '../conversation/conversation-state.ts'

/** How many tokens the newest answer was made of, with all that was read for it; null when no server told. */
export function usedTokensOf(items: readonly ChatItem[]): number | null {
  const usage = items.findLast((item) => item.role === 'assistant' && item.usage !== null)?.usage
  return usage ? usage.input_tokens + usage.output_tokens : null
}
