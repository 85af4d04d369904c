import type { PersonaJson } from '@mira/shared'
import { createContext, type RefObject, use } from 'react'
import type { ComposedMessage } from './composer/use-message.ts'
import type { Conversation } from './conversation/conversation.ts'
import type { ConversationState, ModelChoice } from './conversation/conversation-state.ts'
import type { RequestedMessage } from './messages/message-list.tsx'

/** The chat screen's conversation and the message that is being written in it. */
export interface Chat {
  conversation: Conversation
  state: ConversationState
  /** Changes when another conversation is shown. */
  viewKey: string
  /** True for a temporary chat, of which nothing is stored. */
  isTemporary: boolean
  persona: PersonaJson | undefined
  projectName: string | undefined
  /** Model and parameters of the next answer. */
  choice: ModelChoice
  /** The message that the page's URL links to. */
  requestedMessage: RequestedMessage | null
  message: ComposedMessage
  /** Text field of the message being written. */
  field: RefObject<HTMLTextAreaElement | null>
}

/** Provided by the chat screen. */
export const ChatContext = createContext<Chat | null>(null)

/** @throws Error outside the chat screen. */
export function useChat(): Chat {
  const chat = use(ChatContext)
  if (chat === null) throw new Error('useChat is used outside the chat screen')
  return chat
}
