import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useQueryOncePainted } from '../../../lib/loading/queries.ts'
import type { ChatItem } from '../conversation/conversation-state.ts'

/** Errors that resolve themselves when the model server is back. */
const temporaryErrors: ReadonlySet<string> = new Set(['model_unreachable', 'model_rate_limited'])
const POLL_MS = 10_000
const IDLE_POLL_MS = 120_000
const MAX_ATTEMPTS = 3
/** Maximum age of a question that is repeated automatically. */
const MAX_AGE_MS = 30 * 60_000

/** Availability of the model; `willAskAgain` is true when the last question will be repeated automatically. */
export interface ModelOutage {
  isAway: boolean
  willAskAgain: boolean
}

/**
 * Watches whether the language model is available, and repeats an unanswered question when it's back: a few times at most,
 * and only while the conversation is open.
 */
export function useModelOutage({ items, isBusy, onAskAgain }: ModelOutageOptions): ModelOutage {
  const last = items.at(-1)
  const failed = last !== undefined && last.id !== null && temporaryErrors.has(last.error_code ?? '') ? last : null
  // A repeated answer is another message with the same parent, so attempts are counted by the question's id.
  const question = failed?.parent_id ?? null
  const attempts = useRef(new Map<string, number>())
  const [givenUpQuestion, setGivenUpQuestion] = useState<string | null>(null)
  const willAskAgain =
    failed !== null &&
    givenUpQuestion !== question &&
    Date.now() - Date.parse(failed.created_at) < MAX_AGE_MS &&
    !isBusy
  const { data, dataUpdatedAt, refetch } = useQueryOncePainted({
    queryKey: ['health', 'models'],
    queryFn: async ({ signal }) => (await call('GET /health', { signal })).checks.models.chat.state,
    refetchInterval: ({ state }) => (willAskAgain || state.data === 'error' ? POLL_MS : IDLE_POLL_MS),
  })
  const failureSeenAt = useRef(0)
  const failedId = failed?.id ?? null
  useEffect(() => {
    if (failedId === null) return
    failureSeenAt.current = Date.now()
    void refetch()
  }, [failedId, refetch])

  const askAgain = useEffectEvent(() => {
    if (failed === null || question === null || !willAskAgain) return
    const attemptCount = attempts.current.get(question) ?? 0
    if (attemptCount >= MAX_ATTEMPTS) return setGivenUpQuestion(question)
    attempts.current.set(question, attemptCount + 1)
    onAskAgain(failed)
  })
  useEffect(() => {
    // A status fetched before the failure doesn't show that the model is back.
    if (failedId !== null && data === 'ok' && dataUpdatedAt >= failureSeenAt.current) askAgain()
  }, [failedId, data, dataUpdatedAt])

  return { isAway: data === 'error' || willAskAgain, willAskAgain }
}

type ModelOutageOptions = {
  items: readonly ChatItem[]
  isBusy: boolean
  onAskAgain: (answer: ChatItem) => void
}
