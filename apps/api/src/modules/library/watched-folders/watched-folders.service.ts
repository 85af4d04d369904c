import type { NewWatchedFolder, WatchedFilesResponse, WatchedFolder, WatchedFoldersResponse } from '@mira/shared'
import { ConflictError, NotFoundError, ValidationError } from '../../../errors.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import { type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import { realFolder } from '../../../platform/storage/folder-walk.ts'
import { say } from '../../../sentences.ts'
import type { WatchedFoldersStore } from './watched-folders.store.ts'

interface WatchedFoldersDeps {
  store: WatchedFoldersStore
  /** Folder that contains all watchable folders; null when watching is off. */
  root: string | null
  queue: Queue
}

export type WatchedFoldersService = ReturnType<typeof createWatchedFoldersService>

const noFolder = () => new NotFoundError('This folder isn’t watched.')

/** Folders on the server whose files are copied into users' libraries. */
export function createWatchedFoldersService({ store, root, queue }: WatchedFoldersDeps) {
  /** Enqueues a scan of a folder, which any server may run. */
  const scanSoon = (folderId: string, userId: string) =>
    queue.enqueue('scan-folder', { folder_id: folderId }, { userId })

  const requireFolder = async (id: string): Promise<WatchedFolder> => {
    const folder = await store.find(id)
    if (folder === null) throw noFolder()
    return folder
  }

  const wrongField = (path: 'path' | 'user_id', code: string, message: string) =>
    new ValidationError(message, { code, errors: [{ path, message }] })

  return {
    /** In order of creation. */
    list: async (): Promise<WatchedFoldersResponse> => ({ root, folders: await store.list() }),

    /** @throws ValidationError for a folder that may not be watched; ConflictError for one that's already watched. */
    async add({ path, user_id: userId, enabled }: NewWatchedFolder): Promise<WatchedFolder> {
      if (root === null) {
        const sentence = say('folder_no_root', {})
        const errors = [{ path: 'path', message: sentence.text }]
        throw new ValidationError(sentence, { code: 'folder_no_root', errors })
      }
      const real = await realFolder(path, root)
      if (real === null) throw wrongField('path', 'folder_outside', `There is no such folder below ${root}.`)
      if (!(await store.hasUser(userId))) throw wrongField('user_id', 'not_found', 'There is no such user.')
      if (await store.isWatched(real, userId)) {
        throw new ConflictError('This folder is already being watched for this user.', { code: 'folder_watched' })
      }
      const id = await store.add({ path: real, userId, isEnabled: enabled })
      if (enabled) await scanSoon(id, userId)
      return requireFolder(id)
    },

    /** @throws NotFoundError */
    async setEnabled(id: string, isEnabled: boolean): Promise<WatchedFolder> {
      if (!(await store.setEnabled(id, isEnabled))) throw noFolder()
      const folder = await requireFolder(id)
      if (isEnabled) await scanSoon(id, folder.user_id)
      return folder
    },

    /** Stops watching a folder; copied items stay. @throws NotFoundError */
    async remove(id: string): Promise<void> {
      if (!(await store.remove(id))) throw noFolder()
    },

    /** @throws NotFoundError */
    async scan(id: string): Promise<WatchedFolder> {
      const folder = await requireFolder(id)
      await scanSoon(id, folder.user_id)
      return folder
    },

    /** Enqueues a scan of every enabled folder, unless one is queued or running. */
    async scanAll(): Promise<void> {
      if (root === null) return
      await tryEach(await store.enabled(), ({ id, userId }) =>
        queue.enqueue('scan-folder', { folder_id: id }, { userId, unlessQueued: true }),
      )
    },

    /** Newest first. @throws NotFoundError */
    async files(
      id: string,
      { state, ...query }: PageQuery & { state?: 'kept' | 'failed' | 'gone' | undefined },
    ): Promise<WatchedFilesResponse> {
      await requireFolder(id)
      const { items, nextCursor } = await readPage(query, (limits) => store.listFiles(id, { ...limits, state }))
      const files = items.map((row) => ({
        id: row.id,
        path: row.relativePath,
        state: row.state as 'kept' | 'failed' | 'gone',
        media_id: row.mediaItemId,
        problem: row.problem,
        gone_at: row.goneAt,
      }))
      return { files, next_cursor: nextCursor }
    },
  }
}
