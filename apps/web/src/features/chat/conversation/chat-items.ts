import type { ChatMessageJson } from '@mira/shared'
import type { ChatItem, UnsentMessage } from './conversation-state.ts'

/** The key of the answer to a message that is sent from here. */
export function answerKeyOf(clientId: string): string {
  return `answer-${clientId}`
}

/** A message that the server has, at the place of the one that is known of it. */
export function storedItem(message: ChatMessageJson, existing: ChatItem | undefined): ChatItem {
  return { ...message, key: existing?.key ?? message.id, delivery: 'stored', failure: null }
}

/** A message that the server does not have yet. */
export function unsentItem(message: UnsentMessage, delivery: ChatItem['delivery']): ChatItem {
  return {
    ...blankItem,
    key: message.client_id,
    role: 'user',
    content: message.content,
    created_at: message.created_at,
    images: message.images ?? [],
    media: message.media ?? [],
    mentions: message.mentions ?? [],
    delivery,
  }
}

/** Leaves out a message that the server does not have, and the place of its answer. */
export function withoutUnsent(items: readonly ChatItem[], key: string): ChatItem[] {
  return items.filter((item) => item.id !== null || (item.key !== key && item.key !== answerKeyOf(key)))
}

/** Messages before one; all when it isn't found. */
export function itemsBefore(items: ChatItem[], key: string | undefined): ChatItem[] {
  const index = items.findIndex((item) => item.key === key)
  return index === -1 ? items : items.slice(0, index)
}

/** The place of an answer that is on its way. */
export function awaitedItem(key: string, rest: Pick<ChatItem, 'created_at' | 'parent_id'>): ChatItem {
  return { ...blankItem, ...rest, key, role: 'assistant', streaming: true, delivery: 'sending' }
}

const blankItem: Omit<ChatItem, 'key' | 'role' | 'created_at' | 'delivery'> = {
  id: null,
  content: '',
  images: [],
  media: [],
  mentions: [],
  model_used: null,
  engine: null,
  streaming: false,
  interrupted: false,
  error: null,
  error_code: null,
  reasoning: null,
  sources: [],
  agent_calls: [],
  usage: null,
  duration_ms: null,
  parent_id: null,
  siblings: { index: 0, count: 1, previous_id: null, next_id: null },
  rating: null,
  failure: null,
}
