import type { CodedSentence, MediaItemJson, MediaType, ProcessingStep } from '@mira/shared'
import { acceptedExtensionsOf } from '@mira/shared/constants/formats'
import { mediaTypes } from '@mira/shared/constants/media'

/** Stage of an upload; while it's `processing`, the server has all bytes and processes the file. */
export type EntryStatus = 'pending' | 'uploading' | 'processing' | 'completed' | 'error'

/** Result of processing a file. */
export interface UploadResult {
  caption: string | null
  extractedText: string | null
  transcription: string | null
  /** Failed steps with their reasons; all others succeeded. */
  failedSteps: readonly ProcessingStep[]
  /** Steps for text or captions that were skipped, with their reasons. */
  skippedSteps: readonly ProcessingStep[]
}

/** A file in the queue; immutable. */
export interface QueueEntry {
  id: number
  file: File
  status: EntryStatus
  /** True until the memory has been checked for the same file; the file is sent only after that. */
  isUnchecked: boolean
  /** Percentage of its bytes sent. */
  progress: number
  /** Id of its partial upload; null for files sent in one request. */
  partialId: string | null
  /** True while there's no connection. */
  isWaiting: boolean
  /** Id of its item; null until the server has all bytes. */
  mediaId: string | null
  mediaType: MediaType | null
  thumbnail: string | null
  thumbhash: string | null
  /** Processing steps with their progress. */
  steps: readonly ProcessingStep[]
  /** From 1, among the user's own queued items; null when it isn't queued. */
  queuePosition: number | null
  /** True when the same bytes were in the memory before. */
  isDuplicate: boolean
  result: UploadResult | null
  /** Thrown value, or the server's reason for the failed processing. */
  error: unknown
}

/** Initial entry of a file. */
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

/** Changes to an entry from the server's item. */
export function changesFromItem(item: MediaItemJson): Partial<QueueEntry> {
  const changes: Partial<QueueEntry> = {
    progress: 100,
    mediaId: item.id,
    mediaType: item.media_type,
    thumbnail: item.thumbnail,
    thumbhash: item.thumbhash,
    steps: item.processing_steps,
    queuePosition: item.queue_position ?? null,
  }
  if (item.processing_status === 'completed') {
    return { ...changes, status: 'completed', error: null, result: resultOf(item) }
  }
  if (item.processing_status === 'failed') {
    return { ...changes, status: 'error', error: new ProcessingFailure(item.error, item.error_told) }
  }
  return { ...changes, status: 'processing', error: null }
}

const contentSteps: ReadonlySet<ProcessingStep['name']> = new Set(['caption', 'read', 'transcribe'])

function resultOf(item: MediaItemJson): UploadResult {
  return {
    caption: item.caption || null,
    extractedText: item.extracted_text || item.content || null,
    transcription: item.transcription || null,
    failedSteps: item.processing_steps.filter(({ status }) => status === 'failed'),
    skippedSteps: item.processing_steps.filter(({ name, status }) => status === 'skipped' && contentSteps.has(name)),
  }
}

/** The server couldn't process a file; its reason is shown to the user. */
export class ProcessingFailure extends Error {
  readonly sentences: CodedSentence[]
  constructor(reason: string | null, sentences: CodedSentence[] = []) {
    super(reason ?? '')
    this.sentences = sentences
    this.name = 'ProcessingFailure'
  }
}

/**
 * Probable media type until the server has examined the file. The extension takes precedence over the MIME type, as browsers
 * take `.ts` for video.
 */
export function likelyType({ name, type }: Pick<File, 'name' | 'type'>): MediaType {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return (
    mediaTypes.find((mediaType) => acceptedExtensionsOf(mediaType).includes(extension)) ??
    mediaTypes.find((mediaType) => type.startsWith(`${mediaType}/`)) ??
    'document'
  )
}

/** Lookup of files that are already in the memory. */
export interface KnownFiles {
  /** SHA-256, hexadecimal. */
  sha256Of: (file: File) => Promise<string>
  /** Ids of existing items by their hash. */
  fetchKnownItems: (hashes: readonly string[]) => Promise<Map<string, string>>
}

interface LookupTools {
  knownFiles: KnownFiles | undefined
  /** Entries still to look up, in order. */
  next: () => readonly QueueEntry[]
  /** Receives the id of the item with the same bytes, or null. */
  settle: (entryId: number, mediaId: string | null) => Promise<void>
}

/** Limits of a batch: number of files or bytes, whichever is reached first. */
const MAX_BATCH_FILES = 20
const MAX_BATCH_BYTES = 64 * 1024 * 1024
/** Larger files aren't hashed, since reading them twice takes minutes: the server recognises them after the upload. */
const MAX_HASHED_FILE_BYTES = 2 * 1024 ** 3

/** Looks up in batches which queued files already exist, before they're sent; when a lookup fails, its files count as new. */
export function createUploadedLookup({ knownFiles, next, settle }: LookupTools): { lookUpPending: () => void } {
  let isLooking = false

  async function lookUpBatch({ sha256Of, fetchKnownItems }: KnownFiles, batch: readonly QueueEntry[]): Promise<void> {
    const hashes = new Map<number, string>()
    for (const { id, file } of batch) {
      if (file.size > MAX_HASHED_FILE_BYTES) continue
      // an unreadable file fails when it's sent, with the reason
      await sha256Of(file).then(
        (hash) => hashes.set(id, hash),
        (error: unknown) => console.warn('Failed to hash a file', error),
      )
    }
    const uniqueHashes = [...new Set(hashes.values())]
    const idsByHash = uniqueHashes.length === 0 ? new Map<string, string>() : await fetchKnownItems(uniqueHashes)
    for (const { id } of batch) await settle(id, idsByHash.get(hashes.get(id) ?? '') ?? null)
  }

  const lookUpAll = async (lookup: KnownFiles) => {
    for (let batch = nextBatch(next()); batch.length > 0; batch = nextBatch(next())) {
      await lookUpBatch(lookup, batch).catch(async (error: unknown) => {
        console.warn('Failed to look up existing files', error)
        for (const { id } of batch) await settle(id, null)
      })
    }
  }

  return {
    lookUpPending() {
      if (isLooking || knownFiles === undefined) return
      isLooking = true
      void lookUpAll(knownFiles).finally(() => {
        isLooking = false
      })
    },
  }
}

function nextBatch(entries: readonly QueueEntry[]): readonly QueueEntry[] {
  let bytes = 0
  return entries.slice(0, MAX_BATCH_FILES).filter(({ file }, index) => {
    bytes += file.size
    return index === 0 || bytes <= MAX_BATCH_BYTES
  })
}
