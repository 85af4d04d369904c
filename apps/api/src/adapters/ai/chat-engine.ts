import type { ChatParameters, Language, Source, Usage } from '@mira/shared'

/** One message of the conversation that an engine reads. */
export interface Turn {
  role: 'user' | 'assistant'
  content: string
  /** Pictures of the message, as data URLs. */
  images?: string[]
  /** Tools of the program that asks, which were called with an assistant's message; each has its result. */
  calls?: AnsweredCall[]
}

/** A tool that a program called by itself, because a model asked for it. */
export interface AnsweredCall {
  name: string
  /** JSON as the model wrote it. */
  argumentsText: string
  /** What the program says that came of it: words of others. */
  result: string
}

/** A call that a model asks for. */
export interface AskedCall {
  name: string
  /** JSON as the model wrote it, perhaps broken. */
  argumentsText: string
}

/** What a program brings that calls tools of its own: an answer ends with the calls that it is to make. */
export interface ProgramTools {
  tools: Tool[]
  /** Whether one of them has to be called, and nothing else. */
  isDemanded: boolean
  /** Whether several may be asked for at once. */
  maySeveral: boolean
  /** What was said and called for this answer before, oldest first. */
  turns: Turn[]
}

/** A passage of an earlier conversation of the same person. */
export interface Recollection {
  sessionId: string
  messageId: string
  sessionName: string
  role: 'user' | 'assistant'
  /** A short quote around what matched, in one line. */
  snippet: string
  createdAt: Date
}

/** A place in what the person has added, which may answer the question. */
export interface Passage {
  /** Its number is the one that it is cited by. */
  source: Source
  /** What stands, is said or is to be seen there: words of others, never an instruction. */
  text: string
  /** Whether it is surely about what was asked, or only comes near. */
  certainty: 'found' | 'perhaps'
  /** When its item was taken, else added, such as 2026-05-31; left out where that is not known. */
  day?: string | undefined
}

/**
 * How the memory stands to a message. closed: its person has none; unasked: the message needs nothing of it; searched: its
 * passages are what was found; silent: it could not be searched in time.
 */
export type MemoryState = 'closed' | 'unasked' | 'searched' | 'silent'

/** An item that the person attached to this message or to one before. */
export interface AttachedItem {
  title: string
  mediaType: string
  /** Whether it goes with this very message. */
  isOfQuestion: boolean
  /** What of it is not known yet, because it is being processed. */
  pending: ('seen' | 'written' | 'said')[]
  /** What of it nothing here could find out. */
  missing: ('seen' | 'written' | 'said')[]
  /** Whether its passages are all that is known of it. */
  isWhole: boolean
  /** Numbers of its passages. */
  passages: number[]
  /** Numbers of its passages that answer the question best; its beginning when none does. */
  quotes: number[]
  /** Whether those were found by the question. */
  isMatch: boolean
}

/** A tool that an engine may call while it answers. */
export interface Tool {
  name: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
  /** Whether a model is held to the schema, where its server can. */
  strict?: boolean | undefined
}

/** What came of calling a tool. */
export interface ToolResult {
  isError: boolean
  /** Set when nothing was done, because the person is asked first. */
  isWaiting?: boolean
  /** Set when nothing was done, because the person did not allow it. */
  isDeclined?: boolean
  /** Markdown for a person, or in plain words why there is none. */
  text: string
  /** The same for a program. */
  data?: Record<string, unknown>
  /** Whether words that others wrote are in it. */
  quotesOthers?: boolean | undefined
  /** Whether something was changed or sent by it. */
  hasChanged?: boolean | undefined
  /** Passages of the memory that are in it: the answer may cite them from now on. */
  passages?: Passage[] | undefined
}

/** An answer that was ended because a call waited for the person, who has decided: it goes on from there. */
export interface AnswerSoFar {
  /** What it has said. */
  text: string
  /** What it cites, numbered from 1; the first of the question's passages are these. */
  sources: Source[]
  call: { name: string; argumentsText: string }
  /** What came of the call, or that the person declined. */
  result: ToolResult
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
  /** How the person wants it to answer; none where they set none. */
  parameters?: ChatParameters | undefined
  /** Searches the person's own earlier conversations, best first. */
  recall(query: string): Promise<Recollection[]>
  memory: MemoryState
  /** What the person attached, then what their memory holds of it, best first, numbered from 1. */
  passages: Passage[]
  /** What the person attached; its passages are the first of `passages`. */
  attached?: AttachedItem[]
  /** What there is of the answer already; undefined for one that begins. */
  soFar?: AnswerSoFar | undefined
  /** What may be called; none for those who may use no agents. */
  tools: Tool[]
  /** What the program that asks calls by itself; undefined where a person asks. Only engines that know tools heed it. */
  program?: ProgramTools | undefined
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
  /** What a tool found in the memory: it can be cited from now on. */
  | { type: 'passages'; passages: Passage[] }
  /** What the program is to call; the answer ends with it. */
  | { type: 'calls'; calls: AskedCall[] }
  /** The model as it named itself; usage is null when it did not tell. */
  | { type: 'end'; model: string; usage: Usage | null }

/** Something that can chat. */
export interface ChatEngine {
  /** Stored beside each answer: remote | local | built-in. */
  name: 'remote' | 'local' | 'built-in'
  /** The model that would answer now; null when it is not known before it is asked. */
  model(): string | null
  /** How many tokens question and answer may fill together. */
  contextTokens(): Promise<number>
  /**
   * Answers; ends without `end` when the signal is aborted.
   * @throws EngineError with one of chatErrorCodes, or `tools_refused` for those of a program.
   */
  answer(question: Question, signal: AbortSignal): AsyncIterable<EngineEvent>
  /** A short title for a conversation that begins so; null when the engine writes none. */
  title(question: string, answer: string, signal: AbortSignal): Promise<string | null>
  /** A short summary of messages, oldest first, and of what was summed up before them; null when the engine writes none. */
  summarise(previous: string | null, messages: Turn[], signal: AbortSignal): Promise<string | null>
  /** The last of these messages in words that can be understood without the others; null when the engine writes none. */
  rephrase(messages: Turn[], signal: AbortSignal): Promise<string | null>
}
