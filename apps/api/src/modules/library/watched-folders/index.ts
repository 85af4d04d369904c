import type { Context } from '../../../context-type.ts'
import { folderReader } from '../../../platform/storage/folder-walk.ts'
import { createScanning, type Scanning } from './scanning.ts'
import { createWatchedFoldersService, type WatchedFoldersService } from './watched-folders.service.ts'
import { createWatchedFoldersStore } from './watched-folders.store.ts'

/** A file that was changed so lately may still be written. */
const SETTLED_MS = 5_000

/** Builds what copies the files of watched folders into people's memories. */
export function buildWatchedFolders(
  tools: Pick<Context, 'config' | 'database' | 'queue' | 'settings' | 'uploads'> & {
    settledMs: number | undefined
  },
): { watchedFolders: WatchedFoldersService; scanning: Scanning; scanFolders(): Promise<void> } {
  const { config, database, queue, settings, uploads, settledMs = SETTLED_MS } = tools
  const store = createWatchedFoldersStore(database)
  const root = config.watchedFoldersRoot ?? null
  const scanning = createScanning({
    store,
    folders: folderReader,
    root,
    intake: {
      admit: uploads.admit,
      receive: uploads.receive,
      accept: (given) =>
        uploads.accept(
          { ...given, inAnalytics: false },
          { generate_caption: true, extract_text: true, keep_place: false, wait: 0 },
        ),
    },
    maxFileBytes: () => settings.current().limits.upload_bytes,
    settledMs,
  })
  const scanSoon = (folderId: string, userId: string) =>
    queue.enqueue('scan-folder', { folder_id: folderId }, { userId })
  return {
    watchedFolders: createWatchedFoldersService({ store, folders: folderReader, root, scanSoon }),
    scanning,
    async scanFolders() {
      if (root === null) return
      for (const { id, userId } of await store.enabled()) await scanSoon(id, userId)
    },
  }
}
