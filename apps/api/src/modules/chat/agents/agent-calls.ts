import { randomUUID } from 'node:crypto'
import {
  type AgentAnalytics,
  type AgentCandidate,
  type AgentRun,
  agentDataSchema,
  type FilesData,
  type Language,
} from '@mira/shared'
import { AppError, sentenceOf, TooManyRequestsError, UnavailableError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { textsIn } from '../../../platform/messages/texts.ts'
import { forUsers } from '../../../sentences.ts'
import type { AgentContext, AgentKind, AgentResult } from './agent-kind.ts'
import type { AgentFigures, AgentRunRow, AgentsStore } from './agents.store.ts'

const STATUS_ACTIVE_SHARE = 0.8
const STATUS_WARNING_SHARE = 0.5

/** Call figures of one agent. @param figures undefined when it was never called */
export function presentFigures(
  name: string,
  figures: AgentFigures | undefined,
  isUnavailable: boolean,
): AgentAnalytics['agents'][number] {
  return {
    name,
    calls: figures?.total ?? 0,
    success_rate: figures ? successRate(figures) : null,
    avg_response_time: figures?.averageMs == null ? null : Math.round(figures.averageMs),
    status: isUnavailable ? 'error' : statusOf(figures),
    last_used: figures?.lastUsed ?? null,
  }
}

/** Percentage of successful calls, not counting interrupted ones; null when there were none. */
export function successRate({ completed, failed }: Pick<AgentFigures, 'completed' | 'failed'>): number | null {
  return completed + failed === 0 ? null : Math.round((1000 * completed) / (completed + failed)) / 10
}

/** Call figures of all agents together. */
export function totalsOf(figures: AgentFigures[]): AgentAnalytics['totals'] {
  const sum = (count: (agent: AgentFigures) => number) => figures.reduce((total, agent) => total + count(agent), 0)
  const [completed, failed] = [sum((agent) => agent.completed), sum((agent) => agent.failed)]
  const averageMs = sum((agent) => (agent.averageMs ?? 0) * agent.completed) / completed
  return {
    calls: sum((agent) => agent.total),
    success_rate: successRate({ completed, failed }),
    avg_response_time: completed === 0 ? null : Math.round(averageMs),
  }
}

/** Status by the outcomes of the latest calls; active when there were none. */
export function statusOf(
  figures: Pick<AgentFigures, 'recentCompleted' | 'recentEnded'> | undefined,
): 'active' | 'warning' | 'error' {
  if (!figures || figures.recentEnded === 0) return 'active'
  const share = figures.recentCompleted / figures.recentEnded
  return share >= STATUS_ACTIVE_SHARE ? 'active' : share >= STATUS_WARNING_SHARE ? 'warning' : 'error'
}

/** Matching files, with thumbnails signed for the viewer. */
export function presentFiles(data: FilesData, sign: (path: string) => string): FilesData {
  return {
    ...data,
    items: data.items.map((item) => ({ ...item, thumbnail: item.thumbnail === null ? null : sign(item.thumbnail) })),
  }
}

/** A recorded call. Data in an unreadable format of an earlier version is null; clients then show the text. */
export function presentRun({
  id,
  agentName,
  input,
  output,
  data,
  outcome,
  durationMs,
  createdAt,
  origin,
}: AgentRunRow): AgentRun {
  const parsed = agentDataSchema.safeParse(data)
  return {
    id,
    agent: agentName,
    input,
    output,
    outcome,
    origin,
    data: parsed.success ? parsed.data : null,
    duration_ms: durationMs,
    created_at: createdAt,
  }
}

/** Response to a sentence that isn't clearly meant for one agent: the possible agents, each with an example. */
export function unsureText(candidates: AgentCandidate[], language: Language): string {
  const text = textsIn('agents', language)
  if (candidates.length === 0) return text('none')
  const lines = candidates.map(({ name, example }) => text('candidate', { name, example }))
  return `${text('unsure')}\n\n${lines.join('\n')}`
}

/** Origin of a call in a conversation, for its record. */
export interface ChatCallOrigin {
  sessionId?: string
  messageId?: string
  countsInAnalytics: boolean
}

/** Origin of a user's call outside of conversations: the web app, or an API client. */
export interface DirectCallOrigin {
  from: 'page' | 'api'
  countsInAnalytics: boolean
}

/** Result of a call with its duration. */
export interface AgentCallResult extends AgentResult {
  durationMs: number
}

/** An agent, or an external tool, whose calls are recorded. */
interface Callable<Result> extends Pick<AgentKind, 'name' | 'unavailableReason'> {
  run(input: string, caller: AgentContext): Promise<Result>
}

export interface AgentCallsDeps {
  store: Pick<AgentsStore, 'record'>
  events: Pick<Events, 'publish'>
  log: Log
}

/** Maximum concurrent calls per user outside of conversations, which have their own limits. */
const MAX_CONCURRENT_CALLS = 6

/** Calls agents and tools, and records each call. */
export function createAgentCalls({ store, events, log }: AgentCallsDeps) {
  /** Calls that haven't ended, or aren't recorded yet. */
  const pending = new Set<Promise<unknown>>()
  const callCounts = new Map<string, number>()
  const track = <Result>(promise: Promise<Result>): Promise<Result> => {
    pending.add(promise)
    const forget = () => void pending.delete(promise)
    promise.then(forget, forget)
    return promise
  }

  const recordCall = async (
    kind: Pick<AgentKind, 'name'>,
    input: string,
    caller: AgentContext,
    origin: ChatCallOrigin | DirectCallOrigin,
    { runId, startedAt, ending }: { runId: string; startedAt: number; ending: CallOutcome },
  ): Promise<void> => {
    const durationMs = Math.round(performance.now() - startedAt)
    const isDirect = 'from' in origin
    const sessionId = isDirect ? undefined : origin.sessionId
    const detailId = isDirect ? undefined : origin.messageId
    const { outcome, code, output, data } = ending
    const recorded = store
      .record(
        {
          userId: caller.userId,
          kind: 'agent',
          outcome,
          subjectId: sessionId ?? runId,
          ...(detailId === undefined ? {} : { detailId }),
          durationMs,
          detail: { action: 'called', agent: kind.name, code, run_id: runId },
          countsInAnalytics: origin.countsInAnalytics,
        },
        {
          id: runId,
          agentName: kind.name,
          input,
          output,
          data,
          outcome,
          durationMs,
          origin: isDirect ? origin.from : 'chat',
          sessionId,
        },
      )
      .then(() => events.publish(caller.userId, { type: 'activity.recorded', kind: 'agent' }))
      .catch((error: unknown) => log.error({ err: error, agent: kind.name }, 'could not record an agent call'))
    // An answer in a conversation doesn't wait for the record, nor fail with it.
    if (isDirect) await track(recorded)
    else void track(recorded)
  }

  const call = async <Result extends { output: string; data: object }>(
    kind: Callable<Result>,
    input: string,
    caller: AgentContext,
    origin: ChatCallOrigin | DirectCallOrigin | null,
  ): Promise<Result & { durationMs: number }> => {
    const startedAt = performance.now()
    const runId = randomUUID()
    let ending: CallOutcome = { outcome: 'failed', code: 'internal_error', output: '', data: {} }
    try {
      const reason = kind.unavailableReason?.() ?? null
      if (reason !== null) throw new UnavailableError(reason, { code: 'agent_unavailable' })
      const result = await kind.run(input, caller)
      ending = { outcome: 'completed', code: null, output: result.output, data: result.data }
      return { ...result, durationMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      ending = outcomeOf(error, caller.signal)
      throw error
    } finally {
      if (origin !== null) await recordCall(kind, input, caller, origin, { runId, startedAt, ending })
    }
  }

  /** Makes a call outside of a conversation. @throws TooManyRequestsError when too many of the user's calls are running */
  const callDirectly = async (kind: AgentKind, input: string, caller: AgentContext, origin: DirectCallOrigin) => {
    const { userId } = caller
    const running = callCounts.get(userId) ?? 0
    if (running >= MAX_CONCURRENT_CALLS) {
      throw new TooManyRequestsError('Several agents are already working for you. Try again in a moment.', {
        code: 'too_many_calls',
        retryAfterSeconds: 1,
      })
    }
    callCounts.set(userId, running + 1)
    try {
      return await track(call(kind, input, caller, origin))
    } finally {
      const remaining = (callCounts.get(userId) ?? 1) - 1
      if (remaining > 0) callCounts.set(userId, remaining)
      else callCounts.delete(userId)
    }
  }

  return {
    /** Calls an agent or a tool; without an origin it leaves no record. */
    call: <Result extends { output: string; data: object }>(
      kind: Callable<Result>,
      input: string,
      caller: AgentContext,
      origin: ChatCallOrigin | DirectCallOrigin | null,
    ) => track(call(kind, input, caller, origin)),

    callDirectly,

    /** Waits until every call has ended and is recorded. */
    async close(): Promise<void> {
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}

/** End of a call, for its record. */
interface CallOutcome {
  outcome: 'completed' | 'failed' | 'interrupted'
  code: string | null
  output: string
  data: object
}

function outcomeOf(error: unknown, signal: AbortSignal | undefined): CallOutcome {
  const code = error instanceof AppError ? error.code : 'internal_error'
  if (signal?.aborted) return { outcome: 'interrupted', code, output: '', data: {} }
  // The history stores texts without codes.
  const output = error instanceof AppError ? forUsers(sentenceOf(error)).text : 'Something went wrong in this agent.'
  return { outcome: 'failed', code, output, data: {} }
}
