import type { ChatMessageJson, ChatSessionDetailJson } from '@mira/shared'
import {
  applyAnswerPart,
  endLive,
  interruptLive,
  itemsBefore,
  markFailed,
  startRegenerating,
  startSending,
  startStreaming,
  storedItem,
  unsentItem,
  withoutUnsent,
} from './chat-items.ts'
import {
  type ChatItem,
  type ConversationAction,
  type ConversationState,
  emptyConversation,
  type UnsentMessage,
} from './conversation-state.ts'

/** Merges the newest messages into the state: older and unsent messages stay, deleted messages are removed. */
function mergeNewest(state: ConversationState, detail: ChatSessionDetailJson): ConversationState {
  const itemsById = new Map(state.items.flatMap((item) => (item.id === null ? [] : [[item.id, item] as const])))
  const arrivedIds = new Set(detail.messages.map((message) => message.id))
  const firstSharedIndex = state.items.findIndex((item) => item.id !== null && arrivedIds.has(item.id))
  const older = firstSharedIndex === -1 ? [] : state.items.slice(0, firstSharedIndex).filter((item) => item.id !== null)
  const newest = detail.messages.map((message) => {
    const item = itemsById.get(message.id)
    return item && item.key === state.live?.answerKey ? item : storedItem(message, item)
  })
  const { live } = state
  const pending = withoutArrived(state.items, detail.messages).filter(
    (item) =>
      !(item.id !== null && arrivedIds.has(item.id)) &&
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
    items: [...older, ...newest, ...pending],
    previousCursor: older.length > 0 ? state.previousCursor : detail.previous_cursor,
    older: older.length > 0 ? state.older : 'idle',
  }
}

/** Puts a page of older messages before the others. */
function prependOlder(state: ConversationState, detail: ChatSessionDetailJson): ConversationState {
  const knownIds = new Set(state.items.map((item) => item.id))
  const older = detail.messages.filter((message) => !knownIds.has(message.id))
  return {
    ...state,
    items: [...older.map((message) => storedItem(message, undefined)), ...withoutArrived(state.items, detail.messages)],
    previousCursor: detail.previous_cursor,
    older: 'idle',
  }
}

/** Removes messages that seemed to have failed, although the server has them. */
function withoutArrived(items: readonly ChatItem[], messages: readonly ChatMessageJson[]): readonly ChatItem[] {
  const arrivedKeys = new Set(messages.map(({ client_id }) => client_id))
  return items
    .filter(({ delivery, key }) => delivery === 'failed' && arrivedKeys.has(key))
    .reduce<readonly ChatItem[]>((remaining, item) => withoutUnsent(remaining, item.key), items)
}

/** Next state of a conversation after an action. */
export function reduceConversation(state: ConversationState, action: ConversationAction): ConversationState {
  switch (action.type) {
    case 'opened':
      return {
        ...emptyConversation,
        sessionId: action.sessionId,
        status: action.sessionId === null ? 'ready' : 'loading',
        items: action.unsent.filter(({ isWaiting }) => !isWaiting).map((message) => unsentItem(message, 'failed')),
        queued: action.unsent.filter(({ isWaiting }) => isWaiting),
      }
    case 'loaded':
      return mergeNewest(state, action.detail)
    case 'load-failed':
      // Messages on the screen are worth more than an error about refreshing them.
      if (!action.isMissing && state.status === 'ready') return state
      return { ...state, status: action.isMissing ? 'missing' : 'unreachable' }
    case 'older-wanted':
      return { ...state, older: 'loading' }
    case 'older-loaded':
      return prependOlder(state, action.detail)
    case 'older-failed':
      return { ...state, older: 'failed' }
    case 'sent':
      return startSending({ ...state, items: itemsBefore(state.items, action.replaces) }, action.message)
    case 'regenerated':
      return startRegenerating(state, action)
    case 'regenerate-refused':
      return { ...endLive(state), items: action.items }
    case 'changed':
      return {
        ...state,
        items: state.items.map((item) => (item.id === action.message.id ? storedItem(action.message, item) : item)),
      }
    case 'received':
      return action.parts.reduce(applyAnswerPart, { ...state, activity: 'answering' })
    case 'followed':
      return startStreaming(state)
    case 'lost':
      return { ...state, activity: 'reconnecting' }
    case 'refused':
      return markFailed(state, action.clientId, action.error)
    case 'withdrawn':
      return { ...state, items: withoutUnsent(state.items, action.key) }
    case 'queued':
      return { ...state, queued: [...state.queued, action.message] }
    case 'unqueued':
      return { ...state, queued: state.queued.filter(({ client_id }) => client_id !== action.key) }
    case 'preferred':
      return { ...state, queued: moveToFront(state.queued, action.key) }
    case 'pictures-found':
      return {
        ...state,
        queued: state.queued.map((one) => (one.client_id === action.key ? { ...one, images: action.images } : one)),
        items: state.items.map((item) => (item.key === action.key ? { ...item, images: action.images } : item)),
      }
    case 'stop-wanted':
      return { ...state, isStopping: true }
    case 'stop-failed':
      return { ...state, isStopping: false }
    case 'ended':
      return endLive(state)
    case 'cut':
      return interruptLive(state)
    case 'chosen':
      return { ...state, choice: action.choice }
    case 'renamed':
      return { ...state, sessionName: action.sessionName }
  }
}

function moveToFront(queued: ConversationState['queued'], key: string): ConversationState['queued'] {
  const hasKey = ({ client_id }: UnsentMessage) => client_id === key
  return [...queued.filter(hasKey), ...queued.filter((one) => !hasKey(one))]
}
