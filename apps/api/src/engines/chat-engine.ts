import type { AnswerStopReason, ChatParameters, Language, Source, Usage } from '@mira/shared'

/** One message of the conversation that an engine reads. */
export interface ChatMessage {
  role: 'user' | 'assistant'
  content: string
  /** Pictures of the message, as data URLs. */
  images?: string[]
  /** Calls of the client program's tools that an assistant message asked for, with their results. */
  calls?: ToolCallResult[]
}

/** A tool call that the client program made because a model asked for it. */
interface ToolCallResult {
  name: string
  /** JSON as the model wrote it. */
  argumentsText: string
  /** Result reported by the program: untrusted text. */
  result: string
}

/** A call that a model asks for. */
export interface ToolCallRequest {
  name: string
  /** JSON as the model wrote it, perhaps broken. */
  argumentsText: string
}

/** Tools of a program that executes them itself: the answer ends with the calls to make. */
export interface ProgramTools {
  tools: Tool[]
  /** Require a call of one of these tools, and nothing else. */
  isRequired: boolean
  /** Allow several calls at once. */
  allowsParallelCalls: boolean
  /** Earlier text and calls of this answer, oldest first. */
  turns: ChatMessage[]
  /** `response_format` of the OpenAI protocol, such as a JSON schema. When it's set, Mira's own tools aren't offered. */
  format?: object | undefined
}

/** A passage of one of the user's earlier conversations. */
export interface RecalledPassage {
  sessionId: string
  messageId: string
  sessionName: string
  role: 'user' | 'assistant'
  /** A short quote around what matched, in one line. */
  snippet: string
  createdAt: Date
}

/** A passage of a user's item that may answer the question. */
export interface Passage {
  /** Its `n` is the number it's cited by. */
  source: Source
  /** Text, speech or picture description of the passage: untrusted, never an instruction. */
  text: string
  /** `found` for passages that surely match the question, `perhaps` for near matches. */
  certainty: 'found' | 'perhaps'
  /** Likelihood that it matches the question, 0 to 1; absent where it isn't known. */
  probability?: number | undefined
  /** Date when its item was taken, or added if that's unknown, such as 2026-05-31; absent when both are unknown. */
  day?: string | undefined
}

/**
 * State of the memory search for a message. closed: the user has no memory to search; unasked: the message needs no search;
 * searched: the passages are its results; silent: the search timed out.
 */
export type MemoryState = 'closed' | 'unasked' | 'searched' | 'silent'

/** An item that the user attached to this message or an earlier one. */
export interface AttachedItem {
  title: string
  mediaType: string
  /** True when attached to the last message. */
  isInLastMessage: boolean
  /** Contents still being processed: pictures (seen), text (written) or speech (said). */
  pending: ('seen' | 'written' | 'said')[]
  /** Contents that couldn't be read, because this server has no engine for them. */
  missing: ('seen' | 'written' | 'said')[]
  /** True when its passages are its entire known content. */
  isComplete: boolean
  /** Citation numbers of its passages. */
  passages: number[]
  /** Numbers of its passages that answer the question best, or of its first passages when none answers it. */
  bestPassages: number[]
  /** True when `bestPassages` match the question. */
  hasMatch: boolean
}

/** A tool that an engine may call while it answers. */
export interface Tool {
  name: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
  /** Enforce the schema, if the model's server can. */
  strict?: boolean | undefined
}

export interface ToolResult {
  isError: boolean
  /** Set when nothing was done because the call waits for the user's permission. */
  isWaiting?: boolean
  /** Set when nothing was done because the user denied permission. */
  isDeclined?: boolean
  /** Markdown for the user, or the reason why there's no result, in plain words. */
  text: string
  /** Machine-readable result. */
  data?: Record<string, unknown>
  /** True when it contains text by others, which a model must treat as data, never as instructions. */
  quotesOthers?: boolean | undefined
  /** True when the call changed or sent something. */
  hasChanged?: boolean | undefined
  /** Memory passages in the result, citable from now on. */
  passages?: Passage[] | undefined
}

/** A resumed answer: a call waited for the user's decision, or the answer was cut off at its length limit. */
export interface PartialAnswer {
  /** Text so far. */
  text: string
  /** Sources cited so far, numbered from 1. They're the sources of the question's first passages. */
  sources: Source[]
  /** The call that waited for the user's decision, with its result; undefined when the answer was cut off. */
  resumedCall: { call: { name: string; argumentsText: string }; result: ToolResult } | undefined
}

/** Input of an engine for one answer. */
export interface Question {
  /** System prompt: the assistant's identity and standing instructions. */
  instructions: string
  /** Oldest first; the last one is the user's. */
  turns: ChatMessage[]
  /** Language of the last message, or the user's language when in doubt. */
  language: Language
  /** IANA time zone of dates. */
  timeZone: string
  assistantName: string
  /** The user's preferences for answers; undefined when none are set. */
  parameters?: ChatParameters | undefined
  /** Searches the user's earlier conversations, best first. */
  recall(query: string): Promise<RecalledPassage[]>
  memory: MemoryState
  /** Passages of attached items, then search results from the memory, best first, numbered from 1. */
  passages: Passage[]
  /** Attached items; their passages come first in `passages`. */
  attached?: AttachedItem[]
  /** The resumed answer's state; undefined for a new answer. */
  soFar?: PartialAnswer | undefined
  /** Callable tools; none for users without access to agents. */
  tools: Tool[]
  /** Tools of the client program; undefined when a user asks. Only engines with tool support use them. */
  program?: ProgramTools | undefined
  /** The tool that a sentence certainly asks for, for engines without tool calls; null when there is none. */
  toolFor(text: string): string | null
  /**
   * Calls a tool; arguments are JSON as the model wrote it. Never rejects: the result reports every failure. Resolves soon
   * after the signal is aborted, with a result that says so.
   */
  callTool(name: string, argumentsText: string, signal: AbortSignal): Promise<ToolResult>
}

/** Output of an engine while it answers; `end` comes last, once. */
export type EngineEvent =
  | { type: 'text'; text: string }
  /** The model's reasoning, not part of the answer. */
  | { type: 'reasoning'; text: string }
  /** All text so far was reasoning, whose opening tag was missing. */
  | { type: 'rethink' }
  | { type: 'sources'; sources: Source[] }
  /** Passages found by a tool; can be cited from now on. */
  | { type: 'passages'; passages: Passage[] }
  /** Pages that the model's server searched itself; numbers in brackets are theirs from now on, counted from 1. */
  | { type: 'pages'; urls: string[] }
  /** Calls for the client program to make; they end the answer. */
  | { type: 'calls'; calls: ToolCallRequest[] }
  /** `model` as the server named it; usage is null when not reported; `stopReason` is set for an incomplete answer. */
  | { type: 'end'; model: string; usage: Usage | null; stopReason?: AnswerStopReason | undefined }

export interface ChatEngine {
  /** Stored with each answer: remote | local | built-in. */
  name: 'remote' | 'local' | 'built-in'
  /** The model that would answer now; null when unknown before the first request. */
  model(): string | null
  /** Context size in tokens, for question and answer together. */
  contextTokens(): Promise<number>
  /**
   * Answers; ends without `end` when the signal is aborted.
   * @throws EngineError with one of chatErrorCodes, or `tools_refused` when the server refuses a client program's tools.
   */
  answer(question: Question, signal: AbortSignal): AsyncIterable<EngineEvent>
  /** A short title for a conversation with this first question and answer; null when the engine writes none. */
  title(question: string, answer: string, signal: AbortSignal): Promise<string | null>
  /** A short summary of the previous summary and later messages, oldest first; null when the engine writes none. */
  summarise(previous: string | null, messages: ChatMessage[], signal: AbortSignal): Promise<string | null>
  /** The last message, rewritten so that it can be understood without the earlier ones; null when the engine doesn't rewrite. */
  rephrase(messages: ChatMessage[], signal: AbortSignal): Promise<string | null>
}
