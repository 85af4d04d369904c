import { join } from 'node:path'
import { PARTIAL_UPLOAD_HOURS } from '@mira/shared'
import type { Context } from '../../context-type.ts'
import { guessIntent, unpackIntents } from '../../offline/intents/intent-classifier.ts'
import { packedClassifierSchema } from '../../offline/intents/packed-classifier.ts'
import { guessLanguage, searchConfiguration } from '../../offline/language/language.ts'
import type { PictureFiles } from '../../parsers/image/picture-files.ts'
import { sniffFile } from '../../parsers/sniff/sniff.ts'
import type { LooseFiles } from '../../platform/database/loose-files.ts'
import { sqlOf } from '../../platform/database/sql.ts'
import { loadOnce } from '../../platform/lib/load-once.ts'
import { type AdmissionLimits, createAdmission } from '../../platform/storage/admission.ts'
import { createPartialFiles } from '../../platform/storage/partial-files.ts'
import type { RequireRoom } from '../../platform/storage/storage-limit.ts'
import { zipOf } from '../../platform/storage/zip.ts'
import { createArchivesService } from './items/archives.service.ts'
import { createCorrectionsService } from './items/corrections.service.ts'
import { createCorrectionsStore } from './items/corrections.store.ts'
import { createDetailStore } from './items/detail.store.ts'
import { createLibraryStore } from './items/library.store.ts'
import { createMediaService } from './items/media.service.ts'
import { createMediaStore } from './items/media.store.ts'
import { createOwnFactsService } from './items/own-facts.service.ts'
import { createOwnFactsStore } from './items/own-facts.store.ts'
import { tagLabel } from './items/tag-label.ts'
import { createTagSuggestionsService } from './items/tag-suggestions.service.ts'
import { createTagSuggestionsStore } from './items/tag-suggestions.store.ts'
import { createTellItems } from './items/tell-items.ts'
import { createImprovingService } from './pipeline/improving.service.ts'
import { createImprovingStore } from './pipeline/improving.store.ts'
import type { ProcessingService } from './pipeline/processing.service.ts'
import { createMediaTrashService } from './trash/trash.service.ts'
import { createMediaTrashStore } from './trash/trash.store.ts'
import { createPartialUploadLocks } from './upload/partial-upload-locks.ts'
import { createPartialUploadsService, type PartialUploadsDeps } from './upload/partial-uploads.service.ts'
import { createPartialUploadsStore } from './upload/partial-uploads.store.ts'
import { createUploadService } from './upload/upload.service.ts'
import { UPLOAD_LIMITS, uploadWords } from './upload/upload-limits.ts'

export interface LibraryTools
  extends Pick<Context, 'config' | 'log' | 'database' | 'files' | 'queue' | 'settings' | 'events'> {
  looseFiles: LooseFiles
  pictureFiles: PictureFiles
  processing: ProcessingService
  requireRoom: RequireRoom
  removeLooseFiles(): Promise<void>
  signPath(userId: string, path: string): string
  signTicket(userId: string, path: string, lifetimeSeconds: number): string
  limits: Partial<AdmissionLimits> | undefined
  requireMayImport: PartialUploadsDeps['requireMayImport']
  beginImport: PartialUploadsDeps['beginImport']
}

export interface MediaLibrary
  extends Pick<
    Context,
    'media' | 'mediaTrash' | 'archives' | 'corrections' | 'ownFacts' | 'improving' | 'uploads' | 'partialUploads'
  > {
  /** Removes what has arrived of one person's unfinished uploads. */
  removePartialsOf(userId: string): Promise<void>
}

/** Builds what takes people's files, lists them, and lets people correct what was read in them. */
export async function buildMediaLibrary(tools: LibraryTools): Promise<MediaLibrary> {
  const { config, database, files, looseFiles, queue, processing, requireRoom, settings, events, signPath } = tools
  const { publish } = events
  const trashDays = () => settings.current().retention.trash_days
  const store = createMediaStore(database, files.pathOf)
  const library = createLibraryStore(database)
  const tagSuggestions = createTagSuggestionsService({
    store: createTagSuggestionsStore(database),
    tagsOf: library.tags,
    readModel(kept) {
      const packed = packedClassifierSchema.safeParse(kept)
      return packed.success ? unpackIntents(packed.data) : null
    },
    guess: guessIntent,
    labelOf: tagLabel,
  })
  const media = createMediaService({
    store,
    library,
    suggestTags: tagSuggestions.suggest,
    trashDays,
    details: createDetailStore(database),
    pictureFiles: tools.pictureFiles,
    processing,
    signPath,
    publish,
    removeLooseFiles: tools.removeLooseFiles,
  })
  const mediaTrash = createMediaTrashService({
    store: createMediaTrashStore(database),
    processing,
    trashDays,
    publish,
  })
  const archives = createArchivesService({ store, files, zipOf, signTicket: tools.signTicket, log: tools.log })
  const ownFacts = createOwnFactsService({
    store: createOwnFactsStore(),
    transaction: store.transaction,
    tell: createTellItems(publish),
  })
  const corrections = createCorrectionsService({
    store: createCorrectionsStore(database),
    processing,
    guessLanguage,
    searchConfiguration,
    setFactsIn: (tx, ...facts) => ownFacts.setIn(sqlOf(tx), ...facts),
    publish,
  })
  const improving = createImprovingService({
    store: createImprovingStore(database),
    reprocess: processing.reprocess,
    enqueue: (job, startAfter) => queue.enqueue('improve-media', job, startAfter ? { startAfter } : {}),
  })
  const limits = { ...UPLOAD_LIMITS, ...tools.limits }
  const admit = createAdmission({
    freeBytes: () => files.freeBytes(),
    limits,
    words: uploadWords(limits),
    requireRoom,
  })
  const uploads = createUploadService({
    store,
    media,
    files,
    looseFiles,
    sniffFile,
    processing,
    admit,
    publish,
  })
  // on the same disk as the files that they become
  const partialFiles = await createPartialFiles({ directory: join(config.dataDir, 'files', 'partial') })
  const partialUploadsStore = createPartialUploadsStore(database)
  const partialUploads = createPartialUploadsService({
    store: partialUploadsStore,
    partialFiles,
    files,
    media,
    uploads,
    admit,
    requireRoom,
    maxBytes: () => settings.current().limits.upload_bytes,
    keptFreeBytes: limits.keptFreeBytes,
    requireMayImport: tools.requireMayImport,
    beginImport: tools.beginImport,
    locks: createPartialUploadLocks({ store: partialUploadsStore }),
    createTus: (rules) => {
      const tus = loadOnce(async () => {
        const { createTus } = await import('../../platform/storage/tus.ts')
        const lifetimeMs = PARTIAL_UPLOAD_HOURS * 3_600_000
        return createTus({ files: partialFiles, rules, path: '/api/media/uploads', lifetimeMs })
      })
      return { handle: async (sender, request) => (await tus()).handle(sender, request) }
    },
  })
  const removePartialsOf = partialFiles.removeAll
  return { media, mediaTrash, archives, corrections, ownFacts, improving, uploads, partialUploads, removePartialsOf }
}

export { createItemPictures } from './items/item-pictures.service.ts'
export { createItemPicturesStore } from './items/item-pictures.store.ts'
export type { MediaService } from './items/media.service.ts'
export type { FileReaders } from './pipeline/index.ts'
export type { ProcessingService } from './pipeline/processing.service.ts'
export { chunksOf } from './pipeline/steps/text-chunks.ts'
export { cleanFileName } from './upload/file-name.ts'
export { tagLabel }
