import type { AgentData, Language } from '@mira/shared'

/** Languages that agents understand and answer in, as far as each reaches. */
export type AgentLanguage = Language

/** Who asks an agent, and from where. */
export interface AgentCaller {
  userId: string
  language: AgentLanguage
  /** IANA zone: what "today" is. */
  timeZone: string
  /** Ids of the only items of the memory that are looked at; undefined for all. */
  items?: string[] | undefined
  now: Date
  signal?: AbortSignal | undefined
  /** Tells what is being done now, in the caller's language; calling it is never waited for. */
  progress?: ((text: string) => void) | undefined
}

/** What an agent found. */
export interface AgentResult {
  /** Markdown for a person, in their language. */
  output: string
  /** One short line, for the card of the call. */
  summary: string
  /** The same for a program. */
  data: AgentData
  /** Whether words that others wrote are in it (of the web, of files): data for a model, which orders nothing. */
  quotesOthers?: boolean
}

/** A tool of a server of others that administrators connected, as models call it beside the agents. */
export interface ConnectedTool extends Pick<AgentKind, 'name' | 'tool'> {
  /** Whether the person is asked before each call, whatever else is in the conversation. */
  asksFirst: boolean
  /** Whether its server says that it changes nothing. */
  isReadOnly: boolean
  /** Calls it with a model's JSON; throws as agents do. */
  run(
    argumentsText: string,
    caller: AgentCaller,
  ): Promise<Omit<AgentResult, 'data'> & { data: Record<string, unknown> }>
}

/** One agent: how it presents itself, how it knows that it is meant, and what it does. */
export interface AgentKind {
  /** One of `agentNames`. */
  name: string
  description: string
  capabilities: string[]
  /** Example commands; the first three are shown on its card. */
  intents: string[]
  /** How a language model calls it: the JSON Schema of its arguments, an object. */
  tool: { name: string; description: string; parameters: Record<string, unknown> }
  /** Whether it changes or sends anything; such an agent is never called on the word of a text that others wrote. */
  hasSideEffects: boolean
  /** Parts of its input reach an outside service, which counts as an effect. Default: false. */
  sendsOut?: boolean
  /** For an agent with side effects: whether this input changes nothing. Left out where every call may change something. */
  isReadOnly?(input: string): boolean
  /** Why it cannot be called now, for a person; null when it can. Left out by an agent that always can. */
  unavailableReason?(): string | null
  /** True when only sentences that it can read itself mean it surely, whatever else they sound like. */
  readsItself?: boolean
  /** Whether a sentence asks for this agent, 0 (no) to 1 (surely). */
  confidence(text: string, caller: Pick<AgentCaller, 'language' | 'timeZone' | 'now'>): number
  /**
   * Answers a sentence or an expression.
   * @throws BadRequestError when it cannot be understood, UnavailableError when a source is not there.
   */
  run(input: string, caller: AgentCaller): Promise<AgentResult>
}
