import { VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { zipOf } from '../../../platform/storage/zip.ts'
import { createAccountStore } from './account.store.ts'
import { createDeletionService, type DeletionDeps, type DeletionService } from './deletion.service.ts'
import { createExportService, type ExportDeps, type ExportService } from './export.service.ts'
import type { PreferencesService } from './preferences.service.ts'

/** Dependencies of exporting and deleting a user's data. */
export interface AccountTools
  extends Pick<Context, 'log' | 'database' | 'files' | 'auth' | 'chatExports' | 'events'>,
    Pick<ExportDeps, 'signTicket' | 'notify'>,
    Pick<DeletionDeps, 'removeLooseFiles' | 'removePartialUploads'> {
  preferences: PreferencesService
}

/** Builds what people choose, take along of theirs, and delete. */
export function buildAccount(tools: AccountTools): {
  exports: ExportService
  deletion: DeletionService
  preferences: PreferencesService
} {
  const { log, database, files, auth, chatExports, events, signTicket, notify } = tools
  const { removeLooseFiles, removePartialUploads } = tools
  const store = createAccountStore(database)
  const { publish } = events
  const exports = createExportService({
    store,
    files,
    zipOf,
    signTicket,
    publish,
    notify,
    log,
    conversationMarkdown: async (reader, sessionId) =>
      (await chatExports.open(reader.id, sessionId, 'markdown', reader)).text,
    version: VERSION,
  })
  const deletion = createDeletionService({
    store,
    files,
    removeLooseFiles,
    removePartialUploads,
    publish,
    confirmPassword: auth.confirmPassword,
  })
  return { exports, deletion, preferences: tools.preferences }
}
