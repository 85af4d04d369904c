import type { AgentsStatus, AgentView } from '@mira/shared'
import { z } from 'zod'
import { AppError, BadRequestError, NotFoundError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { AgentCaller, AgentKind, AgentResult } from './agent-kind.ts'
import type { AgentsStore } from './agents.store.ts'

/** A tool as a language model is told of it. */
export interface AgentTool {
  name: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
  /** Name of the agent behind it, for people. */
  agentName: string
}

/** Where a call came from, for the record. */
export interface AgentCallOrigin {
  /** The conversation that it was made in. */
  sessionId?: string
  messageId?: string
  inAnalytics: boolean
}

export interface AgentCallResult extends AgentResult {
  durationMs: number
}

interface AgentsDeps {
  kinds: AgentKind[]
  store: AgentsStore
  log: Log
}

/** Above this an agent is taken to be meant by a sentence. */
const INTENT_THRESHOLD = 0.8
const INPUT_MAX_CHARACTERS = 20_000

const toolArgumentsSchema = z.object({ input: z.string().min(1).max(INPUT_MAX_CHARACTERS) })

export type AgentsService = ReturnType<typeof createAgentsService>

/** The agents of this instance: which there are, which one is meant, and calling them; every call is recorded. */
export function createAgentsService({ kinds, store, log }: AgentsDeps) {
  const byTool = new Map(kinds.map((kind) => [kind.tool.name, kind]))
  /** Calls and their records that have not come to their end. */
  const pending = new Set<Promise<unknown>>()
  const track = <Result>(promise: Promise<Result>): Promise<Result> => {
    pending.add(promise)
    const forget = () => void pending.delete(promise)
    promise.then(forget, forget)
    return promise
  }

  const call = async (kind: AgentKind, input: string, caller: AgentCaller, origin: AgentCallOrigin) => {
    const startedAt = performance.now()
    let outcome: 'completed' | 'failed' | 'interrupted' = 'failed'
    let code: string | null = null
    try {
      const result = await kind.run(input, caller)
      outcome = 'completed'
      return { ...result, durationMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      if (caller.signal?.aborted) outcome = 'interrupted'
      code = error instanceof AppError ? error.code : 'internal_error'
      throw error
    } finally {
      const durationMs = Math.round(performance.now() - startedAt)
      // the answer does not wait for its record, and is not lost with it
      const recorded = store.record({
        userId: caller.userId,
        kind: 'agent',
        outcome,
        ...(origin.sessionId ? { subjectId: origin.sessionId } : {}),
        ...(origin.messageId ? { detailId: origin.messageId } : {}),
        durationMs,
        detail: { action: 'called', agent: kind.name, code },
        inAnalytics: origin.inAnalytics,
      })
      void track(
        recorded.catch((error: unknown) =>
          log.error({ err: error, agent: kind.name }, 'an agent call could not be recorded'),
        ),
      )
    }
  }

  return {
    /** How many agents this server has. */
    count: () => kinds.length,

    /** The agents that this server has; all of them can be called. */
    available: (): AgentView[] =>
      kinds.map(({ name, description, capabilities, intents }) => ({
        ...{ name, description, capabilities, intents },
        available: true,
      })),

    /** The agents and how everyone's calls of them went. */
    async status(): Promise<AgentsStatus> {
      const { completed, failed, total } = await store.countCalls()
      return {
        total_agents: kinds.length,
        active_agents: kinds.map(({ name }) => name),
        total_requests: total,
        success_rate: completed + failed === 0 ? null : Math.round((1000 * completed) / (completed + failed)) / 10,
      }
    },

    /** What a language model may call. */
    tools(): AgentTool[] {
      return kinds.map((kind) => ({ ...kind.tool, agentName: kind.name }))
    },

    /** The tool that a sentence surely asks for; null when it is a matter for conversation. */
    toolFor(text: string, caller: AgentCaller): string | null {
      const rated = kinds.map((kind) => ({ kind, confidence: kind.confidence(text, caller) }))
      const best = rated.sort((a, b) => b.confidence - a.confidence)[0]
      return best && best.confidence >= INTENT_THRESHOLD ? best.kind.tool.name : null
    },

    /** The agent's name behind a tool; null when there is none of that name. */
    agentNameOf: (toolName: string): string | null => byTool.get(toolName)?.name ?? null,

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
      origin: AgentCallOrigin,
    ): Promise<AgentCallResult> {
      const kind = byTool.get(toolName)
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
