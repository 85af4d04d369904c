import { useEffect, useRef, useState } from 'react'
import * as chatApi from '../../../api/chat.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { randomUuid } from '../../../lib/random-uuid.ts'
import { showToast } from '../../../ui/toast.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ChatItem, ConversationState } from '../conversation/conversation-state.ts'
import { beforeDrawing, waitForNetwork } from '../conversation/use-chat-stream.ts'
import { readComparedAnswer } from './compared-answer.ts'

/** Answers of several models to one question, beside one another. */
export interface Comparison {
  question: ChatItem | undefined
  /** The first one is that of the conversation. */
  answers: readonly ChatItem[]
  /** Goes on with an answer that has come to its end; the others stay as its other versions. */
  keep: (answer: ChatItem) => Promise<void>
  /** Shows the conversation again, with the first answer. */
  close: () => void
}

interface Begun {
  sessionId: string
  /** The conversation's own answer. */
  answerId: string
  others: ChatItem[]
  reading: AbortController
}

/**
 * Compares the answer to the next message with those of other models.
 * @returns the comparison, null for none, and what begins one with the next message that is sent.
 */
export function useComparison(
  conversation: Conversation,
  state: ConversationState,
): { comparison: Comparison | null; compareNext: (models: readonly string[]) => void } {
  const text = useText('chat')
  const errorText = useErrorText()
  const wanted = useRef<readonly string[]>([])
  const [begun, setBegun] = useState<Begun | null>(null)
  const { sessionId, live, items } = state
  const liveId = items.find(({ key }) => key === live?.answerKey)?.id ?? null

  useEffect(() => {
    if (wanted.current.length === 0 || sessionId === null || liveId === null) return
    const models = wanted.current
    wanted.current = []
    const reading = new AbortController()
    const tools = { api: chatApi, newId: randomUuid, now: () => new Date(), wait: waitForNetwork, beforeDrawing }
    setBegun({ sessionId, answerId: liveId, others: [], reading })
    models.forEach((model, place) => {
      const tell = (item: ChatItem) =>
        setBegun((before) =>
          before && before.reading === reading ? { ...before, others: withItem(before.others, place, item) } : before,
        )
      void readComparedAnswer(tools, { sessionId, answerId: liveId, model }, reading.signal, tell)
    })
  }, [sessionId, liveId])
  // a message that was not taken is compared with nothing
  useEffect(() => {
    if (state.activity === 'idle') wanted.current = []
  }, [state.activity])
  const reading = begun?.reading
  useEffect(() => () => reading?.abort(), [reading])
  const isElsewhere = begun !== null && begun.sessionId !== sessionId
  useEffect(() => {
    if (isElsewhere) setBegun(null)
  }, [isElsewhere])

  const compareNext = (models: readonly string[]) => {
    wanted.current = models
  }
  const close = () => setBegun(null)
  const first = begun === null ? -1 : items.findIndex(({ id }) => id === begun.answerId)
  const own = items[first]
  if (begun === null || own === undefined) return { comparison: null, compareNext }
  const answers = [own, ...begun.others.filter((item) => item !== undefined)]
  return {
    comparison: {
      question: items[first - 1],
      answers,
      close,
      async keep(answer) {
        try {
          if (answers.some((one) => one !== answer && one.streaming)) await chatApi.stopAnswer(begun.sessionId)
          if (answer.id !== own.id)
            await chatApi.updateChatSession(begun.sessionId, { current_message_id: answer.id ?? '' })
          close()
          conversation.notice()
        } catch (error) {
          showToast({ tone: 'danger', title: text('compare.keepFailed'), description: errorText(error) })
        }
      },
    },
    compareNext,
  }
}

function withItem(items: readonly ChatItem[], place: number, item: ChatItem): ChatItem[] {
  const next = [...items]
  next[place] = item
  return next
}
