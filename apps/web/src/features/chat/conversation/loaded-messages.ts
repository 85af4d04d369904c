import type { ChatMessageJson, ChatSessionDetailJson } from '@mira/shared'
import { storedItem, withoutUnsent } from './chat-items.ts'
import type { ChatItem, ConversationState } from './conversation-state.ts'

/** Takes in the newest messages: what is older or not yet sent stays, what is gone goes. */
export function mergeNewest(state: ConversationState, detail: ChatSessionDetailJson): ConversationState {
  const known = new Map(state.items.flatMap((item) => (item.id === null ? [] : [[item.id, item] as const])))
  const arrived = new Set(detail.messages.map((message) => message.id))
  const firstShared = state.items.findIndex((item) => item.id !== null && arrived.has(item.id))
  const older = firstShared === -1 ? [] : state.items.slice(0, firstShared).filter((item) => item.id !== null)
  const newest = detail.messages.map((message) => {
    const item = known.get(message.id)
    return item && item.key === state.live?.answerKey ? item : storedItem(message, item)
  })
  const { live } = state
  const onTheWay = withoutArrived(state.items, detail.messages).filter(
    (item) =>
      !(item.id !== null && arrived.has(item.id)) &&
      (item.delivery !== 'stored' || item.key === live?.answerKey || item.key === live?.questionKey),
  )
  return {
    ...state,
    sessionId: detail.id,
    sessionName: detail.session_name,
    choice: { model: detail.model, parameters: detail.parameters },
    projectId: detail.project_id,
    personaId: detail.persona_id,
    status: 'ready',
    items: [...older, ...newest, ...onTheWay],
    previousCursor: older.length > 0 ? state.previousCursor : detail.previous_cursor,
    older: older.length > 0 ? state.older : 'idle',
  }
}

/** Puts a page of older messages before the others. */
export function prependOlder(state: ConversationState, detail: ChatSessionDetailJson): ConversationState {
  const known = new Set(state.items.map((item) => item.id))
  const older = detail.messages.filter((message) => !known.has(message.id))
  return {
    ...state,
    items: [...older.map((message) => storedItem(message, undefined)), ...state.items],
    previousCursor: detail.previous_cursor,
    older: 'idle',
  }
}

/** Clocks differ by this much at most before a failed message and a stored one of the same words are two. */
const SAME_MESSAGE_MS = 5 * 60_000

/** Leaves out messages whose sending seemed to fail, although the server has them. */
function withoutArrived(items: readonly ChatItem[], messages: readonly ChatMessageJson[]): readonly ChatItem[] {
  const hasArrived = (item: ChatItem) =>
    item.role === 'user' &&
    item.delivery === 'failed' &&
    messages.some(
      (message) =>
        message.role === 'user' &&
        message.content === item.content &&
        Date.parse(message.created_at) > Date.parse(item.created_at) - SAME_MESSAGE_MS,
    )
  return items.filter(hasArrived).reduce<readonly ChatItem[]>((left, item) => withoutUnsent(left, item.key), items)
}
