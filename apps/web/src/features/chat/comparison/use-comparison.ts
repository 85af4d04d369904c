import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../../lib/api/client.ts'
import { randomUuid } from '../../../lib/browser/random-uuid.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import type { AnswerPart } from '../conversation/chat-calls.ts'
import * as chatApi from '../conversation/chat-calls.ts'
import { applyAnswerPart, awaitedItem, initialStream, storedItem } from '../conversation/chat-items.ts'
import type { Conversation } from '../conversation/conversation.ts'
import {
  type ChatItem,
  type ConversationState,
  type ConversationTools,
  emptyConversation,
} from '../conversation/conversation-state.ts'
import { beforeDrawing, waitForNetwork } from '../conversation/use-chat-stream.ts'

/** Delays between attempts to reconnect to an interrupted answer; it's given up when the last attempt fails. */
const RECONNECT_DELAYS_MS = [300, 1_000, 2_000, 4_000, 8_000, 15_000]

interface ComparedAnswerTools extends Pick<ConversationTools, 'newId' | 'now' | 'wait' | 'beforeDrawing'> {
  api: Pick<ConversationTools['api'], 'regenerateAnswer' | 'streamAnswer'>
}

/** Answer to compare: a new one by a model, or one already being generated. */
type ComparedAnswer = { sessionId: string } & ({ answerId: string; model: string } | { startedItem: ChatItem })

/**
 * Reads an answer to its end: a new one, which another model generates beside an existing answer, or one that is already being
 * generated. Errors are stored in the item and don't affect other answers.
 */
async function readComparedAnswer(
  { api, newId, now, wait, beforeDrawing }: ComparedAnswerTools,
  compared: ComparedAnswer,
  signal: AbortSignal,
  onChange: (item: ChatItem) => void,
): Promise<void> {
  const { sessionId } = compared
  const initialItem = 'startedItem' in compared ? compared.startedItem : awaitedAnswer(newId(), now(), compared.model)
  const { key } = initialItem
  let state: ConversationState = {
    ...emptyConversation,
    sessionId,
    items: [initialItem],
    live: { ...initialStream, answerKey: key, questionKey: `question-${key}` },
  }
  const item = () => state.items[0]!
  let isScheduled = false
  const notifySoon = () => {
    if (isScheduled) return
    isScheduled = true
    beforeDrawing(() => {
      isScheduled = false
      if (!signal.aborted) onChange(item())
    })
  }
  const end = (changes: Partial<ChatItem>) => {
    state = { ...state, items: [{ ...item(), ...changes, streaming: false }] }
    if (!signal.aborted) onChange(item())
  }
  const readParts = async (parts: AsyncIterable<AnswerPart>) => {
    for await (const part of parts) {
      state = applyAnswerPart(state, part)
      notifySoon()
    }
  }

  onChange(item())
  let parts =
    'startedItem' in compared
      ? api.streamAnswer(sessionId, { messageId: initialItem.id ?? '', afterEventId: null }, signal)
      : api.regenerateAnswer(
          sessionId,
          { messageId: compared.answerId, model: compared.model, isComparison: true },
          signal,
        )
  for (let failures = 0; ; ) {
    const previousEventId = state.live?.lastEventId ?? null
    try {
      await readParts(parts)
      return end({})
    } catch (error) {
      if (signal.aborted) return
      const { id } = item()
      if (state.live?.lastEventId !== previousEventId) failures = 0
      const delay = RECONNECT_DELAYS_MS[failures]
      const canRetry = error instanceof ApiError && error.isTemporary
      if (!(error instanceof ApiError)) console.error('An answer could not be read for a comparison', error)
      if (id === null || !canRetry || delay === undefined) return end({ failure: error })
      failures += 1
      await wait(delay, signal)
      parts = api.streamAnswer(sessionId, { messageId: id, afterEventId: state.live?.lastEventId ?? null }, signal)
    }
  }
}

function awaitedAnswer(key: string, at: Date, model: string): ChatItem {
  return { ...awaitedItem(key, { created_at: at.toISOString(), parent_id: null }), model_used: model }
}

const STORAGE_KEY = 'mira-comparisons'
const MAX_STORED = 20

/** Id of the answer whose comparison is open in a conversation, stored for this tab; null for none. */
function storedComparison(sessionId: string): string | null {
  return new Map(readEntries()).get(sessionId) ?? null
}

/** Stores, while this tab is open, which answer is compared in a conversation; null for none. */
function storeComparison(sessionId: string, answerId: string | null): void {
  const others = readEntries().filter(([id]) => id !== sessionId)
  const entries = answerId === null ? others : [...others, [sessionId, answerId] as const].slice(-MAX_STORED)
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(entries))
  } catch (error) {
    // The comparison works, but isn't restored after a reload.
    console.warn('An open comparison could not be remembered', error)
  }
}

function readEntries(): (readonly [string, string])[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string')
}

/** Answers of several models to one question. */
export interface Comparison {
  question: ChatItem | undefined
  /** The conversation's own answer comes first. */
  answers: readonly ChatItem[]
  /** Continues with a completed answer; the others remain as its versions. */
  choose: (answer: ChatItem) => Promise<void>
  /** Shows the conversation again, with the first answer. */
  close: () => void
}

interface StartedComparison {
  sessionId: string
  /** The conversation's own answer. */
  answerId: string
  others: ChatItem[]
  controller: AbortController
}

/**
 * Compares the answer to the next message with those of other models, or existing versions of an answer; an open comparison
 * is restored after a reload.
 * @returns the comparison (null for none) and functions that compare the next message's answers or an answer's versions.
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
  const nextModels = useRef<readonly string[]>([])
  const [started, setStarted] = useState<StartedComparison | null>(null)
  const { sessionId, live, items } = state
  const liveId = items.find(({ key }) => key === live?.answerKey)?.id ?? null

  const readAnswer = useCallback((controller: AbortController, index: number, compared: ComparedAnswer) => {
    const tools = { api: chatApi, newId: randomUuid, now: () => new Date(), wait: waitForNetwork, beforeDrawing }
    const showItem = (item: ChatItem) =>
      setStarted((before) =>
        before && before.controller === controller
          ? { ...before, others: withItem(before.others, index, item) }
          : before,
      )
    void readComparedAnswer(tools, compared, controller.signal, showItem)
  }, [])

  useEffect(() => {
    if (nextModels.current.length === 0 || sessionId === null || liveId === null) return
    const models = nextModels.current
    nextModels.current = []
    const controller = new AbortController()
    setStarted({ sessionId, answerId: liveId, others: [], controller })
    storeComparison(sessionId, liveId)
    models.forEach((model, index) => {
      readAnswer(controller, index, { sessionId, answerId: liveId, model })
    })
  }, [sessionId, liveId, readAnswer])
  // If the message wasn't accepted, its answers can't be compared.
  useEffect(() => {
    if (state.activity === 'idle') nextModels.current = []
  }, [state.activity])
  const controller = started?.controller
  useEffect(() => () => controller?.abort(), [controller])
  const isElsewhere = started !== null && started.sessionId !== sessionId
  useEffect(() => {
    if (isElsewhere) setStarted(null)
  }, [isElsewhere])

  const openingController = useRef<AbortController>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: aborts when another conversation is opened
  useEffect(() => () => openingController.current?.abort(), [sessionId])
  const compareVersions = async (comparedSessionId: string, answerId: string) => {
    openingController.current?.abort()
    const controller = new AbortController()
    openingController.current = controller
    try {
      const versions = await chatApi.fetchAnswerVersions(answerId, controller.signal)
      if (controller.signal.aborted || conversation.state.get().sessionId !== comparedSessionId) return
      const others = versions.flatMap((message) => (message.id === answerId ? [] : [storedItem(message, undefined)]))
      setStarted({ sessionId: comparedSessionId, answerId, others, controller })
      storeComparison(comparedSessionId, answerId)
      others.forEach((startedItem, index) => {
        if (startedItem.streaming) readAnswer(controller, index, { sessionId: comparedSessionId, startedItem })
      })
    } catch (error) {
      if (controller.signal.aborted) return
      showToast({ tone: 'danger', title: text('compare.openFailed'), description: errorText(error) })
    }
  }
  const isComparing = started !== null
  const storedAnswerId = useMemo(
    () => (sessionId === null || isComparing ? null : storedComparison(sessionId)),
    [sessionId, isComparing],
  )
  const isStoredAnswerShown = storedAnswerId !== null && items.some(({ id }) => id === storedAnswerId)
  const reopen = useEffectEvent(compareVersions)
  useEffect(() => {
    if (sessionId !== null && storedAnswerId !== null && isStoredAnswerShown) void reopen(sessionId, storedAnswerId)
  }, [sessionId, storedAnswerId, isStoredAnswerShown])

  const compareNext = (models: readonly string[]) => {
    openingController.current?.abort()
    nextModels.current = models
  }
  const close = () => {
    if (started !== null) storeComparison(started.sessionId, null)
    setStarted(null)
  }
  const operations = {
    compareNext,
    compareVersions: (answerId: string) => {
      if (sessionId !== null) void compareVersions(sessionId, answerId)
    },
  }
  const ownIndex = started === null ? -1 : items.findIndex(({ id }) => id === started.answerId)
  const ownAnswer = items[ownIndex]
  if (started === null || ownAnswer === undefined) return { comparison: null, ...operations }
  const answers = [ownAnswer, ...started.others.filter((item) => item !== undefined)]
  return {
    comparison: {
      question: items[ownIndex - 1],
      answers,
      close,
      async choose(answer) {
        try {
          if (answers.some((one) => one !== answer && one.streaming)) await chatApi.stopAnswer(started.sessionId)
          if (answer.id !== ownAnswer.id)
            await chatApi.updateChatSession(started.sessionId, { current_message_id: answer.id ?? '' })
          close()
          conversation.reloadWhenIdle()
        } catch (error) {
          showToast({ tone: 'danger', title: text('compare.keepFailed'), description: errorText(error) })
        }
      },
    },
    ...operations,
  }
}

function withItem(items: readonly ChatItem[], index: number, item: ChatItem): ChatItem[] {
  const next = [...items]
  next[index] = item
  return next
}
