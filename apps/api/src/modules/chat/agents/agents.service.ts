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
import { cutText } from '@mira/shared/constants/cut-text'
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
  /** Null when the confidence is too low to call one. */
  agent: string | null
  /** Confidence in the first candidate, 0 to 1. */
  confidence: number
  /** Most confident first. */
  candidates: AgentCandidate[]
}

/** Minimum confidence for calling an agent without asking the user which one is meant. */
const INTENT_THRESHOLD = 0.8
/**
 * Maximum confidence, too low for a call, when the classifier and the parsing disagree: the classifier chooses an agent that
 * must parse the sentence itself (`requiresParsing`), or an agent parses a sentence that the classifier is sure is for no agent.
 */
const MAX_DISPUTED_CONFIDENCE = 0.75
/** Up to this confidence, a classifier that is sure of no agent overrules an agent's parsing, as of "play a song from 1950". */
const MAX_WEAK_CONFIDENCE = 0.85
/** Minimum probability with which the classifier is sure that a sentence is for no agent. */
const NO_AGENT_THRESHOLD = 0.8
/** Minimum confidence of a candidate; when no agent has it, all are candidates. */
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
  /** Trained classifier; without it, the agents' own parsing decides alone. */
  intents?: IntentsService
  /** Tools of connected servers, called like agents. */
  mcpServers?: McpServersService
  store: AgentsStore
  /** Signs a file's path for its owner; replaces an existing signature. */
  signPath(userId: string, path: string): string
}

const MAX_INPUT_CHARACTERS = 20_000

const toolArgumentsSchema = z.object({ input: z.string().min(1).max(MAX_INPUT_CHARACTERS) })

export type AgentsService = ReturnType<typeof createAgentsService>

/** The server's agents: lists them, recognises the intended one, and calls them; every call is recorded. */
export function createAgentsService({ kinds, intents, mcpServers, store, signPath, events, log }: AgentsDeps) {
  const calls = createAgentCalls({ store, events, log })
  const connectedTools = mcpServers?.connected
  const byTool = new Map(kinds.map((kind) => [kind.tool.name, kind]))
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))

  /** All agents with the confidence that a sentence is meant for them, most confident first. */
  const rank = (text: string, caller: AgentContext) => {
    const guesses = new Map(intents?.guess(text).map(({ label, probability }) => [label, probability]))
    const guessFor = ({ name, requiresParsing = false }: AgentKind) => {
      const probability = guesses.get(name) ?? 0
      return requiresParsing ? Math.min(probability, MAX_DISPUTED_CONFIDENCE) : probability
    }
    const isSurelyForNoAgent = (guesses.get(NO_AGENT) ?? 0) >= NO_AGENT_THRESHOLD
    const parsingOf = (kind: AgentKind) => {
      const confidence = kind.confidence(text, caller)
      return isSurelyForNoAgent && confidence <= MAX_WEAK_CONFIDENCE
        ? Math.min(confidence, MAX_DISPUTED_CONFIDENCE)
        : confidence
    }
    return (
      kinds
        .map((kind) => ({ kind, confidence: Math.max(parsingOf(kind), guessFor(kind)) }))
        // On a tie, the command wins: "remind me how …" is addressed to the agent that acts.
        .sort((a, b) => b.confidence - a.confidence || Number(b.kind.hasSideEffects) - Number(a.kind.hasSideEffects))
    )
  }

  /** Chooses the agent that a sentence is meant for. */
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
    if (!kind) throw new NotFoundError('No agent has this name.')
    return kind
  }

  /** Result of an agent with signed thumbnail URLs. */
  const withSignedPaths = (data: AgentData, userId: string): AgentData =>
    data.kind === 'files' ? presentFiles(data, (path) => signPath(userId, path)) : data

  return {
    /** The server's agents, each with a status from the latest calls of all users. */
    async states(): Promise<{ name: string; status: 'active' | 'warning' | 'error' }[]> {
      const recent = new Map((await store.recentOutcomes()).map((agent) => [agent.name, agent]))
      return kinds.map(({ name }) => ({ name, status: statusOf(recent.get(name)) }))
    },

    /** The server's agents and their availability. */
    available: (): AgentView[] =>
      kinds.map((kind) => {
        const { name, description, capabilities, intents } = kind
        const reason = kind.unavailableReason?.() ?? null
        const view = { name, description, capabilities, intents, available: reason === null }
        return reason === null ? view : { ...view, unavailable_reason: reason.text, unavailable_told: reason.sentences }
      }),

    /** Numbers of all agents and of active ones, and figures of all users' calls. */
    async status(): Promise<AgentsStatus> {
      const [{ completed, failed, total }, recent] = await Promise.all([store.countCalls(), store.recentOutcomes()])
      const failing = new Set(recent.flatMap((agent) => (statusOf(agent) === 'error' ? [agent.name] : [])))
      return {
        total_agents: kinds.length,
        active_agents: kinds.flatMap(({ name, unavailableReason }) =>
          unavailableReason?.() || failing.has(name) ? [] : [name],
        ),
        total_requests: total,
        success_rate: successRate({ completed, failed }),
      }
    },

    /** Call figures by agent. @param userId null for the calls of all users */
    async analytics(userId: string | null): Promise<AgentAnalytics> {
      const all = await store.figures(userId)
      const figures = new Map(all.map((agent) => [agent.name, agent]))
      const names = [...new Set([...figures.keys(), ...byName.keys()])]
      const agents = names.map((name) =>
        presentFigures(name, figures.get(name), Boolean(byName.get(name)?.unavailableReason?.())),
      )
      return { totals: totalsOf(all), agents: agents.sort((a, b) => b.calls - a.calls || a.name.localeCompare(b.name)) }
    },

    /** Tools that a language model may call for a user. */
    tools(userId: string): AgentTool[] {
      const availableKinds = kinds.filter((kind) => !kind.unavailableReason?.())
      const all: Pick<AgentKind, 'tool' | 'name' | 'readsMemory'>[] = [
        ...availableKinds,
        ...(connectedTools?.toolsFor(userId) ?? []),
      ]
      return all.map(({ tool, name, readsMemory = false }) => ({ ...tool, agentName: name, readsMemory }))
    },

    /** Tool of the agent that a sentence is clearly meant for; null when there is none or the caller may not use it. */
    toolFor(text: string, caller: AgentContext): string | null {
      const { agent } = choose(text, caller)
      const kind = agent === null ? undefined : byName.get(agent)
      return kind === undefined || (kind.readsMemory === true && !caller.canSearchMemory) ? null : kind.tool.name
    },

    /** Displayed name of the agent or connected tool behind a tool name; null when unknown. */
    agentNameOf: (toolName: string): string | null =>
      (byTool.get(toolName) ?? connectedTools?.find(toolName))?.name ?? null,

    /** True when the user is asked before each call of a tool, regardless of the conversation's content. */
    asksFirst: (toolName: string): boolean =>
      !byTool.has(toolName) && connectedTools?.find(toolName)?.asksFirst === true,

    /** True when a call with these arguments changes or sends anything; false for connected tools, see `asksFirst`. */
    hasSideEffects,

    /**
     * Mira's own text about a tool whose arguments reach an outside service; words of that text may be sent. Empty for the tools
     * of connected servers, which all count as sending, regardless of what the server declares; null for a tool that sends nothing.
     */
    outboundWords(toolName: string): string | null {
      const kind = byTool.get(toolName)
      if (kind === undefined) return connectedTools?.find(toolName) == null ? null : ''
      return kind.sendsOut === true ? [kind.description, ...kind.capabilities, ...kind.intents].join(' ') : null
    },

    /**
     * True when a call may change or send anything, even one that needs no approval; connected tools count unless declared
     * read-only.
     */
    mayChange: (toolName: string, argumentsText = ''): boolean =>
      byTool.has(toolName)
        ? hasSideEffects(toolName, argumentsText)
        : connectedTools?.find(toolName)?.isReadOnly === false,

    /** @throws NotFoundError for an unknown name */
    requireAgent: (name: string): void => void requireKind(name),

    /**
     * Calls an agent for a user.
     * @throws NotFoundError, TooManyRequestsError, and the agent's own errors
     */
    async run(name: string, input: string, caller: AgentContext, origin: DirectCallOrigin): Promise<AgentResponse> {
      const { output, data, durationMs } = await calls.callDirectly(requireKind(name), input, caller, origin)
      return { output, data: withSignedPaths(data, caller.userId), duration_ms: durationMs }
    },

    choose,

    /** Calls the agent that a sentence is meant for; when unsure, calls none and returns the candidates. */
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

    /** A user's own calls of an agent, newest first. @throws NotFoundError, BadRequestError for an invalid cursor */
    async runs(userId: string, name: string, { limit, cursor }: PageQuery): Promise<AgentRunsResponse> {
      requireKind(name)
      const rows = await store.findRuns(userId, name, limit + 1, readTimeCursor(cursor))
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      const runs = items.map(presentRun).map((run) => ({ ...run, data: run.data && withSignedPaths(run.data, userId) }))
      return { runs, next_cursor: nextCursor }
    },

    /** Deletes a call from its caller's history; the figures stay. @throws NotFoundError */
    async deleteRun(userId: string, id: string): Promise<void> {
      if (!(await store.deleteRun(userId, id))) throw new NotFoundError('This call isn’t in your history.')
    },

    /** Deletes a user's history of an agent; the figures stay. @throws NotFoundError */
    async deleteRuns(userId: string, name: string): Promise<{ deleted: number }> {
      requireKind(name)
      return { deleted: await store.deleteRuns(userId, name) }
    },

    /**
     * Calls a tool on behalf of a language model.
     * @param argumentsText the model's JSON, which may be invalid
     * @throws NotFoundError for an unknown tool, BadRequestError for unreadable arguments; the model can act on both messages
     */
    async callTool(
      toolName: string,
      argumentsText: string,
      caller: AgentContext,
      /** Null for a call that isn't recorded. */
      origin: ChatCallOrigin | DirectCallOrigin | null,
    ): Promise<Omit<AgentCallResult, 'data'> & { data: Record<string, unknown> }> {
      const kind = byTool.get(toolName)
      const tool = kind === undefined ? connectedTools?.find(toolName) : null
      if (tool) return await calls.call(tool, argumentsText, caller, origin)
      if (!kind) {
        const toolNames = [...byTool.keys()].join(', ')
        throw new NotFoundError(`There is no tool "${cutText(toolName, 80)}". The tools are: ${toolNames}.`)
      }
      return await calls.call(kind, readArguments(argumentsText), caller, origin)
    },

    /** Waits until every call has ended and is recorded. */
    close: calls.close,
  }
}

/** Input in a model's arguments; empty when they're unreadable. */
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
