import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ImportFileSource,
  MAX_PARTIAL_UPLOADS,
  PARTIAL_UPLOAD_HOURS,
  PARTIAL_UPLOAD_MAX_DAYS,
  type PartialUpload,
  type PartialUploadState,
  partialUploadFieldsSchema,
} from '@mira/shared'
import {
  isPermanent,
  LockedError,
  NotFoundError,
  PayloadTooLargeError,
  StorageFullError,
  TooManyRequestsError,
  ValidationError,
} from '../../../errors.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import { loadOnce } from '../../../platform/lib/load-once.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { PartialFiles } from '../../../platform/storage/partial-files.ts'
import type { RequireSpace } from '../../../platform/storage/require-space.ts'
import type { KnownUpload, Sender, Tus, TusHooks } from '../../../platform/storage/tus.ts'
import { type ImportsService, requireMayImport } from '../imports/imports.service.ts'
import type { MediaService } from '../items/media.service.ts'
import type { PartialUploadRow, PartialUploadsStore } from './partial-uploads.store.ts'
import type { UploadService } from './upload.service.ts'
import { requireSizeByName } from './upload-refusal.ts'

/** A dead holder's lock expires after this long. */
const LEASE_SECONDS = 20
const RENEW_MS = 5_000
const LOCK_RETRY_MS = 100
/** Maximum time that a request waits for the previous one to stop. */
const WAIT_MS = 4_000

/** Locks that let one request at a time use an upload, in the form that tus expects. */
interface PartialUploadLocks {
  /** @param path `<user>/<upload>`. */
  newLock(path: string): {
    lock(signal: AbortSignal, release: () => void | Promise<void>): Promise<void>
    unlock(): Promise<void>
  }
  /** Runs work that other requests can't interrupt. */
  withLock<Result>(path: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * Locks shared by all servers on a database, as leases in its rows. A request ends an earlier one on the same server,
 * whose connection has usually died, but only waits for one on another server.
 */
function createPartialUploadLocks(store: PartialUploadsStore): PartialUploadLocks {
  const releases = new Map<string, () => void | Promise<void>>()

  const newLock = (path: string) => {
    const [userId = '', id = ''] = path.split('/')
    const token = randomUUID()
    let renewal: ReturnType<typeof setInterval> | undefined
    return {
      async lock(signal: AbortSignal, release: () => void | Promise<void>) {
        const deadline = performance.now() + WAIT_MS
        while (true) {
          const outcome = await store.lock(userId, id, token, LEASE_SECONDS)
          if (outcome === 'taken') break
          if (outcome === 'gone') throw new NotFoundError('This upload no longer exists.')
          await releases.get(path)?.()
          if (signal.aborted || performance.now() > deadline) {
            throw new LockedError('This upload is in progress elsewhere right now.', { code: 'upload_busy' })
          }
          await sleep(LOCK_RETRY_MS)
        }
        releases.set(path, release)
        // The next renewal makes up for a failed one; without a database, the request fails anyway.
        renewal = setInterval(() => void store.lock(userId, id, token, LEASE_SECONDS).catch(() => {}), RENEW_MS).unref()
      },
      async unlock() {
        clearInterval(renewal)
        releases.delete(path)
        await store.unlock(userId, id, token)
      },
    }
  }

  return {
    newLock,
    async withLock(path, work) {
      const lock = newLock(path)
      await lock.lock(AbortSignal.timeout(WAIT_MS), () => {})
      try {
        return await work()
      } finally {
        await lock.unlock()
      }
    },
  }
}

interface PartialUploadsDeps {
  store: PartialUploadsStore
  partialFiles: PartialFiles
  files: Files
  uploads: UploadService
  imports: ImportsService
  media: MediaService
  requireSpace: RequireSpace
  settings: SettingsReader
  /** Bytes to keep free on the disk. */
  keptFreeBytes: number
}

/** Maximum space reserved for another user's upload, whose announced size may never arrive. */
const RESERVED_BYTES = 256 * 1024 * 1024
/** An upload that hasn't received a byte is removed after this time. */
const EMPTY_SECONDS = 15 * 60

export type PartialUploadsService = ReturnType<typeof createPartialUploadsService>

/** Partial uploads: large files sent over any number of connections. */
export function createPartialUploadsService(deps: PartialUploadsDeps) {
  const { store, partialFiles, files, uploads, imports, media, requireSpace, settings, keptFreeBytes } = deps
  const locks = createPartialUploadLocks(store)
  const maxFileBytes = () => settings.current().limits.upload_bytes

  const find = async (userId: string, id: string): Promise<PartialUploadRow> => {
    const row = await store.find(userId, id)
    if (row === null) throw new NotFoundError('This upload no longer exists.')
    return row
  }

  const drop = async (userId: string, id: string) => {
    await partialFiles.remove(userId, id)
    await store.remove(userId, id)
  }

  /** Turns a complete file into an item or an import. */
  const accept = async (row: PartialUploadRow, { user, countsInAnalytics }: Sender): Promise<UploadResult> => {
    const { id, userId, originalFilename: name } = row
    // Other files may have arrived since the upload started.
    await requireSpace(userId, row.sizeBytes)
    const options = {
      generate_caption: row.wantsCaption,
      extract_text: row.wantsText,
      keep_place: row.keepsLocation,
      wait: 0,
    }
    const sha256 = partialFiles.sha256Of(userId, id, row.sizeBytes) ?? undefined
    const file = await files.receiveFile(partialFiles.filenameOf(userId, id), sha256)
    if (row.importSource !== null) {
      const source = row.importSource as ImportFileSource
      const input = { file, name, source, preview: row.isImportPreview, partialUploadId: id }
      const { id: importId } = await imports.begin(user, input)
      await partialFiles.remove(userId, id)
      return { mediaItemId: null, importId }
    }
    const accepted = await uploads.accept({ userId, name, file, countsInAnalytics }, options)
    await store.setMediaItem(userId, id, accepted.id)
    await partialFiles.remove(userId, id)
    return { mediaItemId: accepted.id, importId: null }
  }

  /** Finishes an upload once; permanently refused files are dropped, temporary failures can be retried. */
  const finish = (sender: Sender, id: string): Promise<UploadResult> => {
    const { userId } = sender
    return locks.withLock(`${userId}/${id}`, async () => {
      const row = await find(userId, id)
      if (isAccepted(row)) return row
      try {
        return await accept(row, sender)
      } catch (error) {
        if (isPermanent(error)) await drop(userId, id)
        throw error
      }
    })
  }

  /** Lists unfinished uploads with their missing bytes, and drops old ones that never received a byte. */
  const openUploads = async () => {
    const open: { userId: string; missingBytes: number }[] = []
    for (const { id, userId, sizeBytes, isOld } of await store.listAllOpen(EMPTY_SECONDS)) {
      const localSizeBytes = await partialFiles.sizeOf(userId, id)
      // With files in S3, servers may have separate disks.
      if (localSizeBytes === null && files.isRemote) continue
      const arrivedBytes = localSizeBytes ?? 0
      if (arrivedBytes === 0 && isOld) await drop(userId, id)
      else open.push({ userId, missingBytes: Math.max(0, sizeBytes - arrivedBytes) })
    }
    return open
  }

  /**
   * Checks that the disk has space for a new file and for all bytes that unfinished uploads still lack; each of other users'
   * uploads counts only up to `RESERVED_BYTES`. @throws StorageFullError
   */
  const requireDiskSpace = async (userId: string, sizeBytes: number) => {
    let neededBytes = sizeBytes + keptFreeBytes
    for (const upload of await openUploads())
      neededBytes += upload.userId === userId ? upload.missingBytes : Math.min(upload.missingBytes, RESERVED_BYTES)
    if ((await files.freeBytes()) >= neededBytes) return
    throw new StorageFullError('There is not enough space on the server for a file of this size.')
  }

  const hooks: TusHooks = {
    locker: locks,
    maxBytes: maxFileBytes,

    async begin({ userId, user }, id, { sizeBytes, metadata }) {
      if (sizeBytes === 0) throw new ValidationError('This file is empty.', { code: 'empty_file' })
      const maxBytes = maxFileBytes()
      if (sizeBytes > maxBytes) {
        const megabytes = Math.floor(maxBytes / (1024 * 1024))
        throw new PayloadTooLargeError(`This file is larger than ${megabytes} MB.`, { code: 'file_too_large' })
      }
      const fields = partialUploadFieldsSchema.parse(metadata)
      if (fields.import_source === undefined) requireSizeByName(fields.filename, sizeBytes)
      else requireMayImport(user, fields.import_source)
      await requireDiskSpace(userId, sizeBytes)
      await requireSpace(userId, sizeBytes + (await store.openBytes(userId)))
      const isAdded = await store.add({
        id,
        userId,
        sizeBytes,
        originalFilename: fields.filename,
        fingerprint: fields.fingerprint,
        wantsCaption: fields.generate_caption,
        wantsText: fields.extract_text,
        keepsLocation: fields.keep_place,
        importSource: fields.import_source ?? null,
        isImportPreview: fields.import_preview,
        expiresAt: new Date(Date.now() + PARTIAL_UPLOAD_HOURS * 3_600_000),
      })
      if (!isAdded) {
        throw new TooManyRequestsError(
          `You already have ${MAX_PARTIAL_UPLOADS} unfinished uploads. Finish or discard some of them.`,
          { code: 'too_many_partial_uploads' },
        )
      }
    },

    async find(userId, id): Promise<KnownUpload | null> {
      const row = await store.find(userId, id)
      return row && { sizeBytes: row.sizeBytes, expiresAt: row.expiresAt, isTaken: isAccepted(row) }
    },

    forget: store.remove,

    extendLifetime: (userId, id) =>
      store.extendLifetime(userId, id, { hours: PARTIAL_UPLOAD_HOURS, maxDays: PARTIAL_UPLOAD_MAX_DAYS }),

    finish: async (sender, id) => {
      await finish(sender, id)
    },
  }

  const present = async (row: PartialUploadRow): Promise<PartialUpload> => ({
    id: row.id,
    original_filename: row.originalFilename,
    fingerprint: row.fingerprint,
    import_source: row.importSource as ImportFileSource | null,
    size_bytes: row.sizeBytes,
    offset_bytes: isAccepted(row) ? row.sizeBytes : ((await partialFiles.sizeOf(row.userId, row.id)) ?? 0),
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  })

  /** Loaded with the first partial upload. */
  const loadTus = loadOnce(async () => {
    const { createTus } = await import('../../../platform/storage/tus.ts')
    const lifetimeMs = PARTIAL_UPLOAD_HOURS * 3_600_000
    return createTus({ files: partialFiles, hooks, path: '/api/media/uploads', lifetimeMs })
  })
  const tus: Tus = {
    handle: async (sender, request) => (await loadTus()).handle(sender, request),
  }

  return {
    tus,

    /** Admits the bytes of a part. @throws what `Admit` throws. */
    admit: uploads.admit,

    /** @throws NotFoundError when the upload isn't the user's, or has expired. */
    async requireExisting(userId: string, id: string): Promise<void> {
      await find(userId, id)
    },

    /** The user's unfinished uploads. */
    async list(userId: string): Promise<PartialUpload[]> {
      return Promise.all((await store.listOpen(userId)).map(present))
    },

    /**
     * Progress of an upload; finishes a complete one that isn't finished yet.
     * @throws NotFoundError, and what `UploadService.accept` throws.
     */
    async state(sender: Sender, id: string): Promise<PartialUploadState> {
      const { userId } = sender
      const row = await find(userId, id)
      const presented = await present(row)
      const unfinished = { ...presented, media_item: null, import_id: null, is_duplicate: false }
      if (presented.offset_bytes < row.sizeBytes) return unfinished
      const { mediaItemId, importId } = await finish(sender, id)
      if (mediaItemId === null) return { ...unfinished, import_id: importId }
      const item = await media.item(userId, mediaItemId)
      return { ...unfinished, media_item: item, is_duplicate: item.metadata.created_at < row.createdAt }
    },

    /** Removes the files of a user's unfinished uploads. */
    removeAllOf: partialFiles.removeAll,

    /** Removes expired uploads, those that never received a byte, and files without a row. */
    async cleanUp(): Promise<void> {
      const removeExpired = async () =>
        tryEach(await store.removeExpired(), ({ id, userId }) => partialFiles.remove(userId, id))
      const removeUnknown = () => partialFiles.sweep(store.existingIds)
      await tryEach([openUploads, removeExpired, removeUnknown], (work) => work())
    },
  }
}

/** Result of a finished upload: exactly one id is set. */
type UploadResult = Pick<PartialUploadRow, 'mediaItemId' | 'importId'>

function isAccepted({ mediaItemId, importId }: UploadResult): boolean {
  return mediaItemId !== null || importId !== null
}
