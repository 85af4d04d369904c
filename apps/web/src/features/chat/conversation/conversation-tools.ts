import type { AttachedMedia, Mention } from '@mira/shared'
import type { Store } from '../../../lib/loading/store.ts'
import type * as chatApi from './chat-calls.ts'
import type { ConversationAction, ConversationState, ModelChoice, UnsentMessage } from './conversation-state.ts'

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
  /** Set while the server is told what the conversation is answered with. */
  choosing: Promise<unknown> | null
  /** Loads the newest messages again; unless told not to, follows an answer that is being made. */
  refresh: (mayFollow?: boolean) => Promise<void>
}
