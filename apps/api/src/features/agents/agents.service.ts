import { randomUUID } from 'node:crypto'
import type {
  AgentAnalytics,
  AgentAnswer,
  AgentAskAnswer,
  AgentCandidate,
  AgentData,
  AgentRunsAnswer,
  AgentsStatus,
  AgentView,
  UserEventJson,
} from '@mira/shared'
import { z } from 'zod'
import { AppError, BadRequestError, NotFoundError, TooManyRequestsError, UnavailableError } from '../../errors.ts'
import { readTimeCursor, writeTimeCursor } from '../../lib/cursor.ts'
import type { Log } from '../../log.ts'
import type { AgentCaller, AgentKind, AgentResult, ConnectedTool } from './agent-kind.ts'
import type { AgentsStore } from './agents.store.ts'
import type { IntentGuess } from './intent-classifier.ts'
import { presentFigures, presentFiles, presentRun, statusOf, successRate, totalsOf, unsureText } from './present.ts'

/** A tool as a language model is told of it. */
export interface AgentTool {
  name: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
  /** Name of the agent behind it, for people. */
  agentName: string
}

/** The conversation that a call was made in, for the record. */
export interface ChatCallOrigin {
  sessionId?: string
  messageId?: string
  inAnalytics: boolean
}

/** Where a person called from, for the record: the web app, or a program of theirs. */
export interface DirectCallOrigin {
  from: 'page' | 'api'
  inAnalytics: boolean
}

export interface AgentCallResult extends AgentResult {
  durationMs: number
}

/** What can be called and recorded: an agent, or a tool of others. */
interface Callable<Result> extends Pick<AgentKind, 'name' | 'unavailableReason'> {
  run(input: string, caller: AgentCaller): Promise<Result>
}

/** Which agent a sentence means. */
export interface Choice {
  /** Null when none is surely meant. */
  agent: string | null
  /** How sure the surest agent is, 0 to 1. */
  confidence: number
  /** The surest first. */
  candidates: AgentCandidate[]
}

interface AgentsDeps {
  kinds: AgentKind[]
  /** Tools of others that a person may use, and the one that a model calls so. */
  connected?: { toolsFor(userId: string): ConnectedTool[]; find(toolName: string): ConnectedTool | null }
  store: AgentsStore
  /** What a sentence asks for as far as was learnt, by the names of agents. */
  guessIntent?: (text: string) => IntentGuess[]
  /** Signs the path of a file for its owner, whether or not it is signed already. */
  signPath(userId: string, path: string): string
  /** Tells every listener of a user. */
  publish(userId: string, event: UserEventJson): void
  log: Log
}

/** Above this an agent is taken to be meant by a sentence. */
const INTENT_THRESHOLD = 0.8
/** Most that the classifier's guess counts for an agent that decides by reading the sentence itself (`readsItself`). */
const UNSHARED_CONFIDENCE = 0.75
/** Below this it is not worth being asked back for, unless none is above. */
const CANDIDATE_THRESHOLD = 0.2
const INPUT_MAX_CHARACTERS = 20_000
/** Most calls of one person at once outside of conversations, which have bounds of their own. */
const MOST_CALLS_AT_ONCE = 6

const toolArgumentsSchema = z.object({ input: z.string().min(1).max(INPUT_MAX_CHARACTERS) })

export type AgentsService = ReturnType<typeof createAgentsService>

/** The agents of this instance: which there are, which one is meant, and calling them; every call is recorded. */
export function createAgentsService({ kinds, connected, store, guessIntent, signPath, publish, log }: AgentsDeps) {
  const byTool = new Map(kinds.map((kind) => [kind.tool.name, kind]))
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  /** Calls and their records that have not come to their end. */
  const pending = new Set<Promise<unknown>>()
  const callsOf = new Map<string, number>()
  const track = <Result>(promise: Promise<Result>): Promise<Result> => {
    pending.add(promise)
    const forget = () => void pending.delete(promise)
    promise.then(forget, forget)
    return promise
  }

  const recordCall = async (
    kind: Pick<AgentKind, 'name'>,
    input: string,
    caller: AgentCaller,
    origin: ChatCallOrigin | DirectCallOrigin,
    { runId, startedAt, ending }: { runId: string; startedAt: number; ending: Ending },
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
          inAnalytics: origin.inAnalytics,
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
      .then(() => publish(caller.userId, { type: 'activity.recorded', kind: 'agent' }))
      .catch((error: unknown) => log.error({ err: error, agent: kind.name }, 'an agent call could not be recorded'))
    // an answer of a conversation does not wait for its record, and is not lost with it
    if (isDirect) await track(recorded)
    else void track(recorded)
  }

  const call = async <Result extends { output: string; data: object }>(
    kind: Callable<Result>,
    input: string,
    caller: AgentCaller,
    origin: ChatCallOrigin | DirectCallOrigin | null,
  ): Promise<Result & { durationMs: number }> => {
    const startedAt = performance.now()
    const runId = randomUUID()
    let ending: Ending = { outcome: 'failed', code: 'internal_error', output: '', data: {} }
    try {
      const reason = kind.unavailableReason?.() ?? null
      if (reason !== null) throw new UnavailableError(reason, { code: 'agent_unavailable' })
      const result = await kind.run(input, caller)
      ending = { outcome: 'completed', code: null, output: result.output, data: result.data }
      return { ...result, durationMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      ending = endingOf(error, caller.signal)
      throw error
    } finally {
      if (origin !== null) await recordCall(kind, input, caller, origin, { runId, startedAt, ending })
    }
  }

  /** A call from outside of conversations, of which each person has a few at once. */
  const callDirectly = async (kind: AgentKind, input: string, caller: AgentCaller, origin: DirectCallOrigin) => {
    const { userId } = caller
    const running = callsOf.get(userId) ?? 0
    if (running >= MOST_CALLS_AT_ONCE) {
      throw new TooManyRequestsError('Several agents are working for you already. Try again in a moment.', {
        code: 'too_many_calls',
        retryAfterSeconds: 1,
      })
    }
    callsOf.set(userId, running + 1)
    try {
      return await track(call(kind, input, caller, origin))
    } finally {
      const left = (callsOf.get(userId) ?? 1) - 1
      if (left > 0) callsOf.set(userId, left)
      else callsOf.delete(userId)
    }
  }

  const requireKind = (name: string): AgentKind => {
    const kind = byName.get(name)
    if (!kind) throw new NotFoundError('There is no agent of this name.')
    return kind
  }

  /** Every agent with how surely a sentence means it, the surest first. */
  const rank = (text: string, caller: AgentCaller) => {
    const learnt = new Map(guessIntent?.(text).map(({ label, probability }) => [label, probability]))
    const guessFor = ({ name, readsItself = false }: AgentKind) => {
      const probability = learnt.get(name) ?? 0
      return readsItself ? Math.min(probability, UNSHARED_CONFIDENCE) : probability
    }
    return kinds
      .map((kind) => ({ kind, confidence: Math.max(kind.confidence(text, caller), guessFor(kind)) }))
      .sort((a, b) => b.confidence - a.confidence)
  }

  /** What an agent found, with pictures that a browser can load. */
  const withSignedPaths = (data: AgentData, userId: string): AgentData =>
    data.kind === 'files' ? presentFiles(data, (path) => signPath(userId, path)) : data

  const choose = (input: string, caller: AgentCaller): Choice => {
    const ranked = rank(input, caller)
    const best = ranked[0]
    const confidence = best?.confidence ?? 0
    const likely = ranked.filter((one) => one.confidence >= CANDIDATE_THRESHOLD)
    const candidates = (likely.length > 0 ? likely : ranked).map((one) => ({
      name: one.kind.name,
      confidence: one.confidence,
      example: one.kind.intents[0] ?? '',
    }))
    return { agent: best && confidence >= INTENT_THRESHOLD ? best.kind.name : null, confidence, candidates }
  }

  return {
    /** The agents that this server has, and how everyone's last calls of each went. */
    async states(): Promise<{ name: string; status: 'active' | 'warning' | 'error' }[]> {
      const recent = new Map((await store.recentOutcomes()).map((one) => [one.name, one]))
      return kinds.map(({ name }) => ({ name, status: statusOf(recent.get(name)) }))
    },

    /** The agents that this server has, and whether each can be called now. */
    available: (): AgentView[] =>
      kinds.map((kind) => {
        const { name, description, capabilities, intents } = kind
        const reason = kind.unavailableReason?.() ?? null
        const view = { name, description, capabilities, intents, available: reason === null }
        return reason === null ? view : { ...view, unavailable_reason: reason }
      }),

    /** The agents and how everyone's calls of them went. */
    async status(): Promise<AgentsStatus> {
      const { completed, failed, total } = await store.countCalls()
      return {
        total_agents: kinds.length,
        active_agents: kinds.filter((kind) => !kind.unavailableReason?.()).map(({ name }) => name),
        total_requests: total,
        success_rate: successRate({ completed, failed }),
      }
    },

    /** How the calls of each agent went: one person's, or everyone's for null. */
    async analytics(userId: string | null): Promise<AgentAnalytics> {
      const all = await store.figures(userId)
      const figures = new Map(all.map((one) => [one.name, one]))
      const names = [...new Set([...figures.keys(), ...byName.keys()])]
      const agents = names.map((name) =>
        presentFigures(name, figures.get(name), Boolean(byName.get(name)?.unavailableReason?.())),
      )
      return { totals: totalsOf(all), agents: agents.sort((a, b) => b.calls - a.calls || a.name.localeCompare(b.name)) }
    },

    /** What a language model may call for a person. */
    tools(userId: string): AgentTool[] {
      const own = kinds.filter((kind) => !kind.unavailableReason?.())
      return [...own, ...(connected?.toolsFor(userId) ?? [])].map(({ tool, name }) => ({ ...tool, agentName: name }))
    },

    /** The tool that a sentence surely asks for; null when it is a matter for conversation. */
    toolFor(text: string, caller: AgentCaller): string | null {
      const { agent } = choose(text, caller)
      return agent === null ? null : (byName.get(agent)?.tool.name ?? null)
    },

    /** The agent's name behind a tool; null when there is none of that name. */
    agentNameOf: (toolName: string): string | null => (byTool.get(toolName) ?? connected?.find(toolName))?.name ?? null,

    /** Whether the person is asked before each call of a tool, whatever else is in the conversation. */
    asksFirst: (toolName: string): boolean => !byTool.has(toolName) && connected?.find(toolName)?.asksFirst === true,

    /** Whether calling a tool with these arguments changes or sends anything. */
    hasSideEffects(toolName: string, argumentsText = ''): boolean {
      const kind = byTool.get(toolName)
      return kind?.hasSideEffects === true && kind.isReadOnly?.(inputOf(argumentsText)) !== true
    },

    /** @throws NotFoundError when there is no agent of that name. */
    requireAgent: (name: string): void => void requireKind(name),

    /**
     * Calls an agent for a person.
     * @throws NotFoundError, TooManyRequestsError, and what the agent throws.
     */
    async run(name: string, input: string, caller: AgentCaller, origin: DirectCallOrigin): Promise<AgentAnswer> {
      const { output, data, durationMs } = await callDirectly(requireKind(name), input, caller, origin)
      return { output, data: withSignedPaths(data, caller.userId), duration_ms: durationMs }
    },

    choose,

    /** Calls the agent that a sentence means; when none is surely meant, says which ones could be. */
    async ask(input: string, caller: AgentCaller, origin: DirectCallOrigin): Promise<AgentAskAnswer> {
      const startedAt = performance.now()
      const { agent, confidence, candidates } = choose(input, caller)
      if (agent === null) {
        const output = unsureText(candidates, caller.language)
        const duration_ms = Math.round(performance.now() - startedAt)
        return { agent, confidence, output, data: null, duration_ms, candidates }
      }
      const { output, data, durationMs } = await callDirectly(requireKind(agent), input, caller, origin)
      const signed = withSignedPaths(data, caller.userId)
      return { agent, confidence, output, data: signed, duration_ms: durationMs, candidates }
    },

    /** A person's own calls of an agent, newest first. @throws NotFoundError, BadRequestError for a strange cursor. */
    async runs(
      userId: string,
      name: string,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ): Promise<AgentRunsAnswer> {
      requireKind(name)
      const rows = await store.findRuns(userId, name, limit + 1, readTimeCursor(cursor))
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      const runs = page.map(presentRun).map((run) => ({ ...run, data: run.data && withSignedPaths(run.data, userId) }))
      return { runs, next_cursor: last ? writeTimeCursor(last) : null }
    },

    /** Removes a call from its caller's history; figures stay. @throws NotFoundError. */
    async deleteRun(userId: string, id: string): Promise<void> {
      if (!(await store.deleteRun(userId, id))) throw new NotFoundError('There is no such call in your history.')
    },

    /** Removes a person's history of an agent; figures stay. @throws NotFoundError. */
    async deleteRuns(userId: string, name: string): Promise<{ deleted: number }> {
      requireKind(name)
      return { deleted: await store.deleteRuns(userId, name) }
    },

    /**
     * Calls a tool as a language model asks for it.
     * @param argumentsText the model's JSON, which may be broken
     * @throws NotFoundError for an unknown tool, BadRequestError for arguments that cannot be read; both are sentences
     *   that the model can act on.
     */
    async callTool(
      toolName: string,
      argumentsText: string,
      caller: AgentCaller,
      /** Null leaves no record of it. */
      origin: ChatCallOrigin | DirectCallOrigin | null,
    ): Promise<Omit<AgentCallResult, 'data'> & { data: Record<string, unknown> }> {
      const kind = byTool.get(toolName)
      const tool = kind === undefined ? connected?.find(toolName) : null
      if (tool) return await track(call(tool, argumentsText, caller, origin))
      if (!kind) {
        const known = [...byTool.keys()].join(', ')
        throw new NotFoundError(`There is no tool "${toolName.slice(0, 80)}". The tools are: ${known}.`)
      }
      return await track(call(kind, readArguments(argumentsText), caller, origin))
    },

    /** Waits until every call has ended and is recorded. */
    async close(): Promise<void> {
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}

/** How a call ended, for its record. */
interface Ending {
  outcome: 'completed' | 'failed' | 'interrupted'
  code: string | null
  output: string
  data: object
}

function endingOf(error: unknown, signal: AbortSignal | undefined): Ending {
  const code = error instanceof AppError ? error.code : 'internal_error'
  if (signal?.aborted) return { outcome: 'interrupted', code, output: '', data: {} }
  const output = error instanceof AppError ? error.message : 'Something went wrong in this agent.'
  return { outcome: 'failed', code, output, data: {} }
}

/** The input in a model's arguments; empty when they cannot be read. */
function inputOf(argumentsText: string): string {
  try {
    return readArguments(argumentsText)
  } catch {
    return ''
  }
}

function readArguments(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BadRequestError('The arguments are not valid JSON. Send an object such as {"input": "15% of 80"}.')
  }
  const result = toolArgumentsSchema.safeParse(value)
  if (!result.success) {
    throw new BadRequestError('The arguments must be an object with the text "input", such as {"input": "15% of 80"}.')
  }
  return result.data.input
}
