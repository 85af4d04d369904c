import type { MediaItem } from '@mira/shared'
import { ValidationError } from '../../../errors.ts'
import { sniffFile } from '../../../parsers/sniff/sniff.ts'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import type { UnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { Admit } from '../../../platform/storage/admission.ts'
import type { Files, ReceivedFile } from '../../../platform/storage/files.ts'
import { say } from '../../../sentences.ts'
import type { MediaService } from '../items/media.service.ts'
import type { AddedItem, ItemSource, MediaStore } from '../items/media.store.ts'
import { isDone } from '../items/present.ts'
import type { ProcessingService } from '../pipeline/processing.service.ts'
import { cleanFileName } from './file-name.ts'
import { noteType, requireSize, storedTypeOf } from './upload-refusal.ts'

interface UploadDeps {
  store: MediaStore
  media: MediaService
  files: Files
  unreferencedFiles: UnreferencedFiles
  processing: ProcessingService
  events: Events
  /** Limits files being received at the same time. */
  admit: Admit
}

/** A completely received file. */
interface FileToAccept {
  userId: string
  /** Name given by the sender. */
  name: string
  file: ReceivedFile
  countsInAnalytics: boolean
  /** Source; undefined for an uploaded file. */
  source?: ItemSource
  /** Additional work in the transaction that adds the item; when it throws, nothing is stored. */
  alongside?: (sql: SqlTransaction, item: AddedItem) => Promise<void>
  /** Duration of the upload; undefined for a partial upload. */
  durationMs?: number
}

interface UploadOptions {
  generate_caption: boolean
  extract_text: boolean
  keep_place: boolean
  /** Maximum wait for processing, in seconds. */
  wait: number
}

/** Outcome of an upload: a new item, processed or not, or existing content. */
interface Uploaded {
  item: MediaItem
  outcome: 'done' | 'processing' | 'known'
}

export type UploadService = ReturnType<typeof createUploadService>

/** Uploads; a successful response means that the file, its row and its job are stored. */
export function createUploadService(deps: UploadDeps) {
  const { store, media, files, unreferencedFiles, processing, events } = deps
  /** Validates and stores a received file; a failure leaves nothing behind. */
  const storeItem = async (input: FileToAccept, options: UploadOptions): Promise<AddedItem> => {
    const { userId, file, countsInAnalytics, source, durationMs, alongside } = input
    if (file.sizeBytes === 0) throw new ValidationError(say('upload_empty', {}), { code: 'empty_file' })
    const { mediaType, format, contentType } =
      source?.kind === 'note' ? noteType : storedTypeOf(await sniffFile(file.filename), input.name)
    requireSize(mediaType, file.sizeBytes)
    const originalFilename = cleanFileName(input.name, `${mediaType}.${format}`)
    const path = files.pathOf(userId, file.sha256)
    const reservationId = await unreferencedFiles.reserve(path)
    const { sha256, sizeBytes } = await file.store(userId)
    const detail = { action: 'uploaded', title: originalFilename, media_type: mediaType }
    const activity = {
      kind: 'upload' as const,
      detail,
      countsInAnalytics,
      ...(durationMs === undefined ? {} : { durationMs }),
    }
    const item = { mediaType, contentType, sha256, sizeBytes, path, originalFilename, width: null, height: null }
    const stepOptions = {
      keepsLocation: options.keep_place,
      wantsCaption: options.generate_caption,
      wantsText: options.extract_text,
    }
    return store.transaction(async (sql) => {
      const added = await media.add(userId, { ...item, ...stepOptions, source, reservationId, activity }, sql)
      await alongside?.(sql, added)
      return added
    })
  }

  return {
    /** Admits a file. @throws what `Admit` throws. */
    admit: deps.admit,

    /** Receives a file, which the caller then accepts or discards. */
    receive: files.receive,

    /**
     * Turns a received file into an item. Existing content returns its item, restored from the trash and processed again if it
     * had failed.
     * @throws ValidationError for an empty file; UnsupportedTypeError; StorageFullError.
     */
    async accept(file: FileToAccept, options: UploadOptions): Promise<AddedItem> {
      const { userId } = file
      const added = await storeItem(file, options).catch(async (error: unknown) => {
        await file.file.discard()
        throw error
      })
      const { id, isNew, isRestored, wasFailed } = added
      if (wasFailed) await processing.reprocess(userId, id)
      if (isNew || isRestored || wasFailed) events.publish(userId, { type: 'media.updated', ids: [id] })
      return added
    },

    /** Waits for the processing of an item, up to `wait` seconds. */
    async result(
      userId: string,
      { id, isNew }: { id: string; isNew: boolean },
      options: { wait: number; signal: AbortSignal },
    ): Promise<Uploaded> {
      if (isNew && options.wait > 0) {
        await processing.whenDone(id, AbortSignal.any([options.signal, AbortSignal.timeout(options.wait * 1000)]))
      }
      const item = await media.item(userId, id)
      if (!isNew) return { item, outcome: 'known' }
      return { item, outcome: isDone(item.processing_status) ? 'done' : 'processing' }
    },
  }
}
