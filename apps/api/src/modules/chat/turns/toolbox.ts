import { type AgentCall, agentNames, REMEMBER, SEARCH_MEMORY, SEARCH_WEB } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Passage, Question, Tool, ToolResult } from '../../../engines/chat-engine.ts'
import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { forUsers } from '../../../sentences.ts'
import type { AgentContext } from '../agents/agent-kind.ts'
import type { AgentsService } from '../agents/agents.service.ts'
import type { RecordedCall } from '../conversations/links.ts'
import { sendsOnlyKnownWords } from './outbound-words.ts'
import { factToRemember, readProposedFact } from './remember-tool.ts'

/** Origin of a call, for its record: an answer in a conversation, or a program. */
export type CallOrigin =
  | { sessionId: string; messageId: string; countsInAnalytics: boolean }
  | { from: 'api'; countsInAnalytics: boolean }

/** The part of the agents that answers use. */
export type ChatAgents = Pick<
  AgentsService,
  'tools' | 'toolFor' | 'agentNameOf' | 'hasSideEffects' | 'mayChange' | 'outboundWords' | 'asksFirst' | 'callTool'
>

/** Result of a call. */
export interface CallResult {
  /** Text for the model; shown to the user when there is no model. */
  output: string
  /** One line, shown to the user. */
  summary: string
  data?: Record<string, unknown> | undefined
  quotesOthers?: boolean | undefined
  /** Passages that the answer may cite. */
  passages?: Passage[] | undefined
  /** Number of passages. */
  passageCount?: number | undefined
}

/** A built-in tool. `isUntrusted`: others may have chosen the arguments, or may learn facts about the user from them. */
export type OwnTool = (
  argumentsText: string,
  options: { signal: AbortSignal; isUntrusted: boolean },
) => Promise<CallResult>

interface ToolboxOptions {
  /** Tools offered to the engine; calls of other tools are refused. */
  tools: Tool[]
  /** Null for users without access to agents. */
  agents: ChatAgents | null
  /** Searches the user's memory; null for users without access to it. */
  searchMemory: ((argumentsText: string) => Promise<CallResult>) | null
  /** Built-in tools of answers by name, limited to those offered to the engine. */
  own: Readonly<Record<string, OwnTool>>
  caller: Omit<AgentContext, 'now' | 'signal'>
  /** Null for calls that aren't recorded. */
  origin: CallOrigin | null
  /** Names of the only tools that may be used; undefined for all. */
  allowed?: string[] | undefined
  /** Names of the tools that the message requests; undefined for none. */
  requestedTools?: string[] | undefined
  /**
   * True when the engine reads text by others, such as files. That text may request tools in the user's name, so tools that
   * change or send something wait for the user's approval.
   */
  hasOutsideText: boolean
  /** True when the engine knows facts about the user, which a connected tool's description could request. */
  hasFacts: boolean
  /** The user's own messages in the conversation, whose words may be sent out. */
  userTexts: string[]
  /** Names of calls that the user allowed in this conversation; they may send out any words. */
  allowedCalls: ReadonlySet<string>
  /** True when the user can approve a waiting call in the web app. */
  canAskUser: boolean
  /** True when facts about the user may be proposed; each waits for their consent. */
  canRemember: boolean
  /** Emits the state of a call to the answer's readers. */
  emit(call: AgentCall): void
  log: Log
}

/** Maximum facts that one answer may propose. */
const MAX_PROPOSALS = 3
const MAX_SHOWN_ARGUMENTS_CHARACTERS = 2000
export const MAX_SUMMARY_CHARACTERS = 300
/** Tool results for the model; the user sees a card with two buttons. */
const WAITS =
  'Not done yet: it changes something, and words of files or of the web are in this conversation. The person has been asked to allow it with a click. Say so in one sentence, and do not call it again.'
const ASKS_FIRST =
  'Not done yet: the person has been asked to allow this tool with a click. Say so in one sentence, and do not call it again.'
const ASKS_TO_SEND =
  'Not done yet: text of files or of the web is in this conversation, and the tool would send words to an outside service. The person has been asked to allow it with a click. Say so in one sentence, and do not call it again.'
const ASKED_TO_REMEMBER =
  'Not kept yet: the person has been asked whether to remember this, with a click. Say nothing more about it than that, and do not call it again for the same.'
const TOO_MANY_PROPOSALS = 'Enough was proposed for one answer.'
const NOBODY_TO_ASK =
  'This was not done: it changes something, words of files or of the web are in this conversation, and the person cannot be asked here. They can do it in the web app.'
const NOBODY_ASKED_FIRST =
  'This was not done: this tool asks the person first, and they cannot be asked here. They can do it in the web app.'
const NOBODY_TO_ASK_TO_SEND =
  'This was not done: text of files or of the web is in this conversation, and the tool would send words to an outside service. That takes a click, and the person can only be asked in the web app. Call it with nothing but words that the person wrote, or go on without it and tell them to ask in the web app.'
const TOO_LONG_TO_ASK = 'This was not done: its arguments are too long for the person to judge them.'

/** Tools of one answer. */
export type AnswerToolbox = Pick<Question, 'tools' | 'toolFor' | 'callTool'>

const noTool = (name: string): ToolResult => ({ isError: true, text: `There is no tool "${cutText(name, 80)}".` })

/** Tools of one answer; each call emits an event when it begins and when it ends. */
export function createToolbox(options: ToolboxOptions): AnswerToolbox {
  const { tools, agents, searchMemory, own, caller, origin, hasOutsideText, canAskUser, canRemember } = options
  const { emit, log, allowed } = options
  const mayCall = (tool: string) => allowed === undefined || allowed.includes(agents?.agentNameOf(tool) ?? '')
  let count = 0
  /** True once a call for this answer has returned text by others. */
  let hasFetchedOutsideText = false
  let { hasFacts } = options
  const proposedFacts = new Set<string>()

  /** Runs a call, with events under `name` unless it's null. `isRefused`: the call has done nothing. */
  const runCall = async (
    name: string | null,
    argumentsText: string,
    signal: AbortSignal,
    call: () => Promise<CallResult>,
  ): Promise<ToolResult & { isRefused?: boolean }> => {
    const startedAt = performance.now()
    // A model's own ids need not be unique within an answer.
    const call_id = `call-${++count}`
    const emitEnd = (state: 'finished' | 'failed', summary?: string, more: Partial<RecordedCall> = {}) => {
      if (name === null) return
      const duration_ms = Math.round(performance.now() - startedAt)
      const shortSummary = summary === undefined ? {} : { summary: cutText(summary, MAX_SUMMARY_CHARACTERS) }
      emit({ call_id, name, state, ...shortSummary, ...more, duration_ms })
    }
    if (name !== null) emit({ call_id, name, state: 'started', arguments: shownArguments(argumentsText) })
    try {
      const { output, summary, data, quotesOthers, passages, passageCount } = await unlessAborted(call(), signal)
      hasFetchedOutsideText ||= quotesOthers === true
      hasFacts ||= data?.kind === 'reminders'
      emitEnd('finished', summary, {
        ...(quotesOthers ? { quotes_others: true } : {}),
        ...(passageCount === undefined ? {} : { found: passageCount }),
      })
      return { isError: false, text: output, data, quotesOthers, passages }
    } catch (error) {
      if (signal.aborted) {
        emitEnd('failed')
        return { isError: true, text: 'This was stopped.' }
      }
      if (!(error instanceof AppError)) log.error({ err: error, agent: name }, 'an agent failed')
      const reason =
        error instanceof AppError ? sentenceOf(error) : { text: 'Something went wrong in this agent.', sentences: [] }
      // An error may quote the server that it comes from.
      hasFetchedOutsideText = true
      emitEnd('failed', reason.text, {
        quotes_others: true,
        ...(reason.sentences.length > 0 && { summary_told: reason.sentences }),
      })
      // Without details for administrators, since a model repeats what it reads.
      return {
        isError: true,
        isRefused: error instanceof AppError && error.status < 500,
        text: forUsers(reason).text,
      }
    }
  }

  const isUntrusted = () => hasOutsideText || hasFetchedOutsideText
  /** True when sending these arguments outside needs approval, because third-party text may have chosen the words. */
  const mustAskToSend = (name: string, argumentsText: string, ownWords: string | null): boolean =>
    ownWords !== null &&
    (isUntrusted() || (hasFacts && !isAgent(name))) &&
    !options.allowedCalls.has(name) &&
    !sendsOnlyKnownWords(argumentsText, options.userTexts, ownWords)
  /** Asks the user for approval in the web app. */
  const ask = (call: Pick<AgentCall, 'name' | 'sends_out'>, argumentsText: string, text: string): ToolResult => {
    if (argumentsText.length > MAX_SHOWN_ARGUMENTS_CHARACTERS) return { isError: true, text: TOO_LONG_TO_ASK }
    emit({ call_id: newId(), ...call, state: 'waiting', arguments: shownArguments(argumentsText) })
    return { isError: true, isWaiting: true, text }
  }
  const askToSend = (name: string, argumentsText: string): ToolResult =>
    canAskUser
      ? ask({ name, sends_out: true }, argumentsText, ASKS_TO_SEND)
      : { isError: true, text: NOBODY_TO_ASK_TO_SEND }

  const callAgent = async (from: ChatAgents, name: string, argumentsText: string, signal: AbortSignal) => {
    const agent = from.agentNameOf(name)
    const asksFirst = from.asksFirst(name)
    if (asksFirst || (from.hasSideEffects(name, argumentsText) && isUntrusted())) {
      if (!canAskUser) return { isError: true, text: asksFirst ? NOBODY_ASKED_FIRST : NOBODY_TO_ASK }
      return ask({ name: agent ?? name }, argumentsText, asksFirst ? ASKS_FIRST : WAITS)
    }
    if (mustAskToSend(agent ?? name, argumentsText, from.outboundWords(name))) {
      return askToSend(agent ?? name, argumentsText)
    }
    const { isRefused, ...result } = await runCall(agent, argumentsText, signal, () =>
      from.callTool(name, argumentsText, { ...caller, now: new Date(), signal }, origin),
    )
    // Also after a failed call, which may have made its change before it failed.
    return { ...result, ...(!isRefused && from.mayChange(name, argumentsText) ? { hasChanged: true } : {}) }
  }

  /** Asks the user whether to remember a fact. */
  const propose = (argumentsText: string): ToolResult => {
    try {
      const text = readProposedFact(argumentsText)
      if (proposedFacts.has(text)) return { isError: true, isWaiting: true, text: ASKED_TO_REMEMBER }
      if (proposedFacts.size >= MAX_PROPOSALS) return { isError: true, text: TOO_MANY_PROPOSALS }
      proposedFacts.add(text)
      emit({ call_id: newId(), name: REMEMBER, state: 'waiting', arguments: { text } })
      return { isError: true, isWaiting: true, text: ASKED_TO_REMEMBER }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { isError: true, text: error.message }
    }
  }

  return {
    tools,
    toolFor: (text) => {
      const requestedTool = options.requestedTools?.find((name) => isAgent(agents?.agentNameOf(name)))
      if (requestedTool !== undefined) return requestedTool
      if (canRemember && factToRemember(text) !== null) return REMEMBER
      const toolName = agents?.toolFor(text, { ...caller, now: new Date() }) ?? null
      return toolName !== null && mayCall(toolName) ? toolName : null
    },
    callTool: async (name, argumentsText, signal) => {
      if (name === SEARCH_MEMORY && searchMemory !== null) {
        return runCall(SEARCH_MEMORY, argumentsText, signal, () => searchMemory(argumentsText))
      }
      const ownTool = Object.hasOwn(own, name) && tools.some((tool) => tool.name === name) ? own[name] : undefined
      if (ownTool !== undefined) {
        if (name === SEARCH_WEB && mustAskToSend(name, argumentsText, '')) return askToSend(name, argumentsText)
        const callOptions = { signal, isUntrusted: isUntrusted() || hasFacts }
        return runCall(name, argumentsText, signal, () => ownTool(argumentsText, callOptions))
      }
      if (name === REMEMBER && canRemember) return propose(argumentsText)
      return agents === null || !mayCall(name) ? noTool(name) : callAgent(agents, name, argumentsText, signal)
    },
  }
}

/** True for agents, which take a sentence; other tools need arguments written by a model. */
function isAgent(name: string | null | undefined): boolean {
  return agentNames.some((agent) => agent === name)
}

/** Arguments for display: the parsed JSON, or the text if it's invalid or too long. */
function shownArguments(text: string): unknown {
  if (text.length > MAX_SHOWN_ARGUMENTS_CHARACTERS) return `${cutText(text, MAX_SHOWN_ARGUMENTS_CHARACTERS)}…`
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
