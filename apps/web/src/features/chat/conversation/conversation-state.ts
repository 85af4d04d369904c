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
  /** Model id used by the provider. */
  model: string | null
  parameters: ChatParameters | null
}

/** A message as shown on the screen, stored or still being sent. */
export interface ChatItem extends Omit<ChatMessageJson, 'id' | 'images'> {
  /** Stays the same from the moment the message is first shown. */
  key: string
  /** Null until the server has stored it. */
  id: string | null
  images: Pick<ChatMessageJson['images'][number], 'url' | 'name' | 'thumbnail'>[]
  /** State of sending it to the server; an answer has the state of its question. */
  delivery: 'sending' | 'failed' | 'stored'
  /** Error thrown when sending the question; null on all other items. */
  failure: unknown
}

/** A message that was written but is not known to be stored. */
export interface UnsentMessage {
  /** Lets the server recognise the message when it's sent again. */
  client_id: string
  content: string
  /** ISO 8601. */
  created_at: string
  /** Id of the message that it follows; null for the first, undefined for the end of the current branch. */
  parent_id?: string | null
  /** Number of its pictures, which are stored separately. */
  picture_count?: number
  /** Attached items of the library. */
  media?: ChatItem['media']
  /** Mentioned agents, tools, projects and tags. */
  mentions?: ChatItem['mentions']
  /** Not stored; available until the page is closed. */
  images?: ChatItem['images']
  /** Set when it was written while an answer was being generated; it's sent once that answer has ended. */
  isWaiting?: true
}

/** The answer that is being read from the server. */
export interface LiveAnswer {
  answerKey: string
  /** Key of the question, if it was sent from this page. */
  questionKey: string | null
  /** Last received event, from which the stream resumes after a lost connection; null before the first event. */
  lastEventId: number | null
  /** Text from this stream; the previously known text stays on screen until this is longer. */
  receivedText: string
  /** Reasoning received in this stream. */
  thoughts: string
  /** Agent calls received in this stream. */
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
  /** Messages written while an answer is being generated, in the order in which they'll be sent afterwards. */
  queued: readonly UnsentMessage[]
  /** Cursor of the older messages; null when there are none. */
  previousCursor: string | null
  /** State of loading older messages. */
  older: 'idle' | 'loading' | 'failed'
  activity: 'idle' | 'sending' | 'answering' | 'reconnecting'
  isStopping: boolean
  live: LiveAnswer | null
  /** Null until a new conversation's first message, or until a stored conversation has loaded. */
  choice: ModelChoice | null
  /** Null for none, or while it isn't known yet. */
  projectId: string | null
  /** Persona that answers; null for none, or while it isn't known yet. */
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
  /** `replaces` is the key of the message that this one is another version of. */
  | { type: 'sent'; message: UnsentMessage; replaces?: string }
  /** Another version of the answer with this key was requested. */
  | { type: 'regenerated'; key: string; answerKey: string; at: string }
  | { type: 'regenerate-refused'; items: ChatItem[] }
  | { type: 'changed'; message: ChatMessageJson }
  | { type: 'received'; parts: readonly AnswerPart[] }
  | { type: 'followed' }
  | { type: 'lost' }
  /** `error` is null when the user stopped the message before the server had accepted it. */
  | { type: 'refused'; clientId: string; error: unknown }
  | { type: 'withdrawn'; key: string }
  | { type: 'queued'; message: UnsentMessage }
  | { type: 'unqueued'; key: string }
  /** Moves a queued message to the front. */
  | { type: 'preferred'; key: string }
  /** Pictures of an unsent message, found in this browser. */
  | { type: 'pictures-found'; key: string; images: ChatItem['images'] }
  | { type: 'stop-wanted' }
  | { type: 'stop-failed' }
  | { type: 'ended' }
  /** The live answer was interrupted; its text so far stays. */
  | { type: 'cut' }
  | { type: 'renamed'; sessionName: string }
  | { type: 'chosen'; choice: ModelChoice | null }

/** State before anything has loaded. */
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
  /** True for a temporary chat: the server stores nothing, so each message includes the history. */
  isTemporary?: boolean
  api: Pick<
    typeof chatApi,
    'fetchChatSession' | 'streamAnswer' | 'regenerateAnswer' | 'sendMessage' | 'stopAnswer' | 'updateChatSession'
  >
  /** Default model and parameters of new conversations. */
  newChatChoice: () => ModelChoice
  /** The project that a new conversation belongs to; null for none. */
  newChatProjectId: () => string | null
  /** The persona that a new conversation is with; null for none. */
  newChatPersonaId: () => string | null
  /** Messages that were written but are not known to be stored; survives a reload. */
  unsent: {
    list: (sessionId: string | null) => UnsentMessage[]
    /** If passed, the pictures replace those stored with the message. */
    keep: (sessionId: string | null, message: UnsentMessage, pictures?: readonly OutgoingPicture[]) => void
    /** Pictures stored with a message. */
    pictures: (clientId: string) => Promise<readonly OutgoingPicture[]>
    forget: (sessionId: string | null, clientId: string) => void
    /** Moves messages, and the draft if `withDraft` is true, to a new conversation once it has an id. */
    adopt: (sessionId: string, clientIds: ReadonlySet<string>, withDraft: boolean) => void
  }
  /** Question in the user's language, sent as the text of a message that has pictures or items but no text. */
  defaultQuestion: (hasPictures: boolean, hasMedia: boolean) => string
  newId: () => string
  now: () => Date
  /** Resolves after a time, or sooner when the network returns or `signal` aborts. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Calls back before the browser's next frame. */
  beforeDrawing: (callback: () => void) => void
}

/** A picture that goes with a message. */
export interface OutgoingPicture {
  name: string
  /** Object URL that shows it on this page. */
  url: string
  /** Its bytes as a base64 `data:` URL. */
  data: string
}

/** Optional parts of a message in addition to its text. */
export interface MessageOptions {
  pictures?: readonly OutgoingPicture[]
  /** Items of the library. */
  media?: readonly AttachedMedia[]
  /** Mentioned agents, tools, projects and tags. */
  mentions?: readonly Mention[]
  /** Key of the user's message that this one is another version of. */
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
  /** Counts changes to the messages, so that a response requested before the latest change is discarded. */
  revision: number
  /** Reload the conversation at the end of the answer. */
  needsReload: boolean
  /** Resolves once the server has accepted or refused the latest regeneration. */
  pendingRegeneration?: Promise<void>
  /** Pending request that stores the conversation's model choice. */
  pendingChoice: Promise<unknown> | null
  /** Reloads the newest messages, then streams an answer that is being generated, unless `mayStream` is false. */
  refresh: (mayStream?: boolean) => Promise<void>
}
