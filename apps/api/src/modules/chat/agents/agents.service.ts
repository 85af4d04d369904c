import type {
  AgentAnalytics,
  AgentAskResponse,
  AgentCandidate,
  AgentData,
  AgentResponse,
  AgentRunsResponse,
  AgentsStatus,
  AgentView,
} from '@mira/shared'
import { z } from 'zod'
import { BadRequestError, NotFoundError } from '../../../errors.ts'
import { NO_AGENT } from '../../../offline/intents/intent-classifier.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import type { McpServersService } from '../mcp-servers/mcp-servers.service.ts'
import {
  type AgentCallResult,
  type AgentCallsDeps,
  type ChatCallOrigin,
  createAgentCalls,
  type DirectCallOrigin,
  presentFigures,
  presentFiles,
  presentRun,
  statusOf,
  successRate,
  totalsOf,
  unsureText,
} from './agent-calls.ts'
import type { AgentContext, AgentKind } from './agent-kind.ts'
import type { AgentsStore } from './agents.store.ts'
import type { IntentsService } from './intents.service.ts'
import { parseArguments } from './tool-arguments.ts'

/** Agent chosen for a sentence. */
interface Choice {
  /** Null when none is surely meant. */
  agent: string | null
  /** Confidence in the first candidate, 0 to 1. */
  confidence: number
  /** The surest first. */
  candidates: AgentCandidate[]
}

/** Above this an agent is taken to be meant by a sentence. */
const INTENT_THRESHOLD = 0.8
/** Max. weight of the classifier's guess for an agent that reads the sentence itself (`readsItself`). */
const UNSHARED_CONFIDENCE = 0.75
/** Up to this an agent's own reading gives way to a classifier that surely means no agent: "play a song from 1950". */
const WEAK_READING = 0.85
const SURELY_NONE = 0.8
/** Below this a candidate isn't worth asking about, unless none is above. */
const CANDIDATE_THRESHOLD = 0.2

/** Tool description for a language model. */
interface AgentTool {
  name: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
  /** Displayed name of its agent. */
  agentName: string
  readsMemory: boolean
}

interface AgentsDeps extends AgentCallsDeps {
  kinds: AgentKind[]
  /** Classifier trained on sentences; left out where the agents only read them. */
  intents?: IntentsService
  /** Tools of connected servers, called like agents. */
  mcpServers?: McpServersService
  store: AgentsStore
  /** Signs a file's path for its owner, even one that's signed already. */
  signPath(userId: string, path: string): string
}

const INPUT_MAX_CHARACTERS = 20_000

const toolArgumentsSchema = z.object({ input: z.string().min(1).max(INPUT_MAX_CHARACTERS) })

export type AgentsService = ReturnType<typeof createAgentsService>

/** The instance's agents: lists them, finds the one that is meant, and calls them; every call is recorded. */
export function createAgentsService({ kinds, intents, mcpServers, store, signPath, events, log }: AgentsDeps) {
  const calls = createAgentCalls({ store, events, log })
  const connected = mcpServers?.connected
  const byTool = new Map(kinds.map((kind) => [kind.tool.name, kind]))
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))

  /** All agents with the probability that a sentence is meant for them, the surest first. */
  const rank = (text: string, caller: AgentContext) => {
    const learnt = new Map(intents?.guess(text).map(({ label, probability }) => [label, probability]))
    const guessFor = ({ name, readsItself = false }: AgentKind) => {
      const probability = learnt.get(name) ?? 0
      return readsItself ? Math.min(probability, UNSHARED_CONFIDENCE) : probability
    }
    const isSurelyNone = (learnt.get(NO_AGENT) ?? 0) >= SURELY_NONE
    const readingOf = (kind: AgentKind) => {
      const confidence = kind.confidence(text, caller)
      return isSurelyNone && confidence <= WEAK_READING ? Math.min(confidence, UNSHARED_CONFIDENCE) : confidence
    }
    return kinds
      .map((kind) => ({ kind, confidence: Math.max(readingOf(kind), guessFor(kind)) }))
      .sort((a, b) => b.confidence - a.confidence)
  }

  /** The agent that a sentence is meant for. */
  const choose = (input: string, caller: AgentContext): Choice => {
    const ranked = rank(input, caller)
    const best = ranked[0]
    const confidence = best?.confidence ?? 0
    const likely = ranked.filter((candidate) => candidate.confidence >= CANDIDATE_THRESHOLD)
    const candidates = (likely.length > 0 ? likely : ranked).map((candidate) => ({
      name: candidate.kind.name,
      confidence: candidate.confidence,
      example: candidate.kind.intents[0] ?? '',
    }))
    return { agent: best && confidence >= INTENT_THRESHOLD ? best.kind.name : null, confidence, candidates }
  }

  const hasSideEffects = (toolName: string, argumentsText = ''): boolean => {
    const kind = byTool.get(toolName)
    return kind?.hasSideEffects === true && kind.isReadOnly?.(inputOf(argumentsText)) !== true
  }

  const requireKind = (name: string): AgentKind => {
    const kind = byName.get(name)
    if (!kind) throw new NotFoundError('There is no agent of this name.')
    return kind
  }

  /** Result of an agent, with signed picture addresses. */
  const withSignedPaths = (data: AgentData, userId: string): AgentData =>
    data.kind === 'files' ? presentFiles(data, (path) => signPath(userId, path)) : data

  return {
    /** This server's agents, with the outcomes of everyone's latest calls. */
    async states(): Promise<{ name: string; status: 'active' | 'warning' | 'error' }[]> {
      const recent = new Map((await store.recentOutcomes()).map((one) => [one.name, one]))
      return kinds.map(({ name }) => ({ name, status: statusOf(recent.get(name)) }))
    },

    /** This server's agents and their availability. */
    available: (): AgentView[] =>
      kinds.map((kind) => {
        const { name, description, capabilities, intents } = kind
        const reason = kind.unavailableReason?.() ?? null
        const view = { name, description, capabilities, intents, available: reason === null }
        return reason === null ? view : { ...view, unavailable_reason: reason }
      }),

    /** The agents with everyone's call figures. */
    async status(): Promise<AgentsStatus> {
      const [{ completed, failed, total }, recent] = await Promise.all([store.countCalls(), store.recentOutcomes()])
      const failing = new Set(recent.flatMap((one) => (statusOf(one) === 'error' ? [one.name] : [])))
      return {
        total_agents: kinds.length,
        active_agents: kinds.flatMap(({ name, unavailableReason }) =>
          unavailableReason?.() || failing.has(name) ? [] : [name],
        ),
        total_requests: total,
        success_rate: successRate({ completed, failed }),
      }
    },

    /** Call figures by agent: one user's, or everyone's for null. */
    async analytics(userId: string | null): Promise<AgentAnalytics> {
      const all = await store.figures(userId)
      const figures = new Map(all.map((one) => [one.name, one]))
      const names = [...new Set([...figures.keys(), ...byName.keys()])]
      const agents = names.map((name) =>
        presentFigures(name, figures.get(name), Boolean(byName.get(name)?.unavailableReason?.())),
      )
      return { totals: totalsOf(all), agents: agents.sort((a, b) => b.calls - a.calls || a.name.localeCompare(b.name)) }
    },

    /** Tools that a language model may call for a user. */
    tools(userId: string): AgentTool[] {
      const own = kinds.filter((kind) => !kind.unavailableReason?.())
      const all: Pick<AgentKind, 'tool' | 'name' | 'readsMemory'>[] = [...own, ...(connected?.toolsFor(userId) ?? [])]
      return all.map(({ tool, name, readsMemory = false }) => ({ ...tool, agentName: name, readsMemory }))
    },

    /** The tool that a sentence surely asks for; null when it asks for none. */
    toolFor(text: string, caller: AgentContext): string | null {
      const { agent } = choose(text, caller)
      const kind = agent === null ? undefined : byName.get(agent)
      return kind === undefined || (kind.readsMemory === true && !caller.canSearchMemory) ? null : kind.tool.name
    },

    /** The agent's name behind a tool; null when there is none of that name. */
    agentNameOf: (toolName: string): string | null => (byTool.get(toolName) ?? connected?.find(toolName))?.name ?? null,

    /** True when the user is asked before each call of a tool, regardless of the conversation's content. */
    asksFirst: (toolName: string): boolean => !byTool.has(toolName) && connected?.find(toolName)?.asksFirst === true,

    /** True when a call with these arguments changes or sends anything; for external tools see `asksFirst`. */
    hasSideEffects,

    /**
     * Words of the description of a tool whose arguments reach an outside service; null for a tool that sends nothing out.
     * Every tool of a connected server counts as sending, whatever the server declares.
     */
    outboundWords(toolName: string): string | null {
      const kind = byTool.get(toolName)
      if (kind === undefined) return connected?.find(toolName) == null ? null : ''
      return kind.sendsOut === true ? [kind.description, ...kind.capabilities, ...kind.intents].join(' ') : null
    },

    /**
     * True when a call may change or send anything, even one without approval; external tools count unless declared
     * read-only.
     */
    mayChange: (toolName: string, argumentsText = ''): boolean =>
      byTool.has(toolName) ? hasSideEffects(toolName, argumentsText) : connected?.find(toolName)?.isReadOnly === false,

    /** @throws NotFoundError when there is no agent of that name. */
    requireAgent: (name: string): void => void requireKind(name),

    /**
     * Calls an agent for a user.
     * @throws NotFoundError, TooManyRequestsError, and what the agent throws.
     */
    async run(name: string, input: string, caller: AgentContext, origin: DirectCallOrigin): Promise<AgentResponse> {
      const { output, data, durationMs } = await calls.callDirectly(requireKind(name), input, caller, origin)
      return { output, data: withSignedPaths(data, caller.userId), duration_ms: durationMs }
    },

    choose,

    /** Calls the agent that a sentence means; when none is surely meant, says which ones could be. */
    async ask(input: string, caller: AgentContext, origin: DirectCallOrigin): Promise<AgentAskResponse> {
      const startedAt = performance.now()
      const { agent, confidence, candidates } = choose(input, caller)
      if (agent === null) {
        const output = unsureText(candidates, caller.language)
        const duration_ms = Math.round(performance.now() - startedAt)
        return { agent, confidence, output, data: null, duration_ms, candidates }
      }
      const { output, data, durationMs } = await calls.callDirectly(requireKind(agent), input, caller, origin)
      const signed = withSignedPaths(data, caller.userId)
      return { agent, confidence, output, data: signed, duration_ms: durationMs, candidates }
    },

    /** A user's own calls of an agent, newest first. @throws NotFoundError, BadRequestError for a strange cursor. */
    async runs(userId: string, name: string, { limit, cursor }: PageQuery): Promise<AgentRunsResponse> {
      requireKind(name)
      const rows = await store.findRuns(userId, name, limit + 1, readTimeCursor(cursor))
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      const runs = items.map(presentRun).map((run) => ({ ...run, data: run.data && withSignedPaths(run.data, userId) }))
      return { runs, next_cursor: nextCursor }
    },

    /** Removes a call from its caller's history; figures stay. @throws NotFoundError. */
    async deleteRun(userId: string, id: string): Promise<void> {
      if (!(await store.deleteRun(userId, id))) throw new NotFoundError('There is no such call in your history.')
    },

    /** Removes a user's history of an agent; figures stay. @throws NotFoundError. */
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
      caller: AgentContext,
      /** Null leaves no record of it. */
      origin: ChatCallOrigin | DirectCallOrigin | null,
    ): Promise<Omit<AgentCallResult, 'data'> & { data: Record<string, unknown> }> {
      const kind = byTool.get(toolName)
      const tool = kind === undefined ? connected?.find(toolName) : null
      if (tool) return await calls.call(tool, argumentsText, caller, origin)
      if (!kind) {
        const toolNames = [...byTool.keys()].join(', ')
        throw new NotFoundError(`There is no tool "${toolName.slice(0, 80)}". The tools are: ${toolNames}.`)
      }
      return await calls.call(kind, readArguments(argumentsText), caller, origin)
    },

    /** Waits until every call has ended and is recorded. */
    close: calls.close,
  }
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
  const example = '{"input": "15% of 80"}'
  const result = toolArgumentsSchema.safeParse(parseArguments(text, example))
  if (!result.success) {
    throw new BadRequestError(`The arguments must be an object with the text "input", such as ${example}.`)
  }
  return result.data.input
}
