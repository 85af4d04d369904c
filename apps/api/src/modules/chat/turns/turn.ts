import type { AgentCall, AnswerStopReason, ChatParameters, Source, Usage } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import type { ChatEngine, ProgramTools, ToolCallRequest } from '../../../engines/chat-engine.ts'
import type { Attachment } from '../attachments/attachments.store.ts'
import type { Unsummarised } from '../conversations/session-summaries.store.ts'
import type { AnswerResult } from './answers.store.ts'
import type { StartedAnswer } from './questions.store.ts'
import type { HistoryRow } from './recall.store.ts'

/** State of a resumed answer. */
export interface ResumedAnswer {
  text: string
  sources: Source[]
  /** The call that waited, with the user's decision; null for an answer cut off at its length limit. */
  decided: { call: AgentCall; isAllowed: boolean } | null
}

/**
 * `conversation`: stored. `compared`: stored beside another answer to the same question. `temporary`: not stored, nor
 * are its tool calls. `program`: not stored by Mira; the calling program keeps the conversation.
 */
type TurnKind = 'conversation' | 'compared' | 'temporary' | 'program'

/** A question and everything that its answer needs; built before the question is stored. */
export interface Turn extends Caller {
  kind: TurnKind
  /** Ids of the question and the answer; those of an unstored turn are new and refer to nothing. */
  startedAnswer: StartedAnswer
  /** performance.now() when the request arrived. */
  startedAt: number
  content: string
  /** True when the question was imported from another program or person, or edits such a one: its words aren't the user's. */
  isForeign?: boolean
  /** True when the question has pictures for the engine. */
  hasPictures: boolean
  /** Items attached to this and earlier messages, newest first. */
  attached: Attachment[]
  engine: ChatEngine
  seesPictures: boolean
  /** True when the user picked the engine's model; no other engine may then read the conversation. */
  isPicked: boolean
  /** The user's parameters; null leaves them to the administrators. */
  parameters: ChatParameters | null
  /** Addition to the system prompt; may be empty. */
  instructions: string
  /** Ids of the items that the answer is limited to; undefined for the entire memory. */
  knowledge: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools: string[] | undefined
  /** Model-facing names of the tools that the message requests; undefined for none. */
  requestedTools: string[] | undefined
  /** For an unstored turn: messages before the question, and its pictures as data URLs. */
  unstored?: { history: HistoryRow[]; pictures: string[] } | undefined
  resumed?: ResumedAnswer | undefined
  /** Tools that the calling program runs itself. */
  program?: ProgramTools | undefined
  /** Resolves when the question is stored; no tool is called before that. Undefined when it's already stored. */
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

/** Events of a running answer; `end` comes last, unless it was stopped. */
export type AnswerEvent =
  /** Summary of the gathered context; comes before any text. */
  | { type: 'gathered'; sentiment: AnswerResult['sentiment']; readsOutsideText: boolean }
  /** Part of the conversation that's neither sent to the engine nor summarised. */
  | { type: 'unsummarised'; unsummarised: Unsummarised }
  /** `isQuote`: quoted from the memory, since the model is unavailable. */
  | { type: 'text'; text: string; isQuote?: true }
  /** The model's reasoning before the answer. */
  | { type: 'reasoning'; text: string }
  /** All text so far was reasoning. */
  | { type: 'rethink' }
  /** All sources cited so far; thumbnails are unsigned paths. */
  | { type: 'sources'; sources: Source[] }
  /** State of a tool call; later events with the same id update it. */
  | { type: 'agent'; call: AgentCall }
  /** Calls for the calling program to make; comes before `end`. */
  | { type: 'calls'; calls: ToolCallRequest[] }
  | { type: 'end'; model: string; usage: Usage | null; stopReason?: AnswerStopReason | undefined }
