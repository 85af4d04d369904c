import { setTimeout as sleep } from 'node:timers/promises'
import {
  can,
  IMPORT_PREVIEW_HOURS,
  type Import,
  type ImportFileSource,
  type ImportServer,
  type ImportSource,
  type ImportsResponse,
  importsMedia,
  MAX_OPEN_IMPORTS,
} from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { ConflictError, ForbiddenError, NotFoundError, TooManyRequestsError, ValidationError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { UnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { runAsUser } from '../../../platform/lib/current-user.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { storable } from '../../../platform/lib/storable.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { Admit } from '../../../platform/storage/admission.ts'
import type { Files, ReceivedFile } from '../../../platform/storage/files.ts'
import type { MediaService } from '../items/media.service.ts'
import type { MediaTrashService } from '../trash/trash.service.ts'
import type { ConversationStore } from './chat-importer.ts'
import type { ImportRunner } from './import-runner.ts'
import {
  beginUndoing,
  findUndoing,
  forgetImportedObjects,
  type ImportedObjectsStore,
  listImportedObjects,
} from './imported-objects.store.ts'
import type { ImportRow, ImportsStore } from './imports.store.ts'
import type { MetadataCompletion } from './metadata-completion.ts'

/** Library's view of the chat: deletes conversations, or moves them to the trash. */
export interface SessionRemover {
  removeMany(userId: string, ids: string[]): Promise<number>
  trashMany(userId: string, ids: string[]): Promise<number>
}

interface ImportsDeps {
  store: ImportsStore
  importedObjects: ImportedObjectsStore
  database: Database
  files: Files
  /** Limits how many files are received at the same time, including uploads. */
  admit: Admit
  unreferencedFiles: UnreferencedFiles
  importRunner: ImportRunner
  chat: SessionRemover
  conversations: Pick<ConversationStore, 'indexNext'>
  media: Pick<MediaService, 'remove'>
  mediaTrash: Pick<MediaTrashService, 'trash'>
  settings: SettingsReader
  metadataCompletion: MetadataCompletion
  queue: Queue
  events: Events
  seal: Seal
}

export type ImportsService = ReturnType<typeof createImportsService>

const NAME_MAX_CHARACTERS = 200
/** Small, so that other queries don't wait for long. */
const UNDO_BATCH_SIZE = 50
/** Time without progress after which an import's process counts as dead. */
const LOST_MS = 10 * 60_000
/** Polling intervals while an import is undone; each is twice the one before. */
const POLL_MS = { first: 50, max: 1_000 }
const HOUR_MS = 3_600_000

/** The user with their permissions. */
type ImportingUser = NonNullable<Parameters<typeof can>[0]> & { id: string }

const notFound = () => new NotFoundError('This import no longer exists.')

/** Service for imports from other programs: start, list, cancel and undo. */
export function createImportsService(deps: ImportsDeps) {
  const {
    store,
    importedObjects,
    database,
    files,
    unreferencedFiles,
    importRunner,
    metadataCompletion,
    queue,
    events,
    seal,
  } = deps
  const { chat, conversations, media, mediaTrash, settings } = deps

  const enqueue = (tx: Prisma.TransactionClient, id: string) =>
    queue.enqueue('import-things', { import_id: id }, { tx })
  const removeUnreferencedFiles = () => queue.enqueue('delete-files', { loose: true })

  const find = async (userId: string, id: string): Promise<ImportRow> => {
    const row = await store.find(userId, id)
    if (row === null) throw notFound()
    return row
  }

  const publishState = ({ userId, id, state }: Pick<ImportRow, 'userId' | 'id' | 'state'>) =>
    events.publish(userId, { type: 'import.progress', id, state })

  const addFile = async (user: ImportingUser, input: ImportFile): Promise<ImportRow> => {
    const { file, source, preview: isPreview, partialUploadId } = input
    const { id: userId } = user
    requireMayImport(user, source)
    if (file.sizeBytes === 0) throw new ValidationError('This file is empty.', { code: 'empty_file' })
    const path = files.pathOf(userId, file.sha256)
    const reservationId = await unreferencedFiles.reserve(path)
    await file.store(userId)
    const name = storable(cutText(input.name, NAME_MAX_CHARACTERS))
    return add(userId, { source, name, path, isPreview, reservationId, partialUploadId })
  }

  const add = async (userId: string, input: Parameters<ImportsStore['add']>[1]): Promise<ImportRow> => {
    const row = await store.add(userId, input, { max: MAX_OPEN_IMPORTS, enqueue })
    if (row !== null) return row
    throw new TooManyRequestsError('You already have three imports in progress. Wait until one of them is done.', {
      code: 'imports_running',
      retryAfterSeconds: 30,
    })
  }

  const endUndoing = async ({ id, userId }: Pick<ImportRow, 'id' | 'userId'>) => {
    await store.remove(userId, id)
    await removeUnreferencedFiles()
    publishState({ userId, id, state: 'undoing' })
  }

  return {
    /** Admits a file. @throws the errors of `Admit`. */
    admit: deps.admit,

    /** Receives a file, to be passed to `begin` or discarded. */
    receive: files.receive,

    /**
     * Starts a preview or an import of a file.
     * @throws ForbiddenError, ValidationError, TooManyRequestsError, StorageFullError; the file is then discarded.
     */
    async begin(user: ImportingUser, file: ImportFile): Promise<Import> {
      const row = await addFile(user, file).catch(async (error: unknown) => {
        await file.file.discard()
        throw error
      })
      publishState(row)
      return present(row)
    },

    /**
     * Starts a preview or an import from a server. Problems with the server become errors of the import.
     * @throws ForbiddenError, TooManyRequestsError
     */
    async beginFromServer(
      user: ImportingUser,
      { source, url, key, preview: isPreview }: ImportServer,
    ): Promise<Import> {
      requireMayImport(user, source)
      const row = await add(user.id, { source, name: storable(url), isPreview, sealedKey: seal.encrypt(key) })
      publishState(row)
      return present(row)
    },

    /**
     * Turns a finished preview into an import.
     * @throws NotFoundError, ForbiddenError; ConflictError when it isn't a finished preview.
     */
    async start(user: ImportingUser, id: string): Promise<Import> {
      requireMayImport(user, (await find(user.id, id)).source)
      const row = await store.start(user.id, id, enqueue)
      if (row === null) {
        throw new ConflictError('This import has already been started, or its preview failed.', {
          code: 'import_begun',
        })
      }
      publishState(row)
      return present(row)
    },

    /**
     * Repeats a refused preview, reading the file as another program's.
     * @throws NotFoundError, ForbiddenError; ConflictError when its file is gone.
     */
    async previewAs(user: ImportingUser, id: string, source: ImportFileSource): Promise<Import> {
      await find(user.id, id)
      requireMayImport(user, source)
      const row = await store.previewAs(user.id, id, source, enqueue)
      if (row === null) {
        throw new ConflictError('The file no longer exists. Choose it again.', { code: 'import_file_gone' })
      }
      publishState(row)
      return present(row)
    },

    async get(userId: string, id: string): Promise<Import> {
      const row = await find(userId, id)
      return present(row, (await importedObjects.countUnindexed([id])).get(id))
    },

    /** Newest first. @throws ValidationError for an invalid cursor. */
    async list(userId: string, { limit, cursor }: PageQuery): Promise<ImportsResponse> {
      const rows = await store.list(userId, { limit: limit + 1, after: readTimeCursor(cursor) })
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      const unsearched = await importedObjects.countUnindexed(items.map(({ id }) => id))
      const imports = items.map((row) => present(row, unsearched.get(row.id)))
      return { imports, next_cursor: nextCursor }
    },

    /**
     * Cancels a waiting or running import; undoes a finished one, in the background.
     * @returns null when done; the import when it isn't undone within `waitSeconds`.
     * @throws NotFoundError
     */
    async remove(
      userId: string,
      id: string,
      { waitSeconds = Number.POSITIVE_INFINITY, signal }: { waitSeconds?: number | undefined; signal: AbortSignal },
    ): Promise<Import | null> {
      await find(userId, id)
      if (await store.cancel(userId, id)) {
        importRunner.stop(id)
        await removeUnreferencedFiles()
        publishState({ userId, id, state: 'cancelled' })
        return null
      }
      const { sessionIds, mediaItemIds } = await listImportedObjects(database, id, 1)
      if (sessionIds.length === 0 && mediaItemIds.length === 0) {
        await metadataCompletion.undo({ id, userId })
        await endUndoing({ id, userId })
        return null
      }
      await beginUndoing(database, userId, id, (tx) => queue.enqueue('undo-import', { import_id: id }, { tx }))
      publishState({ userId, id, state: 'undoing' })
      const deadline = performance.now() + waitSeconds * 1000
      for (let pauseMs = POLL_MS.first; ; pauseMs = Math.min(pauseMs * 2, POLL_MS.max)) {
        const row = await store.find(userId, id)
        if (row === null) return null
        const remainingMs = deadline - performance.now()
        if (remainingMs <= 0 || signal.aborted) return present(row)
        await sleep(Math.min(pauseMs, remainingMs), undefined, { signal }).catch(() => {})
      }
    },

    /**
     * Handles an `undo-import` job. Moves imported conversations and items to the trash in batches, since the user may have
     * added to them or uploaded them again. When the trash is turned off, they're deleted.
     */
    async undo(id: string, signal: AbortSignal): Promise<void> {
      const row = await findUndoing(database, id)
      if (row === null) return
      const { userId } = row
      // Metadata is undone first, since that of items in the trash isn't changed.
      await metadataCompletion.undo(row)
      for (;;) {
        signal.throwIfAborted()
        const { ids, sessionIds, mediaItemIds, unindexedSessionIds } = await listImportedObjects(
          database,
          id,
          UNDO_BATCH_SIZE,
        )
        if (ids.length === 0) break
        if (settings.current().retention.trash_days === 0) {
          await chat.removeMany(userId, sessionIds)
          await media.remove(userId, mediaItemIds)
        } else {
          await chat.trashMany(userId, sessionIds)
          await mediaTrash.trash(userId, mediaItemIds)
          // The words are indexed now, since nothing would index conversations that are detached and later restored.
          while (await conversations.indexNext(unindexedSessionIds)) signal.throwIfAborted()
        }
        await forgetImportedObjects(database, id, ids)
        publishState(row)
      }
      await endUndoing(row)
    },

    /** Enqueues imports that have lost their job or whose process died. */
    async sweep(): Promise<void> {
      await tryEach(await store.listLost(new Date(Date.now() - LOST_MS)), ({ id, state, userId }) => {
        const job = state === 'undoing' ? 'undo-import' : 'import-things'
        return runAsUser(userId, () => queue.enqueue(job, { import_id: id }, { unlessQueued: true }))
      })
    },

    /** Removes old previews with their files. */
    async cleanUp(): Promise<void> {
      const before = new Date(Date.now() - IMPORT_PREVIEW_HOURS * HOUR_MS)
      if ((await store.removePreviews(before)) > 0) await removeUnreferencedFiles()
    },
  }
}

/** @throws ForbiddenError when the account may not import from this source. */
export function requireMayImport(user: ImportingUser, source: ImportSource): void {
  if (!can(user, importsMedia(source) ? 'upload' : 'chat'))
    throw new ForbiddenError('Your account does not have permission to do this.')
}

/** A completely received file. */
interface ImportFile {
  file: ReceivedFile
  name: string
  source: ImportFileSource
  preview: boolean
  /** The partial upload that the file came from. */
  partialUploadId?: string
}

/** @param unsearched number of the import's unindexed conversations. */
function present(row: ImportRow, unsearched = 0): Import {
  return {
    id: row.id,
    source: row.source,
    name: row.name,
    state: row.state,
    preview: row.isPreview,
    has_file: row.state === 'failed' && row.path !== null,
    reading: row.reading && { bytes: row.reading.bytes, of_bytes: row.reading.ofBytes },
    found: row.foundCount,
    size_bytes: row.sizeBytes,
    earliest_at: row.earliestAt,
    latest_at: row.latestAt,
    imported: row.importedCount,
    unsearched,
    skipped: row.skippedCount,
    completed: row.completedCount,
    failed: row.failures,
    error: row.error,
    told: row.errorSentences,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
  }
}
