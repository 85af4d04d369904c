import { path } from '@mira/client/path'
import type { AgentCandidate, AgentEvent, AgentResponse } from '@mira/shared'
import { infiniteQueryOptions, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, call, networkError, requestEvents } from '../../../lib/api/client.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { loadResults } from './call-result.tsx'

const RUNS_PAGE = 10

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'available'],
  queryFn: ({ signal }) => call('GET /agents/available', { signal }),
})

/** State of the server's agents (administrators). */
export const agentsStatusQuery = queryOptions({
  queryKey: ['agents', 'status'],
  queryFn: ({ signal }) => call('GET /agents/status', { signal }),
  staleTime: 0,
})

/** Statistics of calls per agent, as in the Agents Logs. */
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
        query: { cursor: pageParam, limit: RUNS_PAGE },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
  })
}

/** Refetches what a call changes: histories and statistics. */
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
 * @param agent null for the one that fits the input.
 */
async function* callAgent(agent: string | null, input: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const address = agent === null ? '/agents/ask' : path`/agents/${agent}/run`
  for await (const { data } of requestEvents(address, { method: 'POST', json: { input }, signal })) {
    if (data === '[DONE]') return
    yield JSON.parse(data) as AgentEvent
  }
}

export type CallState =
  | { step: 'idle' }
  | { step: 'running'; agent: string | null; progress: string | null }
  | { step: 'finished'; agent: string; confidence: number | null; answer: AgentResponse }
  | { step: 'unsure'; candidates: AgentCandidate[] }
  | { step: 'failed'; agent: string | null; reason: string }
  | { step: 'stopped' }

/** Calls agents, one at a time; a new call, Stop and unmounting abort the previous one. */
export function useAgentCall(): {
  call: CallState
  start: (agent: string | null, input: string) => void
  stop: () => void
} {
  const [call, setCall] = useState<CallState>({ step: 'idle' })
  const running = useRef<AbortController | null>(null)
  const queryClient = useQueryClient()
  const errorText = useErrorText()

  const start = (agent: string | null, input: string) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const show = (state: CallState) => {
      if (running.current === controller) setCall(state)
    }
    const readEvents = async () => {
      let called = agent
      let confidence: number | null = null
      let hasEnded = false
      for await (const event of callAgent(agent, input, controller.signal)) {
        if (event.type === 'started') {
          called = event.agent
          confidence = event.confidence ?? null
          show({ step: 'running', agent: called, progress: null })
        } else if (event.type === 'progress') {
          show({ step: 'running', agent: called, progress: event.text })
        } else {
          hasEnded = true
          if (event.type === 'unsure') show({ step: 'unsure', candidates: event.candidates })
          else if (event.type === 'failed') show({ step: 'failed', agent: called, reason: errorText(asError(event)) })
          else show({ step: 'finished', agent: called ?? '', confidence, answer: event })
        }
      }
      if (!hasEnded) throw networkError()
    }
    show({ step: 'running', agent, progress: null })
    // preloads; when that fails, the result card shows plain text
    loadResults().catch(() => {})
    readEvents()
      .catch((error: unknown) => {
        if (!controller.signal.aborted) show({ step: 'failed', agent, reason: errorText(error) })
      })
      .finally(() => void refreshAfterCall(queryClient))
  }

  const stop = () => {
    running.current?.abort()
    running.current = null
    setCall((current) => (current.step === 'running' ? { step: 'stopped' } : current))
  }

  useEffect(() => () => running.current?.abort(), [])
  return { call, start, stop }
}

/** An agent's failure as the error that a failed request would raise. */
function asError(event: { code: string; detail: string }): ApiError {
  return new ApiError(500, event)
}
