import type { AgentCall, ChatEvent, ChatMessageJson, ChatSessionDetailJson } from '@mira/shared'
import type { AnswerPart } from '../../api/chat.ts'

/** A message as the screen shows it: a stored one, or one that is still on its way. */
export interface ChatItem extends Omit<ChatMessageJson, 'id' | 'images'> {
  /** Stays the same from the moment the message is first shown. */
  key: string
  /** Null until the server has stored it. */
  id: string | null
  images: Pick<ChatMessageJson['images'][number], 'url' | 'name' | 'thumbnail'>[]
  /** Whether the server has it; an answer is as far as its question. */
  delivery: 'sending' | 'failed' | 'stored'
  /** On the answer to a message that could not be sent: what was thrown; null on all others. */
  failure: unknown
}

/** A message that was written but is not known to be stored. */
export interface UnsentMessage {
  /** Makes sending it again the same message for the server. */
  client_id: string
  content: string
  /** ISO 8601. */
  created_at: string
  /** The message that it follows, null for the beginning; left out for the end of what is shown. */
  parent_id?: string | null
  /** As long as the page lives. */
  images?: ChatItem['images']
}

/** The answer that is being read from the server. */
interface LiveAnswer {
  answerKey: string
  /** The question's, when it was sent from here. */
  questionKey: string | null
  /** Where the stream goes on after a lost connection; null before the first event. */
  lastEventId: number | null
  /** What this stream has brought; what was known before is shown until it is longer. */
  received: string
  /** The thoughts that this stream has brought. */
  thoughts: string
  /** The calls of agents that this stream has brought. */
  calls: AgentCall[]
}

/** One conversation as the screen shows it. */
export interface ConversationState {
  /** Null for a new conversation, until its first message is stored. */
  sessionId: string | null
  sessionName: string
  status: 'loading' | 'ready' | 'missing' | 'unreachable'
  /** Oldest first. */
  items: ChatItem[]
  /** Leads to older messages; null when there are none. */
  previousCursor: string | null
  older: 'idle' | 'loading' | 'failed'
  activity: 'idle' | 'sending' | 'answering' | 'reconnecting'
  isStopping: boolean
  live: LiveAnswer | null
}

export type ConversationAction =
  | { type: 'opened'; sessionId: string | null; unsent: readonly UnsentMessage[] }
  | { type: 'loaded'; detail: ChatSessionDetailJson }
  | { type: 'load-failed'; isMissing: boolean }
  | { type: 'older-wanted' }
  | { type: 'older-loaded'; detail: ChatSessionDetailJson }
  | { type: 'older-failed' }
  /** `replaces` is the key of the message beside which it begins another branch. */
  | { type: 'sent'; message: UnsentMessage; replaces?: string }
  /** Another answer beside the one with this key. */
  | { type: 'regenerated'; key: string; answerKey: string; at: string }
  | { type: 'regenerate-refused'; items: ChatItem[] }
  | { type: 'changed'; message: ChatMessageJson }
  | { type: 'received'; parts: readonly AnswerPart[] }
  | { type: 'followed' }
  | { type: 'lost' }
  /** The error is null when the person gave up. */
  | { type: 'refused'; clientId: string; error: unknown }
  | { type: 'withdrawn'; key: string }
  | { type: 'stop-wanted' }
  | { type: 'stop-failed' }
  | { type: 'ended' }
  | { type: 'renamed'; sessionName: string }

/** A conversation that nothing is known of yet. */
export const emptyConversation: ConversationState = {
  sessionId: null,
  sessionName: '',
  status: 'ready',
  items: [],
  previousCursor: null,
  older: 'idle',
  activity: 'idle',
  isStopping: false,
  live: null,
}

/** What a conversation is after something happened to it. */
export function reduceConversation(state: ConversationState, action: ConversationAction): ConversationState {
  switch (action.type) {
    case 'opened':
      return {
        ...emptyConversation,
        sessionId: action.sessionId,
        status: action.sessionId === null ? 'ready' : 'loading',
        items: action.unsent.map((message) => unsentItem(message, 'failed')),
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
    case 'stop-wanted':
      return { ...state, isStopping: true }
    case 'stop-failed':
      return { ...state, isStopping: false }
    case 'ended':
      return endLive(state)
    case 'renamed':
      return { ...state, sessionName: action.sessionName }
  }
}

/** The key of the answer to a message that is sent from here. */
function answerKeyOf(clientId: string): string {
  return `answer-${clientId}`
}

function storedItem(message: ChatMessageJson, known: ChatItem | undefined): ChatItem {
  return { ...message, key: known?.key ?? message.id, delivery: 'stored', failure: null }
}

function unsentItem(message: UnsentMessage, delivery: ChatItem['delivery']): ChatItem {
  return {
    ...blankItem,
    key: message.client_id,
    role: 'user',
    content: message.content,
    created_at: message.created_at,
    images: message.images ?? [],
    delivery,
  }
}

const blankItem: Omit<ChatItem, 'key' | 'role' | 'created_at' | 'delivery'> = {
  id: null,
  content: '',
  images: [],
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

/** What is known of an answer before its stream has brought anything. */
const silence = { lastEventId: null, received: '', thoughts: '', calls: [] }

/** Takes in the newest messages: what is older or not yet sent stays, what is gone goes. */
function mergeNewest(state: ConversationState, detail: ChatSessionDetailJson): ConversationState {
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
    status: 'ready',
    items: [...older, ...newest, ...onTheWay],
    previousCursor: older.length > 0 ? state.previousCursor : detail.previous_cursor,
    older: older.length > 0 ? state.older : 'idle',
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

function prependOlder(state: ConversationState, detail: ChatSessionDetailJson): ConversationState {
  const known = new Set(state.items.map((item) => item.id))
  const older = detail.messages.filter((message) => !known.has(message.id))
  return {
    ...state,
    items: [...older.map((message) => storedItem(message, undefined)), ...state.items],
    previousCursor: detail.previous_cursor,
    older: 'idle',
  }
}

/** Shows a message and the place of its answer at the end, also when it was there as a failed one. */
function startSending(state: ConversationState, message: UnsentMessage): ConversationState {
  const answerKey = answerKeyOf(message.client_id)
  const answer: ChatItem = {
    ...blankItem,
    key: answerKey,
    role: 'assistant',
    created_at: message.created_at,
    streaming: true,
    delivery: 'sending',
  }
  return {
    ...state,
    items: [...withoutUnsent(state.items, message.client_id), unsentItem(message, 'sending'), answer],
    activity: 'sending',
    isStopping: false,
    live: { ...silence, answerKey, questionKey: message.client_id },
  }
}

function itemsBefore(items: ChatItem[], key: string | undefined): ChatItem[] {
  const index = items.findIndex((item) => item.key === key)
  return index === -1 ? items : items.slice(0, index)
}

/** Shows the place of another answer where one stands; what came after that one belongs to its branch. */
function startRegenerating(
  state: ConversationState,
  { key, answerKey, at }: { key: string; answerKey: string; at: string },
): ConversationState {
  const items = itemsBefore(state.items, key)
  const replaced = state.items.find((item) => item.key === key)
  const answer: ChatItem = {
    ...blankItem,
    key: answerKey,
    role: 'assistant',
    created_at: at,
    parent_id: replaced?.parent_id ?? null,
    streaming: true,
    delivery: 'sending',
  }
  const questionKey = items.findLast((item) => item.role === 'user')?.key ?? null
  return {
    ...state,
    items: [...items, answer],
    activity: 'sending',
    isStopping: false,
    live: { ...silence, answerKey, questionKey },
  }
}

function refuse(state: ConversationState, clientId: string, error: unknown): ConversationState {
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

function withoutUnsent(items: readonly ChatItem[], key: string): ChatItem[] {
  return items.filter((item) => item.id !== null || (item.key !== key && item.key !== answerKeyOf(key)))
}

/** Gets ready to read the answer that the server is making in this conversation. */
function startFollowing(state: ConversationState): ConversationState {
  const answer = state.items.findLast((item) => item.role === 'assistant' && item.streaming)
  return {
    ...state,
    activity: 'answering',
    isStopping: false,
    live: { ...silence, answerKey: answer?.key ?? '', questionKey: null },
  }
}

function receive(state: ConversationState, { eventId, event }: AnswerPart): ConversationState {
  const { live } = state
  if (!live) return state
  // The beginning of the answer, the first time or again when the server could not go on where the stream broke.
  if (event.type === 'session') return receiveSession(state, { ...live, ...silence, lastEventId: eventId }, event)
  // After a lost connection the server may send again what had arrived.
  if (eventId !== null && live.lastEventId !== null && eventId <= live.lastEventId) return state
  const heard = { ...live, lastEventId: eventId ?? live.lastEventId }
  if (event.type === 'chunk') heard.received += event.content
  if (event.type === 'reasoning') heard.thoughts += event.content
  if (event.type === 'agent') heard.calls = withCall(heard.calls, event)
  return {
    ...state,
    live: heard,
    items: state.items.map((item) => (item.key === heard.answerKey ? applyEvent(item, event, heard) : item)),
  }
}

function receiveSession(
  state: ConversationState,
  live: LiveAnswer,
  event: Extract<ChatEvent, { type: 'session' }>,
): ConversationState {
  const known = state.items.find((item) => item.id === event.message_id)
  // An answer that is not on the screen yet gets its place when the conversation is loaded again.
  const answerKey = known?.key ?? (live.questionKey === null ? event.message_id : live.answerKey)
  return {
    ...state,
    sessionId: event.session_id,
    sessionName: event.session_name,
    items: state.items.map((item): ChatItem => {
      if (item.key === answerKey) return { ...item, id: event.message_id, delivery: 'stored' }
      if (item.key === live.questionKey) return { ...item, id: event.user_message_id, delivery: 'stored' }
      return item
    }),
    live: { ...live, answerKey },
  }
}

/** A call takes the place of what was known of it; of its arguments, what is not said again stays. */
function withCall(
  calls: readonly AgentCall[],
  { type: _type, ...call }: Extract<ChatEvent, { type: 'agent' }>,
): AgentCall[] {
  if (calls.every(({ call_id }) => call_id !== call.call_id)) return [...calls, call]
  return calls.map((known) => (known.call_id === call.call_id ? { ...known, ...call } : known))
}

function applyEvent(item: ChatItem, event: ChatEvent, { received, thoughts, calls }: LiveAnswer): ChatItem {
  switch (event.type) {
    case 'chunk':
      return { ...item, content: received.length > item.content.length ? received : item.content }
    case 'reasoning':
      return { ...item, reasoning: thoughts.length > (item.reasoning?.length ?? 0) ? thoughts : item.reasoning }
    case 'agent':
      return { ...item, agent_calls: calls }
    case 'sources':
      return { ...item, sources: event.sources }
    case 'complete':
      return {
        ...item,
        content: received || item.content,
        streaming: false,
        model_used: event.model_used,
        engine: event.engine,
        usage: event.usage,
        duration_ms: event.duration_ms,
        interrupted: event.interrupted,
      }
    case 'error':
      return { ...item, streaming: false, error: event.content, error_code: event.code }
    default:
      return item
  }
}

function endLive(state: ConversationState): ConversationState {
  const answerKey = state.live?.answerKey
  return {
    ...state,
    items: state.items.map((item) => (item.key === answerKey && item.streaming ? { ...item, streaming: false } : item)),
    activity: 'idle',
    isStopping: false,
    live: null,
  }
}
