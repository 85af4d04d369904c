import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import * as chatApi from '../../../api/chat.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { randomUuid } from '../../../lib/random-uuid.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { storedItem } from '../conversation/chat-items.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ChatItem, ConversationState } from '../conversation/conversation-state.ts'
import { beforeDrawing, waitForNetwork } from '../conversation/use-chat-stream.ts'
import { type ComparedAnswer, readComparedAnswer } from './compared-answer.ts'
import { keepComparison, openComparison } from './open-comparisons.ts'

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
 * Compares the answer to the next message with those of other models, and versions of an answer that are there; what was
 * compared when the page was left is shown again.
 * @returns the comparison, null for none, what begins one with the next message that is sent, and what shows the versions of an
 *   answer.
 */
export function useComparison(
  conversation: Conversation,
  state: ConversationState,
): {
  comparison: Comparison | null
  compareNext: (models: readonly string[]) => void
  compareVersions: (answerId: string) => void
} {
  const text = useText('chat')
  const errorText = useErrorText()
  const wanted = useRef<readonly string[]>([])
  const [begun, setBegun] = useState<Begun | null>(null)
  const { sessionId, live, items } = state
  const liveId = items.find(({ key }) => key === live?.answerKey)?.id ?? null

  const read = useCallback((reading: AbortController, place: number, compared: ComparedAnswer) => {
    const tools = { api: chatApi, newId: randomUuid, now: () => new Date(), wait: waitForNetwork, beforeDrawing }
    const tell = (item: ChatItem) =>
      setBegun((before) =>
        before && before.reading === reading ? { ...before, others: withItem(before.others, place, item) } : before,
      )
    void readComparedAnswer(tools, compared, reading.signal, tell)
  }, [])

  useEffect(() => {
    if (wanted.current.length === 0 || sessionId === null || liveId === null) return
    const models = wanted.current
    wanted.current = []
    const reading = new AbortController()
    setBegun({ sessionId, answerId: liveId, others: [], reading })
    keepComparison(sessionId, liveId)
    models.forEach((model, place) => {
      read(reading, place, { sessionId, answerId: liveId, model })
    })
  }, [sessionId, liveId, read])
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

  const opening = useRef<AbortController>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: who goes to another conversation opens nothing of this one
  useEffect(() => () => opening.current?.abort(), [sessionId])
  const compareVersions = async (ofSession: string, answerId: string) => {
    opening.current?.abort()
    const reading = new AbortController()
    opening.current = reading
    try {
      const versions = await chatApi.fetchAnswerVersions(answerId, reading.signal)
      if (reading.signal.aborted || conversation.state.get().sessionId !== ofSession) return
      const others = versions.flatMap((message) => (message.id === answerId ? [] : [storedItem(message, undefined)]))
      setBegun({ sessionId: ofSession, answerId, others, reading })
      keepComparison(ofSession, answerId)
      others.forEach((begun, place) => {
        if (begun.streaming) read(reading, place, { sessionId: ofSession, begun })
      })
    } catch (error) {
      if (reading.signal.aborted) return
      showToast({ tone: 'danger', title: text('compare.openFailed'), description: errorText(error) })
    }
  }
  const hasBegun = begun !== null
  const wasOpen = useMemo(
    () => (sessionId === null || hasBegun ? null : openComparison(sessionId)),
    [sessionId, hasBegun],
  )
  const isWasOpenShown = wasOpen !== null && items.some(({ id }) => id === wasOpen)
  const openAgain = useEffectEvent(compareVersions)
  useEffect(() => {
    if (sessionId !== null && wasOpen !== null && isWasOpenShown) void openAgain(sessionId, wasOpen)
  }, [sessionId, wasOpen, isWasOpenShown])

  const compareNext = (models: readonly string[]) => {
    opening.current?.abort()
    wanted.current = models
  }
  const close = () => {
    if (begun !== null) keepComparison(begun.sessionId, null)
    setBegun(null)
  }
  const operations = {
    compareNext,
    compareVersions: (answerId: string) => {
      if (sessionId !== null) void compareVersions(sessionId, answerId)
    },
  }
  const first = begun === null ? -1 : items.findIndex(({ id }) => id === begun.answerId)
  const own = items[first]
  if (begun === null || own === undefined) return { comparison: null, ...operations }
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
    ...operations,
  }
}

function withItem(items: readonly ChatItem[], place: number, item: ChatItem): ChatItem[] {
  const next = [...items]
  next[place] = item
  return next
}
