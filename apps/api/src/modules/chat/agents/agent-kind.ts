import type { AgentData, Language } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import type { RequestContext } from '../../../offline/requests/reading.ts'

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
  /** Ids of the only items of the memory that are looked at; undefined for all. */
  items?: string[] | undefined
  signal?: AbortSignal | undefined
  /** Reports progress, in the caller's language; never awaited. */
  progress?: ((text: string) => void) | undefined
}

export interface AgentResult {
  /** Markdown for a user, in their language. */
  output: string
  /** One short line, for the card of the call. */
  summary: string
  /** The same for a program. */
  data: AgentData
  /** True when it contains third-party text (from the web or files): data for a model, never instructions. */
  quotesOthers?: boolean
}

/** One agent: how it presents itself, how it knows that it is meant, and what it does. */
export interface AgentKind {
  /** One of `agentNames`. */
  name: string
  description: string
  capabilities: string[]
  /** Example commands; the first three are shown on its card. */
  intents: string[]
  /** Function definition for language models: `parameters` is the JSON Schema of an object. */
  tool: { name: string; description: string; parameters: Record<string, unknown> }
  /** True when it changes or sends anything; such an agent is never called because third-party text says so. */
  hasSideEffects: boolean
  /** It answers from the memory, so only those who may search it are offered its tool. */
  readsMemory?: boolean
  /** Parts of its input reach an outside service, which counts as an effect. Default: false. */
  sendsOut?: boolean
  /** For an agent with side effects: whether this input changes nothing. Left out where every call may change something. */
  isReadOnly?(input: string): boolean
  /** Reason why it's unavailable, shown to the user; null when available. Left out by agents that always are. */
  unavailableReason?(): string | null
  /** True when only sentences that it can read itself mean it surely, whatever else they sound like. */
  readsItself?: boolean
  /** Confidence that a sentence is meant for this agent, 0 to 1. */
  confidence(text: string, caller: RequestContext): number
  /**
   * Answers a sentence or an expression.
   * @throws BadRequestError when it cannot be understood, UnavailableError when a source is not there.
   */
  run(input: string, caller: AgentContext): Promise<AgentResult>
}
