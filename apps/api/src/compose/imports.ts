import { createArchiveReader } from '../adapters/chat-archives/archive-reader.ts'
import type { UseScratch } from '../adapters/files/scratch.ts'
import type { Caging } from '../adapters/process/caging.ts'
import type { LooseFiles } from '../db/loose-files.ts'
import type { TakingOverService } from '../features/chat/taking-over/taking-over.service.ts'
import { createImportRunner, type ImportRunner } from '../features/imports/import-runner.ts'
import { createImportsService, type ImportsService } from '../features/imports/imports.service.ts'
import { createImportsStore } from '../features/imports/imports.store.ts'
import type { Context } from './context-type.ts'

/** What things are brought from other programs with. */
export interface ImportsTools
  extends Pick<Context, 'log' | 'database' | 'files' | 'queue' | 'events' | 'chat' | 'media'> {
  caging: Caging
  looseFiles: LooseFiles
  useScratch: UseScratch
  takingOver: TakingOverService
  removeLooseFiles(): Promise<void>
}

/** Builds what brings people's things from other programs. */
export function buildImports(tools: ImportsTools): {
  imports: ImportsService
  importRunner: ImportRunner
  closeImports(): Promise<void>
} {
  const { log, database, files, queue, events, chat, media, looseFiles, removeLooseFiles } = tools
  const { publish } = events
  const store = createImportsStore(database)
  const archives = createArchiveReader({ caging: tools.caging, warn: (fields, sentence) => log.warn(fields, sentence) })
  const imports = createImportsService({
    store,
    files,
    looseFiles,
    removeLooseFiles,
    publish,
    enqueue: (tx, id) => queue.enqueue('import-things', { import_id: id }, { tx }),
    enqueueAgain: (id) => queue.enqueue('import-things', { import_id: id }),
    removeSessions: chat.removeMany,
    removeItems: media.remove,
    now: () => new Date(),
  })
  const importRunner = createImportRunner({
    store,
    files,
    archives,
    useScratch: tools.useScratch,
    takeOver: tools.takingOver.takeOver,
    removeLooseFiles,
    publish,
    log,
  })
  return { imports, importRunner, closeImports: () => archives.close() }
}
