import type { AgentCall, ChatEvent, ChatMessageJson } from '@mira/shared'
import type { AnswerPart } from './chat-calls.ts'
import type { ChatItem, ConversationState, LiveAnswer, UnsentMessage } from './conversation-state.ts'

/** Key of the answer to a message sent from this page. */
function answerKeyOf(clientId: string): string {
  return `answer-${clientId}`
}

/** Item of a stored message; keeps the key of an existing item. */
export function storedItem(message: ChatMessageJson, existing: ChatItem | undefined): ChatItem {
  return { ...message, key: existing?.key ?? message.id, delivery: 'stored', failure: null }
}

/** Item of a message that the server doesn't have yet. */
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

/** Removes an unsent message and the placeholder of its answer. */
export function withoutUnsent(items: readonly ChatItem[], key: string): ChatItem[] {
  return items.filter((item) => item.id !== null || (item.key !== key && item.key !== answerKeyOf(key)))
}

/** Messages before the one with a key; all of them if it isn't found. */
export function itemsBefore(items: ChatItem[], key: string | undefined): ChatItem[] {
  const index = items.findIndex((item) => item.key === key)
  return index === -1 ? items : items.slice(0, index)
}

/** Placeholder of an answer that's on its way. */
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

/** State of an answer before its stream's first event. */
export const initialStream = { lastEventId: null, receivedText: '', thoughts: '', calls: [] }

/** Appends a message, or moves a failed one to the end, with a placeholder for its answer. */
export function startSending(state: ConversationState, message: UnsentMessage): ConversationState {
  const answerKey = answerKeyOf(message.client_id)
  const answer = awaitedItem(answerKey, { created_at: message.created_at, parent_id: null })
  return {
    ...state,
    items: [...withoutUnsent(state.items, message.client_id), unsentItem(message, 'sending'), answer],
    activity: 'sending',
    isStopping: false,
    live: { ...initialStream, answerKey, questionKey: message.client_id },
  }
}

/** Replaces an answer with a placeholder for another version; the messages after it belong to the old branch. */
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
    live: { ...initialStream, answerKey, questionKey },
  }
}

/** Prepares for reading the answer that the server is generating. */
export function startStreaming(state: ConversationState): ConversationState {
  const answer = state.items.findLast((item) => item.role === 'assistant' && item.streaming)
  return {
    ...state,
    activity: 'answering',
    isStopping: false,
    live: { ...initialStream, answerKey: answer?.key ?? '', questionKey: null },
  }
}

/** Marks a message as failed; its answer shows the error, or is removed if `error` is null. */
export function markFailed(state: ConversationState, clientId: string, error: unknown): ConversationState {
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

/** Ends the live answer as interrupted. */
export function interruptLive(state: ConversationState): ConversationState {
  const answerKey = state.live?.answerKey
  const items = state.items.map((item) => (item.key === answerKey ? { ...item, interrupted: true } : item))
  return endLive({ ...state, items })
}

/** Ends the live answer. */
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

/** Applies an event of the live answer. */
export function applyAnswerPart(state: ConversationState, { eventId, event }: AnswerPart): ConversationState {
  const { live } = state
  if (!live) return state
  // The event that starts the answer; the server repeats it if it couldn't resume the stream.
  if (event.type === 'session')
    return receiveSession(state, { ...live, ...initialStream, lastEventId: eventId }, event, isRestart(live, eventId))
  // After a lost connection the server may repeat events.
  if (eventId !== null && live.lastEventId !== null && eventId <= live.lastEventId) return state
  const next = { ...live, lastEventId: eventId ?? live.lastEventId }
  if (event.type === 'chunk') next.receivedText += event.content
  if (event.type === 'reasoning') next.thoughts += event.content
  if (event.type === 'agent') next.calls = withCall(next.calls, event)
  return {
    ...state,
    // a server may send the conversation's id only at the end
    sessionId: event.type === 'complete' ? (state.sessionId ?? event.session_id) : state.sessionId,
    live: next,
    items: state.items.map((item) => (item.key === next.answerKey ? applyEvent(item, event, next) : item)),
  }
}

/** True when the server restarts an answer in the same stream: its text so far is discarded. */
function isRestart({ lastEventId }: LiveAnswer, eventId: number | null): boolean {
  return eventId !== null && lastEventId !== null && eventId > lastEventId
}

function receiveSession(
  state: ConversationState,
  live: LiveAnswer,
  event: Extract<ChatEvent, { type: 'session' }>,
  restarts: boolean,
): ConversationState {
  // a message that isn't stored has no id that the server would accept
  const isStored = event.session_id !== null
  const message = state.items.find((item) => item.id === event.message_id)
  // An answer that isn't on the screen yet is added when the conversation is reloaded.
  const answerKey = message?.key ?? (live.questionKey === null ? event.message_id : live.answerKey)
  return {
    ...state,
    sessionId: event.session_id,
    sessionName: event.session_name,
    items: state.items.map((item): ChatItem => {
      if (item.key === answerKey && restarts) return { ...item, content: '', reasoning: null, sources: [] }
      if (item.key === answerKey) return { ...item, id: isStored ? event.message_id : null, delivery: 'stored' }
      if (item.key === live.questionKey)
        return { ...item, id: isStored ? event.user_message_id : null, delivery: 'stored' }
      return item
    }),
    live: { ...live, answerKey },
  }
}

/** Adds a call, or updates a known one; fields that the event leaves out stay. */
function withCall(
  calls: readonly AgentCall[],
  { type: _type, ...call }: Extract<ChatEvent, { type: 'agent' }>,
): AgentCall[] {
  if (calls.every(({ call_id }) => call_id !== call.call_id)) return [...calls, call]
  return calls.map((existing) => (existing.call_id === call.call_id ? { ...existing, ...call } : existing))
}

function applyEvent(item: ChatItem, event: ChatEvent, { receivedText, thoughts, calls }: LiveAnswer): ChatItem {
  switch (event.type) {
    case 'chunk':
      return { ...item, content: receivedText.length > item.content.length ? receivedText : item.content }
    case 'reasoning':
      return { ...item, reasoning: thoughts.length > (item.reasoning?.length ?? 0) ? thoughts : item.reasoning }
    case 'agent':
      return { ...item, agent_calls: calls }
    case 'sources':
      return { ...item, sources: event.sources }
    case 'complete':
      return {
        ...item,
        content: receivedText || item.content,
        streaming: false,
        model_used: event.model_used,
        engine: event.engine,
        usage: event.usage,
        duration_ms: event.duration_ms,
        interrupted: event.interrupted,
        stop_reason: event.stop_reason,
      }
    case 'error':
      return { ...item, streaming: false, error: event.content, error_code: event.code, error_told: event.told }
    default:
      return item
  }
}
