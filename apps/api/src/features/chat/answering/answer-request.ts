import type { AgentCall, ChatParameters, Source, Usage } from '@mira/shared'
import type { AskedCall, ChatEngine, ProgramTools } from '../../../adapters/ai/chat-engine.ts'
import type { Asker } from '../../../asker.ts'
import type { Attachment } from '../attachments/attachments.store.ts'
import type { Unsummarised } from '../sessions/summary-writer.ts'
import type { AnswerResult } from './answers.store.ts'
import type { BegunAnswer } from './questions.store.ts'

/** What there is of an answer that goes on, and what its person decided about a call that waited. */
export interface GoingOn {
  text: string
  sources: Source[]
  call: AgentCall
  isAllowed: boolean
}

/** Whether an answer may use a tool, by its name for people. */
export function mayUse({ allowedTools }: Pick<AnswerRequest, 'allowedTools'>, name: string): boolean {
  return allowedTools === undefined || allowedTools.includes(name)
}

/** A question whose place in the conversation is stored, or is about to be, and the engine that is to answer it. */
export interface AnswerRequest extends Asker {
  begun: BegunAnswer
  engine: ChatEngine
  content: string
  /** Whether the question has pictures, which the engine is to see. */
  hasPictures: boolean
  /** What this and earlier messages are about, the newest first. */
  attached: Attachment[]
  /** Whether the engine sees pictures. */
  seesPictures: boolean
  /** Whether the person picked the engine's model: then no other one reads the conversation. */
  isPicked?: boolean
  /** How the person wants to be answered. */
  parameters?: ChatParameters | null
  /** What whoever calls adds to who the assistant is and what it should keep in mind. */
  instructions?: string | undefined
  /** Set where an answer goes on that waited for the person, who has decided. */
  goesOn?: GoingOn | undefined
  /** Ids of the only items of the memory that are looked at; undefined for all. */
  knowledge?: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools?: string[] | undefined
  /** Names of the tools that the message itself asks for, as models call them; undefined for none. */
  calledTools?: string[] | undefined
  /** Set where the answer is made to be compared with another one. */
  isBeside?: boolean | undefined
  /** What the program that asks calls by itself; only where the answer is kept nowhere. */
  program?: ProgramTools | undefined
  /** Resolves when the question is stored: before that no tool is called. Undefined where it is stored. */
  untilStored?: Promise<void> | undefined
  /** Set where the answer is kept nowhere: then nobody can be asked to allow a call. */
  isUnstored?: true | undefined
  /** Set where not even the calls of agents are recorded. */
  leavesNoTrace?: boolean | undefined
}

/** What is told of an answer while it is made; `end` comes last, unless it was stopped. */
export type AnswerEvent =
  /** What was read for it: before anything of it is written. */
  | { type: 'gathered'; sentiment: AnswerResult['sentiment']; readsOutsideText: boolean }
  /** What the engine is not sent of the conversation and no summary holds yet. */
  | { type: 'unsummarised'; unsummarised: Unsummarised }
  /** `isQuote`: it is quoted because the model is away, which said nothing. */
  | { type: 'text'; text: string; isQuote?: true }
  /** What a model thinks before it answers. */
  | { type: 'reasoning'; text: string }
  /** All that is cited so far; thumbnails are bare paths. */
  | { type: 'sources'; sources: Source[] }
  /** How a call of a tool goes; later ones of the same id add to it. */
  | { type: 'agent'; call: AgentCall }
  /** What the program is to call, before the end. */
  | { type: 'calls'; calls: AskedCall[] }
  | { type: 'end'; model: string; usage: Usage | null }
