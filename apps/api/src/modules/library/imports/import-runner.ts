import {
  type ChatImportSource,
  importsMedia,
  isServerSource,
  type MediaImportSource,
  type ServerImportSource,
} from '@mira/shared'
import { AppError, NotFoundError, StorageFullError, UnavailableError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { ChatArchives } from '../../../parsers/chat-archives/chat-archives.ts'
import type { ArchivedFile, MediaArchives, SkippedFileReason } from '../../../parsers/media-archives/media-archives.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { runAsUser } from '../../../platform/lib/current-user.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'
import { asStorageError } from '../../../platform/storage/whole-file.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { ChatImporter } from './chat-importer.ts'
import { addImportFailure, type ImportCounts, type ImportRow, type ImportsStore, unreadable } from './imports.store.ts'
import type { MediaImporter, MediaSource, SourceItem } from './media-importer.ts'
import type { PhotoServers, ServedFile } from './photo-servers/photo-servers.ts'

export interface ImportRunnerDeps {
  store: ImportsStore
  files: Pick<Files, 'useLocal'>
  archives: ChatArchives
  chatImporter: ChatImporter
  mediaArchives: MediaArchives
  photoServers: Record<ServerImportSource, PhotoServers>
  seal: Seal
  mediaImporter: MediaImporter
  settings: SettingsReader
  withTempFolder: WithTempFolder
  queue: Pick<Queue, 'enqueue'>
  events: Pick<Events, 'publish'>
  log: Log
}

export type ImportRunner = ReturnType<typeof createImportRunner>

/** Minimum pause between two progress updates, which are stored and published. */
const PROGRESS_PAUSE_MS = 500
/** Interval of checks for a cancellation that another server received. */
const CANCELLATION_CHECK_MS = 1000
/** Number of attempts whose process may die before an import is given up. */
const MAX_ATTEMPTS = 4

/** The user cancelled or deleted the import. */
class CancelledError extends Error {
  override name = 'CancelledError'
}

/** Runs imports, which resume where they were interrupted. */
export function createImportRunner(deps: ImportRunnerDeps) {
  const { store, files, archives, chatImporter, mediaArchives, photoServers, seal, mediaImporter } = deps
  const { settings, withTempFolder, queue, events, log } = deps
  const maxFileBytes = () => settings.current().limits.upload_bytes
  /** Imports running on this server. */
  const running = new Map<string, AbortController>()

  const publishState = ({ userId, id }: ImportRow, state: ImportRow['state']) =>
    events.publish(userId, { type: 'import.progress', id, state })

  /** Stores progress from time to time; false when cancelled. */
  const createSaveProgress = (row: ImportRow, counts: ImportCounts) => {
    let savedAt = Number.NEGATIVE_INFINITY
    return async (isForced = false) => {
      if (!isForced && performance.now() - savedAt < PROGRESS_PAUSE_MS) return true
      if (!(await store.saveCounts(row.id, counts))) return false
      publishState(row, 'running')
      savedAt = performance.now()
      return true
    }
  }

  /** Reads a file and stores the progress; null when cancelled. */
  const withProgress = async <Read>(
    row: ImportRow,
    { counts, signal }: { counts: ImportCounts; signal: AbortSignal },
    read: (options: Pick<Parameters<ChatArchives['read']>[1], 'signal' | 'onProgress'>) => Promise<Read>,
  ): Promise<Read | null> => {
    const saveProgress = createSaveProgress(row, counts)
    const cancelled = new CancelledError('the import was cancelled')
    const stop = new AbortController()
    let saving: Promise<void> = Promise.resolve()
    const onProgress = (reading: ImportCounts['reading']) => {
      counts.reading = reading
      saving = saving
        .then(async () => (await saveProgress()) || stop.abort(cancelled))
        .then(
          () => {},
          (error: unknown) => stop.abort(error),
        )
    }
    try {
      return await read({ signal: AbortSignal.any([signal, stop.signal]), onProgress })
    } catch (error) {
      if (error === cancelled) return null
      throw error
    } finally {
      await saving
      counts.reading = null
    }
  }

  /** Counts or imports the conversations of an export; false when cancelled. */
  const runChats = (row: ImportRow, filename: string, counts: ImportCounts, signal: AbortSignal) =>
    withTempFolder(async (folder) => {
      const file = { filename, source: row.source as ChatImportSource }
      const progress = { counts, signal }
      const archive = row.isPreview
        ? await withProgress(row, progress, (options) => archives.count(file, { folder, ...options }))
        : await withProgress(row, progress, (options) => archives.read(file, { folder, ...options }))
      if (archive === null) return false
      counts.found = archive.found
      for (const name of archive.unreadable) addImportFailure(counts, name, unreadable)
      if ('conversations' in archive)
        return chatImporter.importAll(row, archive, { counts, signal, saveProgress: createSaveProgress(row, counts) })
      await chatImporter.count(row, archive, counts, signal)
      return true
    })

  const importItems = async <Item extends SourceItem>(
    row: ImportRow,
    read: { found: number; leftOut: { name: string; reason: SkippedFileReason }[] },
    source: MediaSource<Item>,
    { counts, signal }: { counts: ImportCounts; signal: AbortSignal },
  ) => {
    counts.found = read.found
    for (const { name, reason } of read.leftOut) addImportFailure(counts, name, skippedFileSentences[reason])
    await mediaImporter.measure(source, counts, signal)
    if (!row.isPreview)
      return mediaImporter.importAll(row, source, { counts, signal, saveProgress: createSaveProgress(row, counts) })
    await mediaImporter.count(row, source, counts, signal)
    return true
  }

  /** Imports an archive, of which only the next few files are unpacked at a time. */
  const runArchive = (row: ImportRow, filename: string, counts: ImportCounts, signal: AbortSignal) =>
    withTempFolder(async (folder) => {
      const archive = await mediaArchives.read(
        { filename, source: row.source as MediaImportSource, maxFileBytes: maxFileBytes() },
        { folder, signal },
      )
      const source: MediaSource<ArchivedFile> = {
        items: archive.files,
        sidecarFacts: archive.sidecarFacts,
        async writeFiles(items, stop) {
          const files = items.map(({ zipped }) => zipped)
          const paths = await mediaArchives.unpack({ filename, files }, { folder, signal: stop })
          return paths.map((path) => (path === null ? 'damaged' : { filename: path }))
        },
      }
      return importItems(row, archive, source, { counts, signal })
    })

  /**
   * Imports from a server. After an interruption, the server is listed again, and files that were already imported are
   * skipped.
   */
  const runServer = (row: ImportRow, server: PhotoServers, counts: ImportCounts, signal: AbortSignal) =>
    withTempFolder(async (folder) => {
      const key = row.sealedKey === null ? null : seal.decrypt(row.sealedKey)
      if (key === null) throw missingKey()
      const access = { url: row.name, key }
      const options = { folder, maxFileBytes: maxFileBytes() }
      const read = await server.list(access, { ...options, signal })
      if (read.found === 0 && read.leftOut.length === 0) throw emptyServer()
      const source: MediaSource<ServedFile> = {
        items: read.files,
        writeFiles: (items, stop) => server.fetch(access, items, { ...options, signal: stop }),
      }
      return importItems(row, read, source, { counts, signal })
    })

  const run = async (row: ImportRow, counts: ImportCounts, signal: AbortSignal): Promise<boolean> => {
    const { path, source } = row
    if (isServerSource(source)) return runServer(row, photoServers[source], counts, signal)
    if (path === null) throw new NotFoundError('The file of this import no longer exists.')
    if (importsMedia(source)) return files.useLocal(path, (filename) => runArchive(row, filename, counts, signal))
    return files.useLocal(path, (filename) => runChats(row, filename, counts, signal))
  }

  /** Runs an import; false when it was cancelled, here or on another server. */
  const runUnlessCancelled = async (row: ImportRow, counts: ImportCounts, signal: AbortSignal): Promise<boolean> => {
    const stop = new AbortController()
    running.set(row.id, stop)
    const timer = setInterval(() => {
      store.isRunning(row.id).then(
        (isRunning) => isRunning || stop.abort(new CancelledError('the import was cancelled')),
        (error: unknown) => log.debug({ err: error }, 'could not check whether an import was cancelled'),
      )
    }, CANCELLATION_CHECK_MS)
    try {
      return await run(row, counts, AbortSignal.any([signal, stop.signal]))
    } catch (error) {
      if (stop.signal.aborted) return false
      throw error
    } finally {
      clearInterval(timer)
      running.delete(row.id)
    }
  }

  return {
    /** Aborts a cancelled import on this server. */
    stop(id: string): void {
      running.get(id)?.abort(new CancelledError('the import was cancelled'))
    },

    /** Handles an `import-things` job. */
    async handleJob(
      id: string,
      { signal, isLastAttempt }: { signal: AbortSignal; isLastAttempt: boolean },
    ): Promise<void> {
      const row = await store.claim(id)
      if (row === null) return
      publishState(row, 'running')
      const counts: ImportCounts = {
        reading: null,
        found: 0,
        sizeBytes: null,
        earliestAt: null,
        latestAt: null,
        imported: 0,
        skipped: 0,
        completed: 0,
        failed: [],
      }
      try {
        if (row.attempts > MAX_ATTEMPTS) throw interrupted()
        if (await runAsUser(row.userId, () => runUnlessCancelled(row, counts, signal))) {
          await store.finish(id, { state: 'done', counts, activity: activityOf(row, counts) })
          publishState(row, 'done')
        }
      } catch (thrown) {
        const error = asStorageError(thrown)
        const isUnavailable = error instanceof UnavailableError || isDiskFull(error)
        const isRetryable = signal.aborted || isUnavailable || !(error instanceof AppError)
        // A preview of a server fails immediately, since the user is waiting and may have mistyped the address.
        const isUserWaiting = isUnavailable && row.isPreview && isServerSource(row.source)
        if (isRetryable && !isLastAttempt && !isUserWaiting) {
          await store.uncountAttempt(id)
          if (isUnavailable) {
            await store.saveWaitReason(id, reasonOf(error))
            publishState(row, 'running')
          }
          throw error
        }
        log.warn({ err: error, import_id: id }, 'an import failed')
        // When the user chose the wrong program, the file is kept, so that it needn't be uploaded again.
        const keepsFile = error instanceof AppError && error.code === 'import_other_source'
        await store.finish(id, { state: 'failed', counts, reason: reasonOf(error), keepsFile })
        publishState(row, 'failed')
      }
      await queue.enqueue('delete-files', { loose: true })
      // Search finds conversations once their words are indexed.
      if (!row.isPreview && !importsMedia(row.source)) await queue.enqueue('index-words', {})
    },
  }
}

/** True when the server's disk is full, but not when a user has reached their limit. */
const isDiskFull = (error: unknown) => error instanceof StorageFullError && error.code === 'storage_full'
const interrupted = () => new ValidationError(say('import_failed', {}))
const missingKey = () => new ValidationError(say('import_key_gone', {}))
const emptyServer = () => new ValidationError(say('import_server_empty', {}))
const skippedFileSentences: Record<SkippedFileReason, Sentence> = {
  nested: say('import_nested_archive', {}),
  unsupported: say('import_unsupported', {}),
  too_large: say('import_entry_too_large', {}),
  packed: say('import_entry_packed', {}),
  encrypted: say('import_entry_encrypted', {}),
  empty: say('upload_empty', {}),
}
/** Activity of imported conversations, one per import; items have their own. */
function activityOf({ userId, id, name, source, isPreview }: ImportRow, { imported }: ImportCounts) {
  if (isPreview || imported === 0 || importsMedia(source)) return undefined
  const detail = { action: 'conversations_imported', title: name, source, count: imported }
  return { userId, kind: 'account' as const, subjectId: id, detail }
}

function reasonOf(error: unknown): Sentence {
  const { message, sentences } = error instanceof AppError ? error : interrupted()
  return { text: message, sentences }
}
