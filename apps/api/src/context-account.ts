import { zipOf } from './adapters/files/zip.ts'
import { VERSION } from './config.ts'
import type { Context } from './context.ts'
import { createAccountStore } from './features/account/account.store.ts'
import { createDeletionService, type DeletionDeps, type DeletionService } from './features/account/deletion.service.ts'
import { createExportService, type ExportDeps, type ExportService } from './features/account/export.service.ts'

/** What people's own data is exported and deleted with. */
export interface AccountGround
  extends Pick<Context, 'log' | 'database' | 'files' | 'auth' | 'chatExports' | 'events'>,
    Pick<ExportDeps, 'signPath' | 'notify'>,
    Pick<DeletionDeps, 'removeLooseFiles' | 'removePartialUploads'> {}

/** Builds what people take along of theirs, and delete. */
export function buildAccount(ground: AccountGround): { exports: ExportService; deletion: DeletionService } {
  const { log, database, files, auth, chatExports, events, signPath, notify } = ground
  const { removeLooseFiles, removePartialUploads } = ground
  const store = createAccountStore(database)
  const { publish } = events
  const exports = createExportService({
    ...{ store, files, zipOf, signPath, publish, notify, log },
    conversationMarkdown: async (reader, sessionId) =>
      (await chatExports.open(reader.id, sessionId, 'markdown', reader)).text,
    version: VERSION,
  })
  const deletion = createDeletionService({
    ...{ store, files, removeLooseFiles, removePartialUploads, publish },
    confirmPassword: auth.confirmPassword,
  })
  return { exports, deletion }
}
