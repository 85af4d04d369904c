import type { AgentCall, AnswerStopReason, ChatParameters, Source, Usage } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import type { ChatEngine, ProgramTools, ToolCallRequest } from '../../../engines/chat-engine.ts'
import type { Attachment } from '../attachments/attachments.store.ts'
import type { Unsummarised } from '../conversations/session-summaries.store.ts'
import type { AnswerResult } from './answers.store.ts'
import type { BegunAnswer } from './questions.store.ts'
import type { HistoryRow } from './recall.store.ts'

/** State of a resumed answer. */
export interface ResumedAnswer {
  text: string
  sources: Source[]
  /** The call that waited, with the user's decision; null where the answer was cut at its length. */
  decided: { call: AgentCall; isAllowed: boolean } | null
}

/**
 * `conversation`: stored. `compared`: stored next to another answer to the same question. `temporary`: not stored, nor
 * are its tool calls. `program`: not stored by Mira; the calling program keeps the conversation.
 */
type TurnKind = 'conversation' | 'compared' | 'temporary' | 'program'

/** A question and everything that its answer is made with; built once, before the question is stored. */
export interface Turn extends Caller {
  kind: TurnKind
  /** Ids of question and answer; those of a turn that isn't stored belong to nothing else. */
  startedAnswer: BegunAnswer
  /** performance.now() when the request arrived. */
  startedAt: number
  content: string
  /** True when the question has pictures for the engine. */
  hasPictures: boolean
  /** Items attached to this and earlier messages, newest first. */
  attached: Attachment[]
  engine: ChatEngine
  seesPictures: boolean
  /** True when the user picked the engine's model: no other one may read the conversation. */
  isPicked: boolean
  /** The user's parameters; null leaves them to the administrators. */
  parameters: ChatParameters | null
  /** Added to the system prompt; empty for nothing. */
  instructions: string
  /** Ids of the only items of the memory that are searched; undefined for all. */
  knowledge: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools: string[] | undefined
  /** Names of the tools that the message itself asks for, as models call them; undefined for none. */
  calledTools: string[] | undefined
  /** Messages before the question and its pictures as data URLs, of a turn that isn't stored. */
  unstored?: { history: HistoryRow[]; pictures: string[] } | undefined
  resumed?: ResumedAnswer | undefined
  /** Tools that the calling program runs itself. */
  program?: ProgramTools | undefined
  /** Resolves when the question is stored: before that no tool is called. Undefined where it is stored. */
  untilStored?: Promise<void> | undefined
}

/** A turn whose question isn't stored yet. */
export type PreparedTurn = Omit<Turn, 'startedAnswer'>

/** True when question and answer are stored, so that the user can be asked to allow a call later. */
export function isStored({ kind }: Pick<Turn, 'kind'>): boolean {
  return kind === 'conversation' || kind === 'compared'
}

/** Checks a tool's display name against the allowed ones. */
export function mayUse({ allowedTools }: Pick<Turn, 'allowedTools'>, name: string): boolean {
  return allowedTools === undefined || allowedTools.includes(name)
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
  | { type: 'calls'; calls: ToolCallRequest[] }
  | { type: 'end'; model: string; usage: Usage | null; stopReason?: AnswerStopReason | undefined }
