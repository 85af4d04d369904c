import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useQueryOncePainted } from '../../../lib/loading/queries.ts'
import type { ChatItem } from '../conversation/conversation-state.ts'

/** Errors that resolve themselves when the model server is back. */
const temporaryErrors: ReadonlySet<string> = new Set(['model_unreachable', 'model_rate_limited'])
const POLL_MS = 10_000
const IDLE_POLL_MS = 120_000
const MAX_TRIES = 3
/** Maximum age of a question that is repeated automatically. */
const MAX_AGE_MS = 30 * 60_000

/** Availability of the model; `isAskedAgain` when the last question will be repeated automatically. */
export interface ModelAway {
  isAway: boolean
  isAskedAgain: boolean
}

/**
 * Watches whether the language model is available, and repeats an unanswered question when it's back: a few times at most,
 * and only while the conversation is open.
 */
export function useModelAway({ items, isBusy, onAskAgain }: ModelAwayOptions): ModelAway {
  const last = items.at(-1)
  const failed = last !== undefined && last.id !== null && temporaryErrors.has(last.error_code ?? '') ? last : null
  // A repeated answer is another message with the same parent, so tries are counted by the question's id.
  const question = failed?.parent_id ?? null
  const tries = useRef(new Map<string, number>())
  const [givenUp, setGivenUp] = useState<string | null>(null)
  const isWaiting =
    failed !== null && givenUp !== question && Date.now() - Date.parse(failed.created_at) < MAX_AGE_MS && !isBusy
  const { data, dataUpdatedAt, refetch } = useQueryOncePainted({
    queryKey: ['health', 'models'],
    queryFn: async ({ signal }) => (await call('GET /health', { signal })).checks.models.chat.state,
    refetchInterval: ({ state }) => (isWaiting || state.data === 'error' ? POLL_MS : IDLE_POLL_MS),
  })
  const failedSince = useRef(0)
  const failedId = failed?.id ?? null
  useEffect(() => {
    if (failedId === null) return
    failedSince.current = Date.now()
    void refetch()
  }, [failedId, refetch])

  const askAgain = useEffectEvent(() => {
    if (failed === null || question === null || !isWaiting) return
    const triesSoFar = tries.current.get(question) ?? 0
    if (triesSoFar >= MAX_TRIES) return setGivenUp(question)
    tries.current.set(question, triesSoFar + 1)
    onAskAgain(failed)
  })
  useEffect(() => {
    // A status fetched before the failure doesn't show that the model is back.
    if (failedId !== null && data === 'ok' && dataUpdatedAt >= failedSince.current) askAgain()
  }, [failedId, data, dataUpdatedAt])

  return { isAway: data === 'error' || isWaiting, isAskedAgain: isWaiting }
}

type ModelAwayOptions = {
  items: readonly ChatItem[]
  isBusy: boolean
  onAskAgain: (answer: ChatItem) => void
}
