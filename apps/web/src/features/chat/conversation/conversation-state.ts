import type { AgentCall, ChatMessageJson, ChatParameters, ChatSessionDetailJson } from '@mira/shared'
import type { AnswerPart } from './chat-calls.ts'

/** Model and parameters of a conversation; null uses the administrators' defaults. */
export interface ModelChoice {
  /** As its provider names it. */
  model: string | null
  parameters: ChatParameters | null
}

/** A message as the screen shows it: a stored one, or one that is still on its way. */
export interface ChatItem extends Omit<ChatMessageJson, 'id' | 'images'> {
  /** Stays the same from the moment the message is first shown. */
  key: string
  /** Null until the server has stored it. */
  id: string | null
  images: Pick<ChatMessageJson['images'][number], 'url' | 'name' | 'thumbnail'>[]
  /** State on the server; an answer's is that of its question. */
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
  /** Number of its pictures, which are stored separately. */
  picture_count?: number
  /** Items of the library that go with it. */
  media?: ChatItem['media']
  /** Agents, projects and tags that it names. */
  mentions?: ChatItem['mentions']
  /** As long as the page lives. */
  images?: ChatItem['images']
  /** Written while an answer was made: it is sent when that has ended. */
  isWaiting?: true
}

/** The answer that is being read from the server. */
export interface LiveAnswer {
  answerKey: string
  /** The question's, when it was sent from here. */
  questionKey: string | null
  /** Position to resume the stream after a lost connection; null before the first event. */
  lastEventId: number | null
  /** Text from this stream; the previously known text stays on screen until this is longer. */
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
  /** Written while an answer is made, in the order in which they are sent afterwards. */
  queued: readonly UnsentMessage[]
  /** Leads to older messages; null when there are none. */
  previousCursor: string | null
  older: 'idle' | 'loading' | 'failed'
  activity: 'idle' | 'sending' | 'answering' | 'reconnecting'
  isStopping: boolean
  live: LiveAnswer | null
  /** Null while nobody chose: of a new conversation until its first message, of another one until it is loaded. */
  choice: ModelChoice | null
  /** The project that it belongs to, as far as it is known. */
  projectId: string | null
  /** The persona that answers in it, as far as it is known. */
  personaId: string | null
}

/** Actions on a conversation. */
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
  | { type: 'queued'; message: UnsentMessage }
  | { type: 'unqueued'; key: string }
  /** Is the next one to be sent. */
  | { type: 'preferred'; key: string }
  /** The pictures of a message that is not sent were found in this browser. */
  | { type: 'pictures-found'; key: string; images: ChatItem['images'] }
  | { type: 'stop-wanted' }
  | { type: 'stop-failed' }
  | { type: 'ended' }
  /** An answer that nobody makes any more stays as far as it came. */
  | { type: 'cut' }
  | { type: 'renamed'; sessionName: string }
  | { type: 'chosen'; choice: ModelChoice | null }

/** A conversation that nothing is known of yet. */
export const emptyConversation: ConversationState = {
  sessionId: null,
  sessionName: '',
  status: 'ready',
  items: [],
  queued: [],
  previousCursor: null,
  older: 'idle',
  activity: 'idle',
  isStopping: false,
  live: null,
  choice: null,
  projectId: null,
  personaId: null,
}
