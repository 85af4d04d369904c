import type { ChatMessage } from '../../../engines/chat-engine.ts'

/** Texts average 4 characters a token in English and fewer elsewhere: this leaves room for being wrong. */
const CHARACTERS_PER_TOKEN = 3
/** Roles and separators of one message, in tokens. */
const TOKENS_PER_MESSAGE = 8
/** Tokens for a picture of the size that is sent; most models count fewer. */
const TOKENS_PER_PICTURE = 1_600
/** However short they are. */
const MAX_MESSAGES = 400
/** Part of the context that is left to the answer, with its minimum and maximum in tokens. */
const ANSWER_SHARE = 0.25
const [ANSWER_MIN_TOKENS, ANSWER_MAX_TOKENS] = [256, 4096]

/** Tokens left for the conversation after the instructions and an answer. */
export function historyBudget(contextTokens: number, instructions: string): number {
  const answer = Math.min(Math.max(contextTokens * ANSWER_SHARE, ANSWER_MIN_TOKENS), ANSWER_MAX_TOKENS)
  return Math.max(0, Math.floor(contextTokens - answer - estimateTokens(instructions)))
}

/** A careful estimate: too high rather than too low. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE
}

/**
 * The newest messages that fit the budget, as a model takes them: the last one always, beginning with a user's,
 * without empty ones, roles taking turns (neighbours of one role become one message).
 */
export function fitHistory(messages: ChatMessage[], budgetTokens: number): ChatMessage[] {
  return takeTurns(newestThatFit(messages, budgetTokens))
}

/** The messages before the newest part that fits the budget, without empty ones. */
export function fallenOut<Message extends ChatMessage>(messages: Message[], budgetTokens: number): Message[] {
  const [first] = newestThatFit(messages, budgetTokens)
  const before = messages.slice(0, first ? messages.indexOf(first) : 0)
  return before.filter(({ content }) => content.trim() !== '')
}

function newestThatFit<Message extends ChatMessage>(messages: Message[], budgetTokens: number): Message[] {
  const last = messages.at(-1)
  if (!last) return []
  let remainingTokens = budgetTokens - estimateTokens(last.content) - (last.images?.length ?? 0) * TOKENS_PER_PICTURE
  const fitted = [last]
  for (const message of messages.slice(0, -1).reverse()) {
    if (message.content.trim() === '' && message.calls === undefined) continue
    remainingTokens -= tokensOf(message)
    if (remainingTokens < 0 || fitted.length === MAX_MESSAGES) break
    fitted.unshift(message)
  }
  while (fitted.length > 1 && fitted[0]?.role === 'assistant') fitted.shift()
  return fitted
}

/** The newer half of a history, by length: for a model that holds less than it said. */
export function halveHistory(messages: ChatMessage[]): ChatMessage[] {
  const tokens = messages.reduce((sum, message) => sum + tokensOf(message), 0)
  return fitHistory(messages, Math.floor(tokens / 2))
}

function tokensOf({ content, calls = [] }: ChatMessage): number {
  return estimateTokens(content) + (calls.length > 0 ? estimateTokens(JSON.stringify(calls)) : 0)
}

function takeTurns(messages: ChatMessage[]): ChatMessage[] {
  const turns: ChatMessage[] = []
  for (const { role, content, images, calls } of messages) {
    const before = turns.at(-1)
    // text before and after a call are separate messages
    if (calls !== undefined) turns.push({ role, content, calls })
    else if (before?.role === role && before.calls === undefined) {
      before.content += `\n\n${content}`
      if (images) before.images = [...(before.images ?? []), ...images]
    } else turns.push({ role, content, ...(images && images.length > 0 ? { images } : {}) })
  }
  return turns
}
