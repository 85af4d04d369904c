import type { ChatEvent, ChatMessageJson, ChatSessionDetailJson } from '@mira/shared'
import { reduceConversation } from './conversation-reducer.ts'
import type { ConversationAction, ConversationState } from './conversation-state.ts'

/** Id of the conversation. */
export const SESSION_ID = 'session-1'
/** Creation time of all fixtures. */
export const CREATED_AT = '2026-11-20T12:00:00.000Z'

/** A message as the server sends it. */
export function message(
  id: string,
  role: 'user' | 'assistant',
  content: string,
  rest: Partial<ChatMessageJson> = {},
): ChatMessageJson {
  return {
    id,
    role,
    content,
    created_at: CREATED_AT,
    images: [],
    media: [],
    mentions: [],
    model_used: role === 'assistant' ? 'a-model' : null,
    engine: role === 'assistant' ? 'remote' : null,
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
    ...rest,
  }
}

/** A conversation as the server sends it. */
export function detail(messages: ChatMessageJson[], rest: Partial<ChatSessionDetailJson> = {}): ChatSessionDetailJson {
  return {
    id: SESSION_ID,
    session_name: 'Lisbon',
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    message_count: messages.length,
    agent_used: null,
    status: 'active',
    tokens_used: 0,
    avg_response_time: null,
    sentiment: 'neutral',
    pinned: false,
    archived: false,
    tags: [],
    project_id: null,
    persona_id: null,
    snippet: null,
    messages,
    model: null,
    parameters: null,
    previous_cursor: null,
    ...rest,
  }
}

/** State after all actions. */
export function applyActions(state: ConversationState, ...actions: ConversationAction[]): ConversationState {
  return actions.reduce(reduceConversation, state)
}

/** Events of a stream that arrive together. */
export function receivedAction(...events: [number | null, ChatEvent][]): ConversationAction {
  return { type: 'received', parts: events.map(([eventId, event]) => ({ eventId, event })) }
}

/** The beginning of the answer `a1` to the question `u1`. */
export const sessionEvent = {
  type: 'session',
  session_id: SESSION_ID,
  user_message_id: 'u1',
  message_id: 'a1',
  session_name: 'Lisbon',
} satisfies ChatEvent
/** A piece of an answer. */
export const chunk = (content: string): ChatEvent => ({ type: 'chunk', content })
/** A message that is not sent yet. */
export const unsentMessage = { client_id: 'c1', content: 'Hello', created_at: CREATED_AT }
/** Id, role and text of the messages on screen. */
export const visibleItems = (state: ConversationState) =>
  state.items.map(({ id, role, content }) => [id, role, content])
