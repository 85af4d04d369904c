import type { CodedSentence, MediaItemJson, MediaType, ProcessingStep } from '@mira/shared'
import { takenEndingsOf } from '@mira/shared/constants/formats'
import { mediaTypes } from '@mira/shared/constants/media'

/** Where a file is on its way; between the last byte and completed it is processed by the server. */
export type EntryStatus = 'pending' | 'uploading' | 'processing' | 'completed' | 'error'

/** What was found in a file. */
export interface UploadResult {
  caption: string | null
  extractedText: string | null
  transcription: string | null
  /** What could not be done, with its reason; the rest was. */
  failedSteps: readonly ProcessingStep[]
  /** What would have found words or a caption but was left out, with its reason. */
  skippedSteps: readonly ProcessingStep[]
}

/** A file in the queue; a changed one is another object. */
export interface QueueEntry {
  id: number
  file: File
  status: EntryStatus
  /** Whether it is still to be looked whether the memory has it; it is not sent before. */
  isUnchecked: boolean
  /** Percent of its bytes that were sent. */
  progress: number
  /** What the server calls the part of it that has arrived; null for files that are sent whole. */
  partialId: string | null
  /** True while its connection is away. */
  isWaiting: boolean
  /** What the server calls it; null until it has the bytes. */
  mediaId: string | null
  mediaType: MediaType | null
  thumbnail: string | null
  thumbhash: string | null
  /** What the server does with it, and how far that is. */
  steps: readonly ProcessingStep[]
  /** From 1, among the user's own items that wait; null for one that doesn't. */
  queuePosition: number | null
  /** True when the same bytes were in the memory before. */
  isDuplicate: boolean
  result: UploadResult | null
  /** What was thrown, or the server's reason for which processing failed. */
  error: unknown
}

/** A file that begins its way. */
export function newEntry(id: number, file: File): QueueEntry {
  return {
    id,
    file,
    status: 'pending',
    isUnchecked: true,
    progress: 0,
    partialId: null,
    isWaiting: false,
    mediaId: null,
    mediaType: null,
    thumbnail: null,
    thumbhash: null,
    steps: [],
    queuePosition: null,
    isDuplicate: false,
    result: null,
    error: null,
  }
}

/** What the server's item says about its entry. */
export function changesFromItem(item: MediaItemJson): Partial<QueueEntry> {
  const known: Partial<QueueEntry> = {
    progress: 100,
    mediaId: item.id,
    mediaType: item.media_type,
    thumbnail: item.thumbnail,
    thumbhash: item.thumbhash,
    steps: item.processing_steps,
    queuePosition: item.queue_position ?? null,
  }
  if (item.processing_status === 'completed') {
    return { ...known, status: 'completed', error: null, result: resultOf(item) }
  }
  if (item.processing_status === 'failed') {
    return { ...known, status: 'error', error: new ProcessingFailure(item.error, item.error_told) }
  }
  return { ...known, status: 'processing', error: null }
}

const findingSteps: ReadonlySet<ProcessingStep['name']> = new Set(['caption', 'read', 'transcribe'])

function resultOf(item: MediaItemJson): UploadResult {
  return {
    caption: item.caption || null,
    extractedText: item.extracted_text || item.content || null,
    transcription: item.transcription || null,
    failedSteps: item.processing_steps.filter(({ status }) => status === 'failed'),
    skippedSteps: item.processing_steps.filter(({ name, status }) => status === 'skipped' && findingSteps.has(name)),
  }
}

/** The server could do nothing with a file; its reason is for a person. */
export class ProcessingFailure extends Error {
  readonly told: CodedSentence[]
  constructor(reason: string | null, told: CodedSentence[] = []) {
    super(reason ?? '')
    this.told = told
    this.name = 'ProcessingFailure'
  }
}

/** What a file is said to be by its name and type, until the server has looked inside. */
export function likelyType({ name, type }: Pick<File, 'name' | 'type'>): MediaType {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const isLikely = (mediaType: MediaType) =>
    takenEndingsOf(mediaType).includes(ending) || type.startsWith(`${mediaType}/`)
  return mediaTypes.find(isLikely) ?? 'document'
}
