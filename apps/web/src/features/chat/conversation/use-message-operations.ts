import { useLayoutEffect, useMemo, useRef } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { decideCall, updateChatSession } from './chat-calls.ts'
import { readPicture } from './choose-pictures.ts'
import type { Conversation } from './conversation.ts'
import type { ChatItem, OutgoingPicture } from './conversation-state.ts'

/** Actions on one message. */
export interface MessageOperations {
  /** Generates another answer, by the conversation's model or another one. */
  regenerate: (answer: ChatItem, model?: string) => void
  /** Asks for the rest of an answer that was interrupted. */
  askToContinue: () => void
  /** Continues an answer that reached its length limit, without a new message. */
  continueAnswer: (answer: ChatItem) => Promise<void>
  /** Sends another version of one of the user's messages, with its pictures and items; false when it wasn't sent. */
  resend: (question: ChatItem, content: string) => Promise<boolean>
  /** Shows the branch that a message is in; false when that failed. */
  showVersion: (messageId: string) => Promise<boolean>
  /** Shows all versions of an answer side by side. */
  compareVersions: (answerId: string) => void
  rate: (answer: ChatItem, rating: 'up' | 'down' | null) => void
  /** Allows or refuses a waiting call. */
  decideCall: (callId: string, isAllowed: boolean) => Promise<void>
  /** Stores a picture in the user's memory. */
  keepPicture: (messageId: string, index: number) => Promise<void>
}

/** Operations on messages of a conversation, always the same object; errors are shown in toasts. */
export function useMessageOperations(
  conversation: Conversation,
  compareVersions: (answerId: string) => void,
): MessageOperations {
  const text = useText('chat')
  const errorText = useErrorText()
  const showError = (title: string) => (error: unknown) =>
    showToast({ tone: 'danger', title, description: errorText(error) })
  const latest: MessageOperations = {
    regenerate(answer, model) {
      conversation.regenerate(answer.key, model).catch(showError(text('messages.regenerateFailed')))
    },

    askToContinue() {
      conversation.send(text('messages.goOnText'))
    },

    async continueAnswer(answer) {
      const { sessionId } = conversation.state.get()
      // a temporary answer isn't stored, so another message asks for the rest
      if (sessionId === null || answer.id === null) return latest.askToContinue()
      try {
        conversation.applyChange(
          await call('POST /chat/sessions/:id/messages/:message_id/continue', {
            params: { id: sessionId, message_id: answer.id },
            timeoutMs: 90_000,
          }),
        )
      } catch (error) {
        showError(text('messages.continueFailed'))(error)
        conversation.reloadWhenIdle()
      }
    },

    async resend(question, content) {
      const { sessionId } = conversation.state.get()
      let pictures: OutgoingPicture[]
      try {
        pictures = await Promise.all(question.images.map(fetchPicture))
      } catch (error) {
        showError(text('messages.resendFailed'))(error)
        return false
      }
      if (conversation.state.get().sessionId !== sessionId) return false
      const media = question.media.filter(({ media_id }) => media_id !== null)
      return conversation.send(content, { pictures, media, mentions: question.mentions, replaces: question.key })
    },

    async showVersion(messageId) {
      const { sessionId } = conversation.state.get()
      if (sessionId === null) return false
      try {
        await updateChatSession(sessionId, { current_message_id: messageId })
        conversation.reloadWhenIdle()
        return true
      } catch (error) {
        showError(text('messages.versions.failed'))(error)
        return false
      }
    },

    compareVersions,

    rate(answer, rating) {
      if (answer.id === null) return
      call('POST /chat/messages/:id/feedback', { params: { id: answer.id }, json: { rating } })
        .then(conversation.applyChange)
        .catch(showError(text('messages.rate.failed')))
    },

    async decideCall(callId, isAllowed) {
      const { sessionId } = conversation.state.get()
      if (sessionId === null) return
      try {
        conversation.applyChange(await decideCall(sessionId, callId, isAllowed))
      } catch (error) {
        showError(text('agents.answerFailed'))(error)
        conversation.reloadWhenIdle()
      }
    },

    async keepPicture(messageId, index) {
      try {
        await call('POST /chat/messages/:id/images/:n/keep', { params: { id: messageId, n: index } })
        showToast({ tone: 'success', title: text('pictures.kept') })
      } catch (error) {
        showError(text('pictures.keepFailed'))(error)
      }
    },
  }
  const latestRef = useRef(latest)
  useLayoutEffect(() => {
    latestRef.current = latest
  })
  // A stable object whose functions call the latest ones, so that messages aren't rerendered.
  return useMemo(
    () => ({
      regenerate: (answer, model) => latestRef.current.regenerate(answer, model),
      askToContinue: () => latestRef.current.askToContinue(),
      continueAnswer: (answer) => latestRef.current.continueAnswer(answer),
      resend: (question, content) => latestRef.current.resend(question, content),
      showVersion: (messageId) => latestRef.current.showVersion(messageId),
      compareVersions: (answerId) => latestRef.current.compareVersions(answerId),
      rate: (answer, rating) => latestRef.current.rate(answer, rating),
      decideCall: (callId, isAllowed) => latestRef.current.decideCall(callId, isAllowed),
      keepPicture: (messageId, index) => latestRef.current.keepPicture(messageId, index),
    }),
    [],
  )
}

async function fetchPicture({ url, name }: ChatItem['images'][number]): Promise<OutgoingPicture> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The picture ${name} could not be loaded: ${response.status}`)
  return readPicture(new File([await response.blob()], name))
}
