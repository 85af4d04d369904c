import type { AgentCall, AnswerStopReason, ChatParameters, Source, Usage } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import type { AskedCall, ChatEngine, ProgramTools } from '../../../engines/chat-engine.ts'
import type { Attachment } from '../attachments/attachments.store.ts'
import type { Unsummarised } from '../conversations/summary-writer.ts'
import type { AnswerResult } from './answers.store.ts'
import type { BegunAnswer } from './questions.store.ts'

/** State of a resumed answer, with the user's decision about the call that waited. */
export interface GoingOn {
  text: string
  sources: Source[]
  /** Null where the answer was cut at its length and nobody had to decide. */
  decided: { call: AgentCall; isAllowed: boolean } | null
}

/** Checks a tool's display name against the allowed ones; undefined allows all. */
export function mayUse({ allowedTools }: Pick<AnswerRequest, 'allowedTools'>, name: string): boolean {
  return allowedTools === undefined || allowedTools.includes(name)
}

/** A question whose place in the conversation is stored, or is about to be, and the engine that is to answer it. */
export interface AnswerRequest extends Caller {
  begun: BegunAnswer
  engine: ChatEngine
  content: string
  /** True when the question has pictures for the engine. */
  hasPictures: boolean
  /** Items attached to this and earlier messages, newest first. */
  attached: Attachment[]
  seesPictures: boolean
  /** True when the user picked the engine's model: no other one may read the conversation. */
  isPicked?: boolean
  /** The user's parameters. */
  parameters?: ChatParameters | null
  /** The caller's additions to the system prompt. */
  instructions?: string | undefined
  /** Set where an answer goes on that waited for the person, or was cut. */
  goesOn?: GoingOn | undefined
  /** Ids of the only items of the memory that are looked at; undefined for all. */
  knowledge?: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools?: string[] | undefined
  /** Names of the tools that the message itself asks for, as models call them; undefined for none. */
  calledTools?: string[] | undefined
  /** Set where the answer is made to be compared with another one. */
  isBeside?: boolean | undefined
  /** Tools that the calling program runs itself; only for answers that aren't stored. */
  program?: ProgramTools | undefined
  /** Resolves when the question is stored: before that no tool is called. Undefined where it is stored. */
  untilStored?: Promise<void> | undefined
  /** Set where the answer is kept nowhere: then nobody can be asked to allow a call. */
  isUnstored?: true | undefined
  /** Set where not even the calls of agents are recorded. */
  leavesNoTrace?: boolean | undefined
}

/** Events of an answer that is being generated; `end` comes last, unless it was stopped. */
export type AnswerEvent =
  /** Summary of the gathered context; comes before any text. */
  | { type: 'gathered'; sentiment: AnswerResult['sentiment']; readsOutsideText: boolean }
  /** Part of the conversation that is neither sent to the engine nor summarised yet. */
  | { type: 'unsummarised'; unsummarised: Unsummarised }
  /** `isQuote`: it is quoted because the model is away, which said nothing. */
  | { type: 'text'; text: string; isQuote?: true }
  /** The model's thoughts before it answers. */
  | { type: 'reasoning'; text: string }
  /** All text so far was thoughts. */
  | { type: 'rethink' }
  /** All that is cited so far; thumbnails are bare paths. */
  | { type: 'sources'; sources: Source[] }
  /** State of a tool call; later events with the same id update it. */
  | { type: 'agent'; call: AgentCall }
  /** Calls for the program to make; comes before `end`. */
  | { type: 'calls'; calls: AskedCall[] }
  | { type: 'end'; model: string; usage: Usage | null; stopReason?: AnswerStopReason | undefined }
