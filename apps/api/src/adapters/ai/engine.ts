import type { Source, Usage } from '@mira/shared'
import type { Language } from './language.ts'

/** One message of the conversation that an engine reads. */
export interface Turn {
  role: 'user' | 'assistant'
  content: string
  /** Pictures of the message, as data URLs. */
  images?: string[]
}

/** A passage of an earlier conversation of the same person. */
export interface Recollection {
  sessionId: string
  sessionName: string
  role: 'user' | 'assistant'
  /** A short quote around what matched, in one line. */
  snippet: string
  createdAt: Date
}

/** A tool that an engine may call while it answers. */
export interface Tool {
  name: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
}

/** What came of calling a tool. */
export interface ToolResult {
  isError: boolean
  /** Markdown for a person, or in plain words why there is none. */
  text: string
  /** The same for a program. */
  data?: Record<string, unknown>
}

/** What an engine is asked to answer. */
export interface Question {
  /** Who the assistant is, and what it should keep in mind. */
  instructions: string
  /** Oldest first; the last one is the person's. */
  turns: Turn[]
  /** The language of the last message, or of the person when that is unsure. */
  language: Language
  /** IANA name, in which dates are told. */
  timeZone: string
  assistantName: string
  /** Searches the person's own earlier conversations, best first. */
  recall(query: string): Promise<Recollection[]>
  /** What may be called; none for those who may use no agents. */
  tools: Tool[]
  /** The tool that a sentence surely asks for, for an engine that cannot tell by itself; null when there is none. */
  toolFor(text: string): string | null
  /**
   * Calls a tool; arguments are JSON as the model wrote it. Whatever goes wrong is told in the result, also that the
   * signal was aborted, soon after it was.
   */
  callTool(name: string, argumentsText: string, signal: AbortSignal): Promise<ToolResult>
}

/** What an engine gives while it answers; `end` comes last, once. */
export type EngineEvent =
  | { type: 'text'; text: string }
  /** What a model thinks before it answers: no part of the answer. */
  | { type: 'reasoning'; text: string }
  | { type: 'sources'; sources: Source[] }
  /** The model as it named itself; usage is null when it did not tell. */
  | { type: 'end'; model: string; usage: Usage | null }

/** Something that can chat. */
export interface ChatEngine {
  /** Stored beside each answer: remote | built-in. */
  name: 'remote' | 'built-in'
  /** The model that would answer now; null when it is not known before it is asked. */
  model(): string | null
  /** How many tokens question and answer may fill together. */
  contextTokens(): Promise<number>
  /**
   * Answers; ends without `end` when the signal is aborted.
   * @throws EngineError with one of chatErrorCodes.
   */
  answer(question: Question, signal: AbortSignal): AsyncIterable<EngineEvent>
  /** A short title for a conversation that begins so; null when the engine writes none. */
  title(question: string, answer: string, signal: AbortSignal): Promise<string | null>
  /** A short summary of messages, oldest first, and of what was summed up before them; null when the engine writes none. */
  summarise(previous: string | null, messages: Turn[], signal: AbortSignal): Promise<string | null>
}
