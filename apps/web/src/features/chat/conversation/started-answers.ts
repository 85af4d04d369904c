import { answerKeyOf, awaitedItem, itemsBefore, unsentItem, withoutUnsent } from './chat-items.ts'
import type { ChatItem, ConversationState, UnsentMessage } from './conversation-state.ts'

/** State of an answer before its stream's first event. */
export const silence = { lastEventId: null, received: '', thoughts: '', calls: [] }

/** Shows a message and the place of its answer at the end, also when it was there as a failed one. */
export function startSending(state: ConversationState, message: UnsentMessage): ConversationState {
  const answerKey = answerKeyOf(message.client_id)
  const answer = awaitedItem(answerKey, { created_at: message.created_at, parent_id: null })
  return {
    ...state,
    items: [...withoutUnsent(state.items, message.client_id), unsentItem(message, 'sending'), answer],
    activity: 'sending',
    isStopping: false,
    live: { ...silence, answerKey, questionKey: message.client_id },
  }
}

/** Shows the place of another answer where one stands; what came after that one belongs to its branch. */
export function startRegenerating(
  state: ConversationState,
  { key, answerKey, at }: { key: string; answerKey: string; at: string },
): ConversationState {
  const items = itemsBefore(state.items, key)
  const replaced = state.items.find((item) => item.key === key)
  const answer = awaitedItem(answerKey, { created_at: at, parent_id: replaced?.parent_id ?? null })
  const questionKey = items.findLast((item) => item.role === 'user')?.key ?? null
  return {
    ...state,
    items: [...items, answer],
    activity: 'sending',
    isStopping: false,
    live: { ...silence, answerKey, questionKey },
  }
}

/** Gets ready to read the answer that the server is making in this conversation. */
export function startFollowing(state: ConversationState): ConversationState {
  const answer = state.items.findLast((item) => item.role === 'assistant' && item.streaming)
  return {
    ...state,
    activity: 'answering',
    isStopping: false,
    live: { ...silence, answerKey: answer?.key ?? '', questionKey: null },
  }
}

/** Shows that a message was not taken, and on the place of its answer why. */
export function refuse(state: ConversationState, clientId: string, error: unknown): ConversationState {
  const answerKey = answerKeyOf(clientId)
  return {
    ...state,
    items: state.items.flatMap((item): ChatItem[] => {
      if (item.key === clientId) return [{ ...item, delivery: 'failed' }]
      if (item.key !== answerKey) return [item]
      return error === null ? [] : [{ ...item, delivery: 'failed', streaming: false, failure: error }]
    }),
    activity: 'idle',
    isStopping: false,
    live: null,
  }
}

/** Ends the answer that is being read where it is. */
export function cutLive(state: ConversationState): ConversationState {
  const answerKey = state.live?.answerKey
  const items = state.items.map((item) => (item.key === answerKey ? { ...item, interrupted: true } : item))
  return endLive({ ...state, items })
}

/** Nothing is read any more. */
export function endLive(state: ConversationState): ConversationState {
  const answerKey = state.live?.answerKey
  return {
    ...state,
    items: state.items.map((item) => (item.key === answerKey && item.streaming ? { ...item, streaming: false } : item)),
    activity: 'idle',
    isStopping: false,
    live: null,
  }
}
