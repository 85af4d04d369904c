import { useLayoutEffect, useMemo, useRef } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { answerCall, updateChatSession } from './chat-calls.ts'
import { readPicture } from './choose-pictures.ts'
import type { Conversation } from './conversation.ts'
import type { ChatItem, OutgoingPicture } from './conversation-state.ts'

/** Actions on one message. */
export interface MessageOperations {
  /** Generates another answer, by the conversation's model or another one. */
  regenerate: (answer: ChatItem, model?: string) => void
  /** Asks for the rest of an answer that was interrupted. */
  askForRest: () => void
  /** Continues an answer in place that reached its length limit. */
  continueAnswer: (answer: ChatItem) => Promise<void>
  /** Sends another version of an own message, with its pictures and items; false when it was not sent. */
  resend: (question: ChatItem, content: string) => Promise<boolean>
  /** Shows the branch that a message is in; false when that failed. */
  showVersion: (messageId: string) => Promise<boolean>
  /** Shows all versions of an answer side by side. */
  compareVersions: (answerId: string) => void
  rate: (answer: ChatItem, rating: 'up' | 'down' | null) => void
  /** Allows or refuses a waiting call. */
  answerCall: (callId: string, isAllowed: boolean) => Promise<void>
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
  const complain = (title: string) => (error: unknown) =>
    showToast({ tone: 'danger', title, description: errorText(error) })
  const latest: MessageOperations = {
    regenerate(answer, model) {
      conversation.regenerate(answer.key, model).catch(complain(text('messages.regenerateFailed')))
    },

    askForRest() {
      conversation.send(text('messages.goOnText'))
    },

    async continueAnswer(answer) {
      const { sessionId } = conversation.state.get()
      // a temporary answer isn't stored, so another message asks for the rest
      if (sessionId === null || answer.id === null) return latest.askForRest()
      try {
        conversation.takeChange(
          await call('POST /chat/sessions/:id/messages/:message_id/continue', {
            params: { id: sessionId, message_id: answer.id },
            timeoutMs: 90_000,
          }),
        )
      } catch (error) {
        complain(text('messages.continueFailed'))(error)
        conversation.notice()
      }
    },

    async resend(question, content) {
      const { sessionId } = conversation.state.get()
      let pictures: OutgoingPicture[]
      try {
        pictures = await Promise.all(question.images.map(fetchPicture))
      } catch (error) {
        complain(text('messages.resendFailed'))(error)
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
        conversation.notice()
        return true
      } catch (error) {
        complain(text('messages.versions.failed'))(error)
        return false
      }
    },

    compareVersions,

    rate(answer, rating) {
      if (answer.id === null) return
      call('POST /chat/messages/:id/feedback', { params: { id: answer.id }, json: { rating } })
        .then(conversation.takeChange)
        .catch(complain(text('messages.rate.failed')))
    },

    async answerCall(callId, isAllowed) {
      const { sessionId } = conversation.state.get()
      if (sessionId === null) return
      try {
        conversation.takeChange(await answerCall(sessionId, callId, isAllowed))
      } catch (error) {
        complain(text('agents.answerFailed'))(error)
        conversation.notice()
      }
    },

    async keepPicture(messageId, index) {
      try {
        await call('POST /chat/messages/:id/images/:n/keep', { params: { id: messageId, n: index } })
        showToast({ tone: 'success', title: text('pictures.kept') })
      } catch (error) {
        complain(text('pictures.keepFailed'))(error)
      }
    },
  }
  const newest = useRef(latest)
  useLayoutEffect(() => {
    newest.current = latest
  })
  // A stable object whose functions call the latest ones, so that messages aren't rendered again.
  return useMemo(
    () => ({
      regenerate: (answer, model) => newest.current.regenerate(answer, model),
      askForRest: () => newest.current.askForRest(),
      continueAnswer: (answer) => newest.current.continueAnswer(answer),
      resend: (question, content) => newest.current.resend(question, content),
      showVersion: (messageId) => newest.current.showVersion(messageId),
      compareVersions: (answerId) => newest.current.compareVersions(answerId),
      rate: (answer, rating) => newest.current.rate(answer, rating),
      answerCall: (callId, isAllowed) => newest.current.answerCall(callId, isAllowed),
      keepPicture: (messageId, index) => newest.current.keepPicture(messageId, index),
    }),
    [],
  )
}

async function fetchPicture({ url, name }: ChatItem['images'][number]): Promise<OutgoingPicture> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The picture ${name} could not be loaded: ${response.status}`)
  return readPicture(new File([await response.blob()], name))
}
