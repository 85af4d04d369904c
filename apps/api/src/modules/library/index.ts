import { join } from 'node:path'
import type { Common } from '../../common.ts'
import { type AdmissionLimits, createAdmission } from '../../platform/storage/admission.ts'
import { createPartialFiles } from '../../platform/storage/partial-files.ts'
import type { ImportsService } from './imports/imports.service.ts'
import { createArchivesService } from './items/archives.service.ts'
import { createCorrectionsService, createOwnFactsService } from './items/corrections.service.ts'
import { createCorrectionsStore } from './items/corrections.store.ts'
import { createLibraryStore } from './items/library.store.ts'
import { createMediaService, type MediaService } from './items/media.service.ts'
import { createMediaStore } from './items/media.store.ts'
import { createOwnFactsStore } from './items/own-facts.store.ts'
import { createTagSuggestionsService } from './items/tag-suggestions.service.ts'
import { createNotesService } from './notes/notes.service.ts'
import { createBulkReprocessingService } from './pipeline/bulk-reprocessing.service.ts'
import { createBulkReprocessingStore } from './pipeline/bulk-reprocessing.store.ts'
import type { ProcessingService } from './pipeline/processing.service.ts'
import { createMediaTrashService } from './trash/trash.service.ts'
import { createMediaTrashStore } from './trash/trash.store.ts'
import { createPartialUploadsService } from './upload/partial-uploads.service.ts'
import { createPartialUploadsStore } from './upload/partial-uploads.store.ts'
import { createUploadService, type UploadService } from './upload/upload.service.ts'
import { UPLOAD_LIMITS, uploadLimitTexts } from './upload/upload-refusal.ts'
import { createWebFiles } from './upload/web-files.ts'
import { createScanning } from './watched-folders/scanning.ts'
import { createWatchedFoldersService } from './watched-folders/watched-folders.service.ts'
import { createWatchedFoldersStore } from './watched-folders/watched-folders.store.ts'
import { createPagesService, type PageLimits } from './web-pages/pages.service.ts'

interface LibraryTools extends Common {
  processing: ProcessingService
  limits: Partial<AdmissionLimits> | undefined
  pageLimits: Partial<PageLimits> | undefined
  /** Time without changes before a file of a watched folder is copied. */
  settledMs: number | undefined
}

/** Builds the users' library: items, uploads, notes, web pages and watched folders. */
export function buildLibrary(tools: LibraryTools) {
  const { config, database, files, requireSpace } = tools
  const store = createMediaStore(database, files.pathOf)
  const library = createLibraryStore(database)
  const media = createMediaService({
    ...tools,
    store,
    library,
    tagSuggestions: createTagSuggestionsService({ database, library }),
  })
  const ownFacts = createOwnFactsService({ ...tools, store: createOwnFactsStore(database) })
  const limits = { ...UPLOAD_LIMITS, ...tools.limits }
  const admit = createAdmission({
    freeBytes: () => files.freeBytes(),
    limits,
    texts: uploadLimitTexts(limits),
    requireSpace,
  })
  const uploads = createUploadService({ ...tools, store, media, admit })
  const webFiles = createWebFiles({ ...tools, uploads })
  const foldersStore = createWatchedFoldersStore(database)
  const root = config.watchedFoldersRoot ?? null
  return {
    media,
    mediaTrash: createMediaTrashService({ ...tools, store: createMediaTrashStore(database) }),
    archives: createArchivesService({ ...tools, store }),
    ownFacts,
    corrections: createCorrectionsService({ ...tools, store: createCorrectionsStore(database), ownFacts }),
    bulkReprocessing: createBulkReprocessingService({ ...tools, store: createBulkReprocessingStore(database) }),
    uploads,
    webFiles,
    notes: createNotesService({ ...tools, uploads }),
    pages: createPagesService({
      ...tools,
      uploads,
      webFiles,
      limits: tools.pageLimits,
    }),
    watchedFolders: createWatchedFoldersService({ ...tools, store: foldersStore, root }),
    scanning: createScanning({ ...tools, store: foldersStore, root, uploads }),
  }
}

interface PartialUploadTools
  extends Pick<LibraryTools, 'config' | 'database' | 'files' | 'requireSpace' | 'settings' | 'limits'> {
  media: MediaService
  uploads: UploadService
  imports: ImportsService
}

/** Builds partial uploads, which become items or imports. */
export async function buildPartialUploads(tools: PartialUploadTools) {
  const { keptFreeBytes } = { ...UPLOAD_LIMITS, ...tools.limits }
  return createPartialUploadsService({
    ...tools,
    store: createPartialUploadsStore(tools.database),
    // On the same disk as the files that they become.
    partialFiles: await createPartialFiles({ directory: join(tools.config.dataDir, 'files', 'partial') }),
    keptFreeBytes,
  })
}

export { buildImports } from './imports/index.ts'
export type { CorrectionsService } from './items/corrections.service.ts'
export { createItemPictures } from './items/item-pictures.service.ts'
export { createItemPicturesStore, type ItemPicturesStore } from './items/item-pictures.store.ts'
export type { MediaService } from './items/media.service.ts'
export { tagLabel } from './items/tag-suggestions.service.ts'
export type { NotesService } from './notes/notes.service.ts'
export { buildProcessing, type FileReaders } from './pipeline/index.ts'
export type { ProcessingService } from './pipeline/processing.service.ts'
export type { StepOutcome } from './pipeline/step.ts'
export { chunksOf, type EmbeddingTurn } from './pipeline/steps/embed.ts'
export { cleanFileName } from './upload/file-name.ts'
export type { UploadService } from './upload/upload.service.ts'
export type { WebFiles } from './upload/web-files.ts'
