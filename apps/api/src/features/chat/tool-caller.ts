import type { AgentCall } from '@mira/shared'
import type { Question, Tool, ToolResult } from '../../adapters/ai/engine.ts'
import type { Language } from '../../adapters/ai/language.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** Who an agent is called for. */
export interface AgentCaller {
  userId: string
  language: Language
  /** IANA name. */
  timeZone: string
  now: Date
  signal?: AbortSignal | undefined
}

/** Where a call comes from, for its record. */
export interface CallOrigin {
  sessionId: string
  messageId: string
  inAnalytics: boolean
}

/** The agents as chat calls them. */
export interface ChatAgents {
  tools(): Tool[]
  /** The tool that a sentence surely asks for. */
  toolFor(text: string, caller: AgentCaller): string | null
  /** The agent behind a tool; null when there is no such tool. */
  agentNameOf(toolName: string): string | null
  /** Whether calling a tool changes or sends anything. */
  hasSideEffects(toolName: string, argumentsText: string): boolean
  /** Throws an AppError whose sentence says to a model, and to a person, what is wrong. */
  callTool(
    toolName: string,
    argumentsText: string,
    caller: AgentCaller,
    origin: CallOrigin,
  ): Promise<{ output: string; summary: string; data: Record<string, unknown>; quotesOthers?: boolean | undefined }>
}

export interface ToolCallerDeps {
  agents: ChatAgents
  caller: Omit<AgentCaller, 'now' | 'signal'>
  origin: CallOrigin
  /** An id that no other call has. */
  newId(): string
  /**
   * Whether the engine reads words that others wrote, such as those of files: they may ask for a tool in the person's
   * name, so tools that change or send anything wait for the person then.
   */
  hasOutsideText(): boolean
  /** Tells those who follow the answer how a call goes. */
  tell(call: AgentCall): void
  log: Log
}

const LONGEST_SHOWN_ARGUMENTS_CHARACTERS = 2000
export const LONGEST_SUMMARY_CHARACTERS = 300
/** Told to a model; the person sees a card with two buttons. */
const WAITS =
  'Not done yet: it changes something, and words of files or of the web are in this conversation. The person has been asked to allow it with a click. Say so in one sentence, and do not call it again.'
const TOO_LONG_TO_ASK = 'This was not done: its arguments are too long for the person to judge them.'

/** What an engine may call for one answer. */
export type AnswerToolbox = Pick<Question, 'tools' | 'toolFor' | 'callTool'>

/** For those who may use no agents. */
export const noTools: AnswerToolbox = {
  tools: [],
  toolFor: () => null,
  callTool: async () => ({ isError: true, text: 'There are no tools.' }),
}

/** Lets an engine call agents for one answer; each call is told as it begins and as it ends. */
export function createToolCaller({
  agents,
  caller,
  origin,
  newId,
  hasOutsideText,
  tell,
  log,
}: ToolCallerDeps): AnswerToolbox {
  let count = 0
  /** What was called for this answer has brought in words of others. */
  let hasBroughtOutsideText = false

  const call = async (name: string, argumentsText: string, signal: AbortSignal): Promise<ToolResult> => {
    const agent = agents.agentNameOf(name)
    if (agents.hasSideEffects(name, argumentsText) && (hasOutsideText() || hasBroughtOutsideText)) {
      if (argumentsText.length > LONGEST_SHOWN_ARGUMENTS_CHARACTERS) return { isError: true, text: TOO_LONG_TO_ASK }
      tell({ call_id: newId(), name: agent ?? name, state: 'waiting', arguments: shownArguments(argumentsText) })
      return { isError: true, isWaiting: true, text: WAITS }
    }
    const startedAt = performance.now()
    // A model's own ids need not be unique within an answer.
    const call_id = `call-${++count}`
    const tellEnd = (state: 'finished' | 'failed', summary?: string, more: Partial<AgentCall> = {}) => {
      if (agent === null) return
      const duration_ms = Math.round(performance.now() - startedAt)
      const told = summary === undefined ? {} : { summary: summary.slice(0, LONGEST_SUMMARY_CHARACTERS) }
      tell({ call_id, name: agent, state, ...told, ...more, duration_ms })
    }
    if (agent !== null) tell({ call_id, name: agent, state: 'started', arguments: shownArguments(argumentsText) })
    try {
      const calling = agents.callTool(name, argumentsText, { ...caller, now: new Date(), signal }, origin)
      const { output, summary, data, quotesOthers } = await orAborted(calling, signal)
      hasBroughtOutsideText ||= quotesOthers === true
      tellEnd('finished', summary, quotesOthers ? { quotes_others: true } : {})
      return { isError: false, text: output, data, quotesOthers }
    } catch (error) {
      if (signal.aborted) {
        tellEnd('failed')
        return { isError: true, text: 'This was stopped.' }
      }
      if (!(error instanceof AppError)) log.error({ err: error, agent: agent ?? name }, 'an agent failed')
      const reason = error instanceof AppError ? error.message : 'Something went wrong in this agent.'
      tellEnd('failed', reason)
      return { isError: true, text: reason }
    }
  }

  return {
    tools: agents.tools().map(({ name, description, parameters }) => ({ name, description, parameters })),
    toolFor: (text) => agents.toolFor(text, { ...caller, now: new Date() }),
    callTool: call,
  }
}

/** What is waited for, or a rejection as soon as the signal is aborted: not every agent notices it at once. */
async function orAborted<Result>(waited: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error('stopped'))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([waited, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Arguments as they are shown: an object, or the text of what is none or is too long to keep. */
function shownArguments(text: string): unknown {
  if (text.length > LONGEST_SHOWN_ARGUMENTS_CHARACTERS) return `${text.slice(0, LONGEST_SHOWN_ARGUMENTS_CHARACTERS)}…`
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
