import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../../lib/api/client.ts'
import { randomUuid } from '../../../lib/browser/random-uuid.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import type { AnswerPart } from '../conversation/chat-calls.ts'
import * as chatApi from '../conversation/chat-calls.ts'
import { awaitedItem, initialStream, receive, storedItem } from '../conversation/chat-items.ts'
import type { Conversation } from '../conversation/conversation.ts'
import {
  type ChatItem,
  type ConversationState,
  type ConversationTools,
  emptyConversation,
} from '../conversation/conversation-state.ts'
import { beforeDrawing, waitForNetwork } from '../conversation/use-chat-stream.ts'

/** Delays before reconnecting to a lost answer, which is given up after the last one. */
const RECONNECT_DELAYS_MS = [300, 1_000, 2_000, 4_000, 8_000, 15_000]

interface ComparedAnswerTools extends Pick<ConversationTools, 'newId' | 'now' | 'wait' | 'beforeDrawing'> {
  api: Pick<ConversationTools['api'], 'regenerateAnswer' | 'followAnswer'>
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
  const first = 'startedItem' in compared ? compared.startedItem : awaited(newId(), now(), compared.model)
  const { key } = first
  let state: ConversationState = {
    ...emptyConversation,
    sessionId,
    items: [first],
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
  const read = async (parts: AsyncIterable<AnswerPart>) => {
    for await (const part of parts) {
      state = receive(state, part)
      notifySoon()
    }
  }

  onChange(item())
  let parts =
    'startedItem' in compared
      ? api.followAnswer(sessionId, { messageId: first.id ?? '', afterEventId: null }, signal)
      : api.regenerateAnswer(sessionId, { messageId: compared.answerId, model: compared.model, isBeside: true }, signal)
  for (let failures = 0; ; ) {
    const previousEventId = state.live?.lastEventId ?? null
    try {
      await read(parts)
      return end({})
    } catch (error) {
      if (signal.aborted) return
      const { id } = item()
      if (state.live?.lastEventId !== previousEventId) failures = 0
      const delay = RECONNECT_DELAYS_MS[failures]
      const isTemporary = error instanceof ApiError && error.isTemporary
      if (!(error instanceof ApiError)) console.error('An answer could not be read for a comparison', error)
      if (id === null || !isTemporary || delay === undefined) return end({ failure: error })
      failures += 1
      await wait(delay, signal)
      parts = api.followAnswer(sessionId, { messageId: id, afterEventId: state.live?.lastEventId ?? null }, signal)
    }
  }
}

function awaited(key: string, at: Date, model: string): ChatItem {
  return { ...awaitedItem(key, { created_at: at.toISOString(), parent_id: null }), model_used: model }
}

const KEY = 'mira-comparisons'
const MAX_KEPT = 20

/** Id of the answer whose comparison was last open in a conversation in this tab; null for none. */
function openComparison(sessionId: string): string | null {
  return new Map(read()).get(sessionId) ?? null
}

/** Remembers, while this tab is open, which answer is compared in a conversation; null for none. */
function keepComparison(sessionId: string, answerId: string | null): void {
  const others = read().filter(([id]) => id !== sessionId)
  const entries = answerId === null ? others : [...others, [sessionId, answerId] as const].slice(-MAX_KEPT)
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entries))
  } catch (error) {
    // The comparison works, but isn't restored after a reload.
    console.warn('An open comparison could not be remembered', error)
  }
}

function read(): (readonly [string, string])[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
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
  keep: (answer: ChatItem) => Promise<void>
  /** Shows the conversation again, with the first answer. */
  close: () => void
}

interface StartedComparison {
  sessionId: string
  /** The conversation's own answer. */
  answerId: string
  others: ChatItem[]
  reading: AbortController
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

  const read = useCallback((reading: AbortController, index: number, compared: ComparedAnswer) => {
    const tools = { api: chatApi, newId: randomUuid, now: () => new Date(), wait: waitForNetwork, beforeDrawing }
    const showItem = (item: ChatItem) =>
      setStarted((before) =>
        before && before.reading === reading ? { ...before, others: withItem(before.others, index, item) } : before,
      )
    void readComparedAnswer(tools, compared, reading.signal, showItem)
  }, [])

  useEffect(() => {
    if (nextModels.current.length === 0 || sessionId === null || liveId === null) return
    const models = nextModels.current
    nextModels.current = []
    const reading = new AbortController()
    setStarted({ sessionId, answerId: liveId, others: [], reading })
    keepComparison(sessionId, liveId)
    models.forEach((model, index) => {
      read(reading, index, { sessionId, answerId: liveId, model })
    })
  }, [sessionId, liveId, read])
  // a message that wasn't accepted isn't compared
  useEffect(() => {
    if (state.activity === 'idle') nextModels.current = []
  }, [state.activity])
  const reading = started?.reading
  useEffect(() => () => reading?.abort(), [reading])
  const isElsewhere = started !== null && started.sessionId !== sessionId
  useEffect(() => {
    if (isElsewhere) setStarted(null)
  }, [isElsewhere])

  const opening = useRef<AbortController>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: aborts when another conversation is opened
  useEffect(() => () => opening.current?.abort(), [sessionId])
  const compareVersions = async (ofSession: string, answerId: string) => {
    opening.current?.abort()
    const reading = new AbortController()
    opening.current = reading
    try {
      const versions = await chatApi.fetchAnswerVersions(answerId, reading.signal)
      if (reading.signal.aborted || conversation.state.get().sessionId !== ofSession) return
      const others = versions.flatMap((message) => (message.id === answerId ? [] : [storedItem(message, undefined)]))
      setStarted({ sessionId: ofSession, answerId, others, reading })
      keepComparison(ofSession, answerId)
      others.forEach((startedItem, index) => {
        if (startedItem.streaming) read(reading, index, { sessionId: ofSession, startedItem })
      })
    } catch (error) {
      if (reading.signal.aborted) return
      showToast({ tone: 'danger', title: text('compare.openFailed'), description: errorText(error) })
    }
  }
  const hasBegun = started !== null
  const storedAnswerId = useMemo(
    () => (sessionId === null || hasBegun ? null : openComparison(sessionId)),
    [sessionId, hasBegun],
  )
  const isStoredAnswerShown = storedAnswerId !== null && items.some(({ id }) => id === storedAnswerId)
  const openAgain = useEffectEvent(compareVersions)
  useEffect(() => {
    if (sessionId !== null && storedAnswerId !== null && isStoredAnswerShown) void openAgain(sessionId, storedAnswerId)
  }, [sessionId, storedAnswerId, isStoredAnswerShown])

  const compareNext = (models: readonly string[]) => {
    opening.current?.abort()
    nextModels.current = models
  }
  const close = () => {
    if (started !== null) keepComparison(started.sessionId, null)
    setStarted(null)
  }
  const operations = {
    compareNext,
    compareVersions: (answerId: string) => {
      if (sessionId !== null) void compareVersions(sessionId, answerId)
    },
  }
  const first = started === null ? -1 : items.findIndex(({ id }) => id === started.answerId)
  const ownAnswer = items[first]
  if (started === null || ownAnswer === undefined) return { comparison: null, ...operations }
  const answers = [ownAnswer, ...started.others.filter((item) => item !== undefined)]
  return {
    comparison: {
      question: items[first - 1],
      answers,
      close,
      async keep(answer) {
        try {
          if (answers.some((one) => one !== answer && one.streaming)) await chatApi.stopAnswer(started.sessionId)
          if (answer.id !== ownAnswer.id)
            await chatApi.updateChatSession(started.sessionId, { current_message_id: answer.id ?? '' })
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

function withItem(items: readonly ChatItem[], index: number, item: ChatItem): ChatItem[] {
  const next = [...items]
  next[index] = item
  return next
}
