import { itemsBefore, storedItem, unsentItem, withoutUnsent } from './chat-items.ts'
import {
  type ConversationAction,
  type ConversationState,
  emptyConversation,
  type UnsentMessage,
} from './conversation-state.ts'
import { mergeNewest, prependOlder } from './loaded-messages.ts'
import { receive } from './received-events.ts'
import { cutLive, endLive, refuse, startFollowing, startRegenerating, startSending } from './started-answers.ts'

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
      // What is on the screen is worth more than the news that it could not be refreshed.
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
      return action.parts.reduce(receive, { ...state, activity: 'answering' })
    case 'followed':
      return startFollowing(state)
    case 'lost':
      return { ...state, activity: 'reconnecting' }
    case 'refused':
      return refuse(state, action.clientId, action.error)
    case 'withdrawn':
      return { ...state, items: withoutUnsent(state.items, action.key) }
    case 'queued':
      return { ...state, queued: [...state.queued, action.message] }
    case 'unqueued':
      return { ...state, queued: state.queued.filter(({ client_id }) => client_id !== action.key) }
    case 'preferred':
      return { ...state, queued: preferred(state.queued, action.key) }
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
      return cutLive(state)
    case 'chosen':
      return { ...state, choice: action.choice }
    case 'renamed':
      return { ...state, sessionName: action.sessionName }
  }
}

function preferred(queued: ConversationState['queued'], key: string): ConversationState['queued'] {
  const isIt = ({ client_id }: UnsentMessage) => client_id === key
  return [...queued.filter(isIt), ...queued.filter((one) => !isIt(one))]
}
