import type {
  AgentCall,
  AttachedMedia,
  ChatMessageJson,
  ChatParameters,
  ChatSessionDetailJson,
  Mention,
} from '@mira/shared'
import type { Store } from '../../../lib/loading/store.ts'
import type * as chatApi from './chat-calls.ts'
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

/** Dependencies of a conversation. */
export interface ConversationTools {
  /** Nothing of it is stored at the server: each message takes along what was said before. */
  isTemporary?: boolean
  api: Pick<
    typeof chatApi,
    'fetchChatSession' | 'followAnswer' | 'regenerateAnswer' | 'sendMessage' | 'stopAnswer' | 'updateChatSession'
  >
  /** Default model of new conversations. */
  choiceOfNew: () => ModelChoice
  /** The project that a new conversation belongs to; null for none. */
  projectOfNew: () => string | null
  /** The persona that a new conversation is with; null for none. */
  personaOfNew: () => string | null
  /** Messages that were written but are not known to be stored; survives a reload. */
  unsent: {
    list: (sessionId: string | null) => UnsentMessage[]
    /** With pictures: from now on those go with it. */
    keep: (sessionId: string | null, message: UnsentMessage, pictures?: readonly OutgoingPicture[]) => void
    /** The pictures that were kept with a message. */
    pictures: (clientId: string) => Promise<readonly OutgoingPicture[]>
    forget: (sessionId: string | null, clientId: string) => void
    /** The new conversation got its id: these messages go along, and the draft unless somebody writes another new one. */
    adopt: (sessionId: string, clientIds: ReadonlySet<string>, withDraft: boolean) => void
  }
  /** Question, in the user's language, for a message with pictures or items but no text. */
  textWithout: (hasPictures: boolean, hasMedia: boolean) => string
  newId: () => string
  now: () => Date
  /** Resolves after a time, or sooner when the network returns or `signal` aborts. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Calls back before the browser draws next. */
  beforeDrawing: (callback: () => void) => void
}

/** A picture that goes with a message. */
export interface OutgoingPicture {
  name: string
  /** Shows it on this page. */
  url: string
  /** Its bytes as a `data:` address in base64. */
  data: string
}

/** Optional parts of a message in addition to its text. */
export interface MessageOptions {
  pictures?: readonly OutgoingPicture[]
  /** Items of the library. */
  media?: readonly AttachedMedia[]
  /** Agents, projects and tags that it names. */
  mentions?: readonly Mention[]
  /** The key of an own message beside which this one begins another branch. */
  replaces?: string
}

/** The time between opening one conversation and opening another. */
export interface Visit {
  signal: AbortSignal
  /** Aborts at the end of the visit. */
  leave: () => void
}

/** The open conversation, shared by the code that reads it and sends to it. */
export interface OpenConversation {
  state: Store<ConversationState>
  dispatch: (action: ConversationAction) => void
  visit: Visit
  /** Counts what changes the messages, so that an answer from before is not taken for the newest. */
  revision: number
  /** Reload the conversation at the end of the answer. */
  hasNews: boolean
  /** Resolves once the server makes the other answer that was asked for last, or won't. */
  regenerating?: Promise<void>
  /** Set while the server is told what the conversation is answered with. */
  choosing: Promise<unknown> | null
  /** Loads the newest messages again; unless told not to, follows an answer that is being made. */
  refresh: (mayFollow?: boolean) => Promise<void>
}
