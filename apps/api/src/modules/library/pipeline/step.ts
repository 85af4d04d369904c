import type {
  Capability,
  CodedSentence,
  MediaSourceKind,
  MediaType,
  ProcessingStep,
  ProcessingStepName,
  ReadWord,
} from '@mira/shared'
import type { MediaItemModel } from '../../../platform/database/generated/models/MediaItem.ts'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import type { Sentence } from '../../../sentences.ts'

/** Fields of an item that steps read; the item isn't in the trash. */
export interface ProcessedItem
  extends Pick<
    MediaItemModel,
    | 'id'
    | 'contentType'
    | 'path'
    | 'sha256'
    | 'originalFilename'
    | 'details'
    | 'sourceUrl'
    | 'durationSeconds'
    | 'pageCount'
    | 'camera'
    | 'keepsLocation'
    | 'wantsCaption'
    | 'wantsText'
  > {
  userId: string
  mediaType: MediaType
  sourceKind: MediaSourceKind | null
  sizeBytes: number
}

/** Identity of a step's run; a run that another one has replaced can't write. */
export interface Run {
  step: ProcessingStepName
  startedAt: Date
}

/** An item with the current run of one of its steps. */
export interface StepItem extends ProcessedItem {
  run: Run
}

/** A stored step of an item. */
export interface ProcessingStepRow extends Omit<ProcessingStep, 'error_told'> {
  /** The error as codes with parameters, for translation. */
  errorSentences: CodedSentence[]
  model: string | null
  /** Runs started so far. */
  attempts: number
  startedAt: Date | null
  finishedAt: Date | null
}

/** Input of a step. */
export interface StepContext {
  item: StepItem
  /** Local, read-only copy of the original. */
  filename: string
  /** Format as an extension without the dot, detected from the content again; for a picture, the format detected at upload. */
  format: string
  /** An empty folder, removed after the step. */
  scratch: string
  /** The user's language, ISO 639-1. */
  language: string
  signal: AbortSignal
  /** Reports progress, from 0 to 1; cheap to call often. */
  progress(fraction: number): void
}

/** A run was aborted: its item is gone, or another run has replaced it. */
export class RunReplacedError extends Error {
  override name = 'RunReplacedError'
}

/** Outcome of a step that didn't fail. */
export interface StepOutcome {
  /** Null for work without an engine, such as thumbnails. */
  engine: string | null
  model: string | null
  /** Reason, shown to the user, why there was nothing to do; the step counts as skipped. */
  skipped?: Sentence
  /** Missing capability that the step was skipped for; it runs once an engine is available. */
  missingCapability?: Capability
  /** Note for the user about parts that were left out. */
  note?: Sentence
  /** True after a turn of long work, whose findings are stored with a checkpoint, from which the step continues. */
  isUnfinished?: true
  /** The item's facts, from inspect. */
  facts?: ItemFacts
  /** Stored in the transaction that ends the step, in order. */
  findings?: Finding[]
}

/** Function that stores a result of a step, quickly, awaiting nothing but the transaction. */
export interface Finding {
  (sql: SqlTransaction): Promise<void>
  /** Files that it stores references to; they're reserved until then. */
  files?: { reservationId: string | null }[]
}

/** Reason for skipping a step, known before it starts. */
type SkipReason = Pick<StepOutcome, 'missingCapability'> & { skipped: Sentence }

/**
 * One step for one type of item. It may run again at any time: its results replace earlier ones, except for users'
 * corrections. An AppError with status 422, 415 or 413 is final; any other error is retried a few times.
 */
export interface Step {
  (context: StepContext): Promise<StepOutcome>
  /** Reason to skip the step, checked before it starts; null to run it. */
  skipReason?(item: ProcessedItem): SkipReason | null
}

/** Reason to skip a step for a missing capability. */
export const missingCapabilityReason = (missingCapability: Capability, reason: Sentence | null): SkipReason | null =>
  reason === null ? null : { skipped: reason, missingCapability }

/**
 * A step that's skipped when there's a reason to, which is checked before it starts. One statement skips several such
 * steps.
 */
export function stepUnless(skipReason: (item: ProcessedItem) => SkipReason | null, step: Step): Step {
  const guardedStep: Step = async (context) => {
    const reason = skipReason(context.item)
    return reason === null ? step(context) : { engine: null, model: null, ...reason }
  }
  return Object.assign(guardedStep, { skipReason })
}

/** Step implementations of each media type. Only `inspect` is required; a step without an implementation is skipped. */
export type Steps = Record<MediaType, Partial<Record<ProcessingStepName, Step>> & { inspect: Step }>

/** Value of the detail `taken_from` when the time comes from the file name. */
export const TAKEN_FROM_NAME = 'file name'

/** Facts of an item found by inspect. */
export interface ItemFacts {
  /** New name, from the title of a web page. */
  originalFilename?: string
  width?: number
  height?: number
  durationSeconds?: number | null
  pageCount?: number
  takenAt?: Date | null
  /** Local time, such as 2024-07-14T09:28:00. */
  takenLocal?: string | null
  camera?: string | null
  latitude?: number | null
  longitude?: number | null
  thumbhash?: string
  framesCount?: number
  details?: Record<string, string | number | boolean>
}

/** A part with its picture, in memory. */
export interface NewPart {
  kind: 'picture' | 'frame' | 'page'
  /** From 1. */
  number: number
  startSeconds?: number
  /** WebP of at most 512 pixels, unless it's very tall or wide. */
  thumbnail: { data: Uint8Array; width: number; height: number }
  words?: ReadWord[]
}

/** A derived picture, as an encoded file in memory. */
export interface DerivedPicture {
  data: Uint8Array
  contentType: string
  width: number
  height: number
}

/** A stored part. */
export interface Part {
  id: string
  kind: 'picture' | 'frame' | 'page'
  number: number
  startSeconds: number | null
  path: string
  width: number
  height: number
}

/** A text found by a step. */
export interface NewMoment {
  /** Id, if an earlier turn has stored the moment. */
  id?: string
  kind: 'caption' | 'text' | 'speech' | 'name'
  body: string
  frameNumber?: number
  page?: number
  startSeconds?: number
  endSeconds?: number
  characterOffset?: number
  box?: [number, number, number, number]
  /** ISO 639-1; guessed from the text when left out. */
  language?: string | null
  engine: 'remote' | 'local' | 'built-in'
  model: string | null
  confidence?: number | null
}

/** Findings of one turn of long work. */
export interface TurnMoments {
  kind: NewMoment['kind']
  moments: NewMoment[]
  /**
   * Pages on which these moments replace earlier ones; null stands for the item as a whole. Elsewhere, they're added to
   * the existing ones.
   */
  replacedPages: Iterable<number | null>
}

/** State of an item and its steps, as of the last statement. */
export interface WorkState {
  item: ProcessedItem
  /** In order. */
  steps: ProcessingStepRow[]
  /** Language of the item's user, ISO 639-1. */
  language: string
  /** Run that this statement started; null when it started none. */
  startedRun: Run | null
  /** True when nothing is left to do and the item's final status is stored. */
  isFinished: boolean
}

/** Outcome of a step's run; pending when it will be tried again. */
export type StepEnd = Pick<ProcessingStepRow, 'status' | 'engine' | 'model' | 'error' | 'errorSentences'> & {
  missingCapability?: Capability | undefined
}

/** Changes of an item's steps, in one statement. */
export interface StepChanges {
  /** The run that ended; nothing is changed when another run has replaced it. */
  ended?: { run: Run; end: StepEnd } | undefined
  /** Steps that end without having been started. */
  settled?: (StepEnd & { name: ProcessingStepName })[]
  /** The step to start, unless it's no longer pending or needs a step that's still open. */
  next?: ProcessingStepName | undefined
  /** Final status of the item, unless some of its steps are open. */
  finish?: { status: 'completed' | 'failed'; error: string | null; errorSentences: CodedSentence[] } | undefined
}
