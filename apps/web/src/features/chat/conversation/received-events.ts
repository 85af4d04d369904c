import type { AgentCall, ChatEvent } from '@mira/shared'
import type { AnswerPart } from './chat-calls.ts'
import type { ChatItem, ConversationState, LiveAnswer } from './conversation-state.ts'
import { silence } from './started-answers.ts'

/** Takes in one event of the answer that is being read. */
export function receive(state: ConversationState, { eventId, event }: AnswerPart): ConversationState {
  const { live } = state
  if (!live) return state
  // The beginning of the answer, the first time or again when the server could not go on where the stream broke.
  if (event.type === 'session')
    return receiveSession(state, { ...live, ...silence, lastEventId: eventId }, event, isAnew(live, eventId))
  // After a lost connection the server may send again what had arrived.
  if (eventId !== null && live.lastEventId !== null && eventId <= live.lastEventId) return state
  const next = { ...live, lastEventId: eventId ?? live.lastEventId }
  if (event.type === 'chunk') next.received += event.content
  if (event.type === 'reasoning') next.thoughts += event.content
  if (event.type === 'agent') next.calls = withCall(next.calls, event)
  return {
    ...state,
    // a server may name the conversation at the end alone
    sessionId: event.type === 'complete' ? (state.sessionId ?? event.session_id) : state.sessionId,
    live: next,
    items: state.items.map((item) => (item.key === next.answerKey ? applyEvent(item, event, next) : item)),
  }
}

/** True where an answer begins again while it is read: what was taken for its text was something else. */
function isAnew({ lastEventId }: LiveAnswer, eventId: number | null): boolean {
  return eventId !== null && lastEventId !== null && eventId > lastEventId
}

function receiveSession(
  state: ConversationState,
  live: LiveAnswer,
  event: Extract<ChatEvent, { type: 'session' }>,
  isAnew: boolean,
): ConversationState {
  // what is not stored has no id by which anything could be done with it
  const isStored = event.session_id !== null
  const message = state.items.find((item) => item.id === event.message_id)
  // An answer that is not on the screen yet gets its place when the conversation is loaded again.
  const answerKey = message?.key ?? (live.questionKey === null ? event.message_id : live.answerKey)
  return {
    ...state,
    sessionId: event.session_id,
    sessionName: event.session_name,
    items: state.items.map((item): ChatItem => {
      if (item.key === answerKey && isAnew) return { ...item, content: '', reasoning: null, sources: [] }
      if (item.key === answerKey) return { ...item, id: isStored ? event.message_id : null, delivery: 'stored' }
      if (item.key === live.questionKey)
        return { ...item, id: isStored ? event.user_message_id : null, delivery: 'stored' }
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
  return calls.map((existing) => (existing.call_id === call.call_id ? { ...existing, ...call } : existing))
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
        stop_reason: event.stop_reason,
      }
    case 'error':
      return { ...item, streaming: false, error: event.content, error_code: event.code, error_told: event.told }
    default:
      return item
  }
}
