import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { randomUuid } from '../../../lib/browser/random-uuid.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { useStore } from '../../../lib/loading/store.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import * as chatApi from './chat-calls.ts'
import { type Conversation, createConversation } from './conversation.ts'
import type { ConversationState, ModelChoice } from './conversation-state.ts'
import type { Drafts } from './drafts.ts'

/** Delay for a page in the background, which gets no animation frames. */
const HIDDEN_DELAY_MS = 150

/**
 * The conversation named in the page's URL, kept up to date: its messages, the answer being generated, and changes by other
 * tabs and devices. When a new conversation gets its id, the URL is updated.
 */
export function useChatStream(
  sessionId: string | null,
  drafts: Drafts,
  {
    isTemporary,
    choiceOfNew,
    projectId,
    personaId,
  }: { isTemporary: boolean; choiceOfNew: ModelChoice; projectId: string | null; personaId: string | null },
): { conversation: Conversation; state: ConversationState } {
  const navigate = useNavigate()
  const text = useText('chat')
  const latest = useRef({ text, choiceOfNew, projectId, personaId })
  useEffect(() => {
    latest.current = { text, choiceOfNew, projectId, personaId }
  }, [text, choiceOfNew, projectId, personaId])
  const [conversation] = useState(() =>
    createConversation({
      isTemporary,
      api: chatApi,
      unsent: drafts.unsent,
      defaultQuestion: (hasPictures, hasMedia) => defaultQuestion(latest.current.text, hasPictures, hasMedia),
      newChatChoice: () => latest.current.choiceOfNew,
      newChatProjectId: () => latest.current.projectId,
      newChatPersonaId: () => latest.current.personaId,
      newId: randomUuid,
      now: () => new Date(),
      wait: waitForNetwork,
      beforeDrawing,
    }),
  )
  const state = useStore(conversation.state)
  /** Session id from the URL that was opened last; undefined before the first. */
  const openedId = useRef<string | null | undefined>(undefined)

  useLayoutEffect(() => {
    if (openedId.current === sessionId) return
    openedId.current = sessionId
    conversation.open(sessionId)
  }, [conversation, sessionId])

  useEffect(
    () =>
      conversation.state.subscribe((next) => {
        if (openedId.current !== null || next.sessionId === null) return
        openedId.current = next.sessionId
        void navigate(chatPath(next.sessionId), { replace: true })
      }),
    [conversation, navigate],
  )

  useEffect(
    () => () => {
      openedId.current = undefined
      conversation.close()
    },
    [conversation],
  )

  useUserEvents((event) => {
    if (event.type === 'events.resumed') conversation.reloadWhenIdle()
    if (event.type !== 'chat.updated' || event.session_id !== conversation.state.get().sessionId) return
    if (event.deleted) conversation.showDeleted()
    else conversation.reloadWhenIdle()
  })

  return { conversation, state }
}

/** Waits for about the given time, or less when the network returns or the page is shown or hidden. */
export function waitForNetwork(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      window.removeEventListener('online', finish)
      document.removeEventListener('visibilitychange', finish)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds * (0.75 + Math.random() / 2))
    window.addEventListener('online', finish)
    document.addEventListener('visibilitychange', finish)
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
  })
}

/** Calls back before the browser's next frame. */
export function beforeDrawing(callback: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(callback, HIDDEN_DELAY_MS)
  else requestAnimationFrame(callback)
}

function defaultQuestion(text: Text<'chat'>, hasPictures: boolean, hasMedia: boolean): string {
  if (hasPictures) return text('describe.pictures')
  return hasMedia ? text('describe.items') : ''
}
