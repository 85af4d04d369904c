import { path } from '@mira/client/path'
import type { AgentCandidate, AgentEvent, AgentResponse } from '@mira/shared'
import { infiniteQueryOptions, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, call, networkError, requestEvents } from '../../../lib/api/client.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { loadResultViews } from './call-result.tsx'

const RUNS_PAGE_SIZE = 10

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'available'],
  queryFn: ({ signal }) => call('GET /agents/available', { signal }),
})

/** State of the server's agents, for administrators only. */
export const agentsStatusQuery = queryOptions({
  queryKey: ['agents', 'status'],
  queryFn: ({ signal }) => call('GET /agents/status', { signal }),
  staleTime: 0,
})

/** Statistics of calls per agent, as shown on the Agents Logs tab. */
export const agentAnalyticsQuery = queryOptions({
  queryKey: ['agents', 'analytics'],
  queryFn: ({ signal }) => call('GET /agents/analytics', { signal }),
  staleTime: 0,
})

/** The user's calls of one agent, page by page. */
export function runsQuery(agent: string) {
  return infiniteQueryOptions({
    queryKey: ['agents', 'runs', agent],
    queryFn: ({ pageParam, signal }) =>
      call('GET /agents/:name/runs', {
        params: { name: agent },
        signal,
        query: { cursor: pageParam, limit: RUNS_PAGE_SIZE },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
  })
}

/** Refetches the data that a call can change: histories, statistics and reminders. */
async function refreshAfterCall(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['agents', 'runs'] }),
    queryClient.invalidateQueries({ queryKey: agentsStatusQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['agents', 'analytics'] }),
    // a call may have created or changed reminders
    queryClient.invalidateQueries({ queryKey: ['reminders'] }),
  ])
}

/**
 * Calls an agent and yields its events.
 *
 * @param agent null lets the server choose the agent that fits the input.
 */
async function* callAgent(agent: string | null, input: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const url = agent === null ? '/agents/ask' : path`/agents/${agent}/run`
  for await (const { data } of requestEvents(url, { method: 'POST', json: { input }, signal })) {
    if (data === '[DONE]') return
    yield JSON.parse(data) as AgentEvent
  }
}

export type CallState =
  | { step: 'idle' }
  | { step: 'running'; agent: string | null; progress: string | null }
  | { step: 'finished'; agent: string; confidence: number | null; response: AgentResponse }
  | { step: 'unsure'; candidates: AgentCandidate[] }
  | { step: 'failed'; agent: string | null; reason: string }
  | { step: 'stopped' }

/** Calls agents, one at a time; a new call, Stop and unmounting abort the running call. */
export function useAgentCall(): {
  call: CallState
  start: (agent: string | null, input: string) => void
  stop: () => void
} {
  const [callState, setCallState] = useState<CallState>({ step: 'idle' })
  const runningCall = useRef<AbortController | null>(null)
  const queryClient = useQueryClient()
  const errorText = useErrorText()

  const start = (agent: string | null, input: string) => {
    runningCall.current?.abort()
    const controller = new AbortController()
    runningCall.current = controller
    const show = (state: CallState) => {
      if (runningCall.current === controller) setCallState(state)
    }
    const readEvents = async () => {
      let calledAgent = agent
      let confidence: number | null = null
      let hasEnded = false
      for await (const event of callAgent(agent, input, controller.signal)) {
        if (event.type === 'started') {
          calledAgent = event.agent
          confidence = event.confidence ?? null
          show({ step: 'running', agent: calledAgent, progress: null })
        } else if (event.type === 'progress') {
          show({ step: 'running', agent: calledAgent, progress: event.text })
        } else {
          hasEnded = true
          if (event.type === 'unsure') show({ step: 'unsure', candidates: event.candidates })
          else if (event.type === 'failed')
            show({ step: 'failed', agent: calledAgent, reason: errorText(asError(event)) })
          else show({ step: 'finished', agent: calledAgent ?? '', confidence, response: event })
        }
      }
      if (!hasEnded) throw networkError()
    }
    show({ step: 'running', agent, progress: null })
    // Preloads the result views; if that fails, the result is shown as plain text.
    loadResultViews().catch(() => {})
    readEvents()
      .catch((error: unknown) => {
        if (!controller.signal.aborted) show({ step: 'failed', agent, reason: errorText(error) })
      })
      .finally(() => void refreshAfterCall(queryClient))
  }

  const stop = () => {
    runningCall.current?.abort()
    runningCall.current = null
    setCallState((current) => (current.step === 'running' ? { step: 'stopped' } : current))
  }

  useEffect(() => () => runningCall.current?.abort(), [])
  return { call: callState, start, stop }
}

/** An agent's failure as the error that a failed request would raise. */
function asError(event: { code: string; detail: string }): ApiError {
  return new ApiError(500, event)
}
