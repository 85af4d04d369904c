import type { Capability, MediaType, ProcessingStepName, ReadWord } from '@mira/shared'
import type { MediaItemRow } from './media.store.ts'

/** An item, as one run of one of its steps sees it. */
export interface StepItem extends MediaItemRow {
  /**
   * Which run it is: what a run writes after another one has taken its place is refused. Left out where a step is tested
   * alone.
   */
  run?: { step: ProcessingStepName; startedAt: Date }
}

/** What a step gets to work with. */
export interface StepContext {
  item: StepItem
  /** The original on this machine's disk; not to be changed. */
  filename: string
  /** What its content is, an extension without the dot, as sniffed again from the content. */
  format: string
  /** An empty folder, removed after the step. */
  scratch: string
  /** Language of the person, ISO 639-1. */
  language: string
  signal: AbortSignal
  /** 0 to 1; cheap to call often. */
  progress(fraction: number): void
}

/** The run of a step was ended from outside: its item is gone, or another run does the step. */
export class OvertakenError extends Error {
  override name = 'OvertakenError'
}

/** How a step that did not fail ended. */
export interface StepOutcome {
  /** Null for what no engine makes (thumbnails). */
  engine: string | null
  model: string | null
  /** Why there was nothing to do, for a person: the step counts as skipped. */
  skipped?: string
  /** What had no engine, when it was skipped for that: it is done when there is one. */
  lacks?: Capability
  /** What was left out, for a person. */
  note?: string
}

/**
 * One step for one type of item. It may run again at any time: what it writes replaces what it wrote before, except for
 * what a person corrected. An AppError with status 422, 415 or 413 means that trying again is useless; any other error is
 * tried again a few times.
 */
export type Step = (context: StepContext) => Promise<StepOutcome>

/** Which steps an item of each type has, in order, and how. A missing one does not compile where context.ts joins them. */
export type Steps = Record<MediaType, Partial<Record<ProcessingStepName, Step>> & { inspect: Step }>

export const stepsOfType: Record<MediaType, readonly ProcessingStepName[]> = {
  image: ['inspect', 'read', 'caption', 'embed', 'look'],
  video: ['inspect', 'frames', 'transcribe', 'read', 'caption', 'embed', 'look', 'playback'],
  audio: ['inspect', 'transcribe', 'embed', 'playback'],
  document: ['inspect', 'read', 'pages', 'embed'],
}

/** Which steps must have ended before a step begins, because it works with what they make. */
export const stepNeeds: Record<ProcessingStepName, readonly ProcessingStepName[]> = {
  inspect: [],
  frames: ['inspect'],
  pages: ['inspect'],
  read: ['inspect', 'frames'],
  caption: ['inspect', 'frames'],
  transcribe: ['inspect'],
  playback: ['inspect'],
  embed: ['inspect', 'frames', 'read', 'caption', 'transcribe'],
  look: ['inspect', 'frames', 'pages'],
}

/** Facts of an item that inspect finds out. */
export interface ItemFacts {
  width?: number
  height?: number
  durationSeconds?: number | null
  pageCount?: number
  takenAt?: Date | null
  camera?: string | null
  latitude?: number | null
  longitude?: number | null
  thumbhash?: string
  framesCount?: number
  details?: Record<string, string | number | boolean>
}

/** A picture of a part, as a file on this machine. */
export interface NewPart {
  kind: 'picture' | 'frame' | 'page'
  /** From 1. */
  number: number
  startSeconds?: number
  /** A WebP of at most 512 pixels. */
  thumbnail: { data: Uint8Array; width: number; height: number }
  words?: ReadWord[]
}

/** A picture that was made of an item, as a file. */
export interface MadePicture {
  data: Uint8Array
  contentType: string
  width: number
  height: number
}

/** A part as it is stored. */
export interface Part {
  id: string
  kind: 'picture' | 'frame' | 'page'
  number: number
  startSeconds: number | null
  path: string
  width: number
  height: number
}

/** A text that a step found. */
export interface NewMoment {
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

/** Where steps put what they found; everything is durable when a call returns. */
export interface Results {
  describe(item: StepItem, facts: ItemFacts): Promise<void>
  /** Replaces all parts of the kind by these. */
  replaceParts(item: StepItem, kind: NewPart['kind'], parts: AsyncIterable<NewPart> | Iterable<NewPart>): Promise<void>
  /** Parts of an item in order. */
  parts(item: StepItem, kind: NewPart['kind']): Promise<Part[]>
  /** Lends the thumbnail of a part as bytes. */
  readPart(part: Part): Promise<Uint8Array>
  setWords(item: StepItem, kind: NewPart['kind'], number: number, words: ReadWord[]): Promise<void>
  /** Stores a file made of the item: its thumbnail (WebP) or what every browser shows or plays. */
  setCopy(
    item: StepItem,
    kind: 'thumbnail' | 'preview',
    file: { content: AsyncIterable<Uint8Array> | Uint8Array; contentType: string; width?: number; height?: number },
  ): Promise<void>
  /**
   * Describes a picture and stores what shows it, all at once: its thumbnail, which is its only part too, and what every
   * browser shows where that is not the picture itself.
   */
  setPicture(
    item: StepItem,
    made: { thumbnail: MadePicture; preview: MadePicture | null },
    facts: ItemFacts,
  ): Promise<void>
  /**
   * Replaces the moments of a kind by these, in order, and brings the item's own texts (caption, extracted text,
   * transcription) up to date. Where a person corrected something (the whole item's text of the kind, a page, a segment),
   * theirs stays and what is new for the same place is dropped.
   */
  replaceMoments(item: StepItem, kind: NewMoment['kind'], moments: NewMoment[]): Promise<void>
}
