import type { AgentData, Language } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import type { RequestContext } from '../../../offline/requests/reading.ts'
import type { Sentence } from '../../../sentences.ts'

const MINUTE_MS = 60_000

/** Relative age in a language, such as "3 hours ago". */
export function ageOf(time: Date, now: Date, language: Language): string {
  const minutes = Math.max(0, Math.round((now.getTime() - time.getTime()) / MINUTE_MS))
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always' })
  if (minutes < 60) return format.format(-minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? format.format(-hours, 'hour') : format.format(-Math.round(hours / 24), 'day')
}

/** The caller of an agent and the context of the call. */
export interface AgentContext extends RequestContext, Pick<Caller, 'userId' | 'canSearchMemory' | 'canReadStored'> {
  /** Ids of the items that the agent is limited to; undefined for the entire memory. */
  items?: string[] | undefined
  signal?: AbortSignal | undefined
  /** Reports progress, in the caller's language; never awaited. */
  progress?: ((text: string) => void) | undefined
}

export interface AgentResult {
  /** Markdown in the user's language. */
  output: string
  /** Result in one short line, for the card of the call. */
  summary: string
  /** Structured result, for programs and for rendering. */
  data: AgentData
  /** True when the result has third-party text (from the web or files), which a model must treat as data, never as instructions. */
  quotesOthers?: boolean
}

/** An agent: its description, its recognition of requests, and its work. */
export interface AgentKind {
  /** One of `agentNames`. */
  name: string
  description: string
  capabilities: string[]
  /** Example commands; the first three are shown on its card. */
  intents: string[]
  /** Function definition for language models: `parameters` is the JSON Schema of an object. */
  tool: { name: string; description: string; parameters: Record<string, unknown> }
  /** True when it changes or sends anything; third-party text can never cause such a call. */
  hasSideEffects: boolean
  /** True when it reads the memory: its tool is only offered to users who may search it. */
  readsMemory?: boolean
  /** True when parts of its input reach an outside service, which counts as a side effect. Default: false. */
  sendsOut?: boolean
  /** True when this input changes nothing, for an agent with side effects; undefined if every call may change something. */
  isReadOnly?(input: string): boolean
  /** Reason shown to the user while it's unavailable; null when available. Undefined for agents that are always available. */
  unavailableReason?(): Sentence | null
  /** True when the classifier alone can't choose this agent: it must be able to parse the sentence itself. */
  requiresParsing?: boolean
  /** Confidence that a sentence is meant for this agent, 0 to 1. */
  confidence(text: string, caller: RequestContext): number
  /**
   * Answers a sentence or an expression.
   * @throws BadRequestError when it can't be understood, UnavailableError when a source is unreachable
   */
  run(input: string, caller: AgentContext): Promise<AgentResult>
}
