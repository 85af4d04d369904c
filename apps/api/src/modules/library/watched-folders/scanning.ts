import type { FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, isPermanent, UnavailableError } from '../../../errors.ts'
import { isOutage, isTransient } from '../../../platform/database/availability.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { ReceivedFile } from '../../../platform/storage/files.ts'
import { openInFolder, realFolder, type WalkedFile, walkFolder } from '../../../platform/storage/folder-walk.ts'
import { codeOf } from '../../../platform/storage/whole-file.ts'
import { type Sentence, say } from '../../../sentences.ts'
import { cleanFileName } from '../upload/file-name.ts'
import type { UploadService } from '../upload/upload.service.ts'
import type { FolderToScan, SeenFile, WatchedFoldersStore } from './watched-folders.store.ts'

// Interval of the scans: `scan-folders` in platform/queue/jobs.ts.

interface ScanningDeps {
  store: WatchedFoldersStore
  /** Folder that contains all watchable folders; null when watching is off. */
  root: string | null
  uploads: UploadService
  settings: SettingsReader
  settledMs?: number | undefined
}

const UPLOAD_OPTIONS = { generate_caption: true, extract_text: true, wait: 0 }
/** A program may still be writing a file that changed more recently. */
const SETTLED_MS = 5_000
const MAX_FILES = 200_000
const PROGRESS_EVERY_FILES = 20
/** Interval of renewing the claim: walking a folder, or copying a large file, takes longer than a claim lasts. */
const RENEW_MS = 60_000
/** Pause before a file is retried after a temporary failure. */
const RETRY_MS = 60 * 60_000
/** Pause before a refused file is retried after a restart: an update may be able to read it. */
const REFUSED_RETRY_MS = 24 * RETRY_MS
/** Number of waits for other uploads before a file counts as failed. */
const MAX_WAITS = 12
/** Number of unexpected failures after which a scan ends, since so many mean that the other files would fail, too. */
const MAX_FAILURES = 20

/** Contents of a folder's files as of the last scan, by hash. */
interface KnownContents {
  /** Copied files that no longer exist under their name: they may have been renamed. */
  missing: Map<string, SeenFile>
  /** All copied files, so that another file with the same content doesn't bring back an item that the user deleted. */
  copied: Map<string, SeenFile>
}

/** Scans of watched folders: new files are copied, renamed ones keep their item, missing ones are marked. */
export function createScanning({ store, root, uploads, settings, settledMs = SETTLED_MS }: ScanningDeps) {
  /** Size and time of files dated in the future, as of the last scan. */
  const futureFiles = new Map<string, string>()
  const startedAt = new Date()

  /** Copies a file unless it was only renamed or touched. @returns the renamed file as it was before; null for any other. */
  const copyFile = async (
    { id, path, userId, keepsLocation }: FolderToScan,
    walked: WalkedFile,
    /** The file of this name as of the last scan. */
    before: SeenFile | undefined,
    { missing, copied }: KnownContents,
    mayWait: boolean,
  ): Promise<SeenFile | null> => {
    const record = async (
      file: Pick<SeenFile, 'sha256' | 'mediaItemId'>,
      problem: string | null = null,
      isRefused = false,
    ) => {
      // The previous version of an edited file is gone, or has another name now.
      const isReplaced = before !== undefined && before.sha256 !== null && before.sha256 !== file.sha256
      await store.record(id, { ...walked, ...file, problem, isRefused }, isReplaced ? before.id : null)
      if (isReplaced && before.sha256 !== null) missing.set(before.sha256, before)
      return null
    }
    /** Records a temporary failure, after which the file keeps its known hash and item. */
    const recordFailure = (problem: string) =>
      record({ sha256: before?.sha256 ?? null, mediaItemId: before?.mediaItemId ?? null }, problem)
    const name = basename(walked.relativePath)
    if (walked.sizeBytes > settings.current().limits.upload_bytes) {
      return recordFailure('This file is larger than the upload limit.')
    }
    let handle: FileHandle | null = null
    let sha256: string | null = null
    try {
      handle = await openInFolder(path, walked.relativePath).catch((error: unknown) => {
        throw unreadableFile(walked, error)
      })
      if (handle === null) return null
      const opened = handle
      const content = contentOf(opened, walked)
      return await uploads.admit(userId, walked.sizeBytes, async () => {
        const file = await uploads.receive(content)
        // A program has written to it meanwhile: the next scan takes the whole file.
        if (await hasChanged(opened, walked, file)) {
          await file.discard()
          return null
        }
        sha256 = file.sha256
        // A touched or renamed file: if the user deleted its item, it stays deleted.
        if (before?.sha256 === sha256) {
          await file.discard()
          return record({ sha256, mediaItemId: before.mediaItemId })
        }
        const renamed = missing.get(sha256)
        if (renamed !== undefined) {
          await file.discard()
          missing.delete(sha256)
          const names = { oldName: nameOf(renamed), newName: nameOf(walked) }
          await store.rename(renamed.id, { ...walked, ...names, userId }, before?.id ?? null)
          return renamed
        }
        const copy = copied.get(sha256)
        if (copy !== undefined) {
          await file.discard()
          return record({ sha256, mediaItemId: copy.mediaItemId })
        }
        const { id: mediaItemId } = await uploads.accept(
          { userId, name, file, countsInAnalytics: false },
          { ...UPLOAD_OPTIONS, keep_place: keepsLocation },
        )
        return record({ sha256, mediaItemId })
      })
    } catch (error) {
      if (!(error instanceof AppError) || (mayWait && isBusy(error))) throw error
      if (isPermanent(error) && sha256 !== null) return record({ sha256: null, mediaItemId: null }, error.message, true)
      return recordFailure(error.message)
    } finally {
      await handle?.close()
    }
  }

  /** Records an unexpected failure, so that the file is only retried after a while, and is listed with a problem. */
  const recordUnexpected = (folder: FolderToScan, walked: WalkedFile, before: SeenFile | undefined) => {
    const { sha256 = null, mediaItemId = null } = before ?? {}
    const problem = say('step_unexpected', {}).text
    return store.record(folder.id, { ...walked, sha256, mediaItemId, problem, isRefused: false }, null)
  }

  /** Copies a file, waiting while too many are being received. */
  const copyWhenPossible = async (
    copy: (mayWait: boolean) => Promise<SeenFile | null>,
    reportProgress: () => Promise<boolean>,
    signal: AbortSignal,
  ) => {
    for (let waits = 0; ; waits++) {
      try {
        return await copy(waits < MAX_WAITS)
      } catch (error) {
        if (!isBusy(error)) throw error
        if (!(await reportProgress())) return null
        await sleep((error.retryAfterSeconds ?? 0) * 1000, undefined, { signal })
      }
    }
  }

  /** True when a file is unchanged and needn't be retried yet. */
  const isUnchanged = (walked: WalkedFile, knownFile: SeenFile): boolean => {
    if (walked.sizeBytes !== knownFile.sizeBytes || walked.modifiedMs !== knownFile.modifiedMs) return false
    // A refused file isn't retried on every scan: checking its content reads all of it.
    if (knownFile.problem === null || (knownFile.isRefused && knownFile.checkedAt >= startedAt)) return true
    const retryMs = knownFile.isRefused ? REFUSED_RETRY_MS : RETRY_MS
    return Date.now() - knownFile.checkedAt.getTime() < retryMs
  }

  /** True for a file that isn't being written; one dated in the future must be the same in two scans. */
  const isSettled = ({ id }: FolderToScan, { relativePath, sizeBytes, modifiedMs }: WalkedFile): boolean => {
    const ageMs = Date.now() - modifiedMs
    if (ageMs >= 0) return ageMs >= settledMs
    const [file, state] = [`${id}/${relativePath}`, `${sizeBytes} ${modifiedMs}`]
    const isSame = futureFiles.get(file) === state
    if (isSame) futureFiles.delete(file)
    else futureFiles.set(file, state)
    return isSame
  }

  /**
   * Scans a folder; null when it isn't watched any more.
   * @param report stores progress, and returns false in that case.
   * @throws the first unexpected failure of a file, after the other files or too many failures.
   */
  const scan = async (folder: FolderToScan, signal: AbortSignal, report: (seenCount: number) => Promise<boolean>) => {
    const knownFiles = await store.files(folder.id)
    const walkedFiles = new Map<string, WalkedFile>()
    const unreadable: { below: string; cause: string }[] = []
    const walk = walkFolder(folder.path, (below, { code = '' }) => void unreadable.push({ below, cause: code }))
    for await (const walked of walk) {
      signal.throwIfAborted()
      if (walkedFiles.size >= MAX_FILES) {
        unreadable.push({ below: '', cause: `> ${MAX_FILES}` })
        break
      }
      walkedFiles.set(walked.relativePath, walked)
    }
    const missing = new Map<string, SeenFile>()
    const copied = new Map<string, SeenFile>()
    for (const file of knownFiles.values()) {
      if (file.sha256 === null) continue
      if (!walkedFiles.has(file.relativePath)) missing.set(file.sha256, file)
      copied.set(file.sha256, file)
    }
    const contents = { missing, copied }
    const renamed = new Set<string>()
    const failures: unknown[] = []
    let seenCount = 0
    for (const walked of walkedFiles.values()) {
      signal.throwIfAborted()
      const before = knownFiles.get(walked.relativePath)
      if (before !== undefined && isUnchanged(walked, before)) {
        if (before.state === 'gone') await store.markPresent(before.id)
      } else if (walked.sizeBytes > 0 && isSettled(folder, walked)) {
        const reportProgress = () => report(seenCount)
        if (!(await reportProgress())) return null
        const renamedFile = await copyWhenPossible(
          (mayWait) => copyFile(folder, walked, before, contents, mayWait),
          reportProgress,
          signal,
        ).catch(async (error: unknown) => {
          signal.throwIfAborted()
          if (isOutage(error)) throw error
          failures.push(error)
          // The next scan tries the file again, also if recording fails.
          if (!isTransient(error)) await recordUnexpected(folder, walked, before).catch(() => {})
          return null
        })
        if (failures.length >= MAX_FAILURES) throw failures[0]
        if (renamedFile !== null) renamed.add(renamedFile.id)
      }
      if (++seenCount % PROGRESS_EVERY_FILES === 0 && !(await report(seenCount))) return null
    }
    const isInUnreadable = (path: string) =>
      unreadable.some(({ below }) => below === '' || path === below || path.startsWith(`${below}/`))
    const missingFiles = [...knownFiles.values()].filter(
      ({ id, relativePath }) => !walkedFiles.has(relativePath) && !renamed.has(id) && !isInUnreadable(relativePath),
    )
    await store.markGone(missingFiles.map(({ id }) => id))
    if (failures.length > 0) throw failures[0]
    const [first] = unreadable
    return {
      seenCount,
      problem: first === undefined ? null : unreadablePath(join(folder.path, first.below), first.cause),
    }
  }

  return {
    /** Scans a folder, unless another server is scanning it. */
    async run(folderId: string, signal: AbortSignal): Promise<void> {
      const folder = await store.claim(folderId)
      if (folder === null) return
      let outcome: { seenCount: number; problem: Sentence | null; isWhole: boolean } = {
        seenCount: 0,
        problem: null,
        isWhole: false,
      }
      let renewing: Promise<unknown> = Promise.resolve()
      const renewal = setInterval(() => {
        // A read that hangs after the scan was aborted mustn't keep other servers from scanning the folder.
        if (!signal.aborted) renewing = store.progress(folderId, outcome.seenCount).catch(() => {})
      }, RENEW_MS)
      try {
        // The folder may have become a link, or the root may have changed.
        const real = root === null ? null : await realFolder(folder.path, root)
        if (real !== folder.path) outcome.problem = outside(folder.path)
        else {
          const scanned = await scan(folder, signal, async (seenCount) => {
            outcome.seenCount = seenCount
            return store.progress(folderId, seenCount)
          })
          if (scanned !== null) outcome = { ...scanned, isWhole: scanned.problem === null }
        }
      } catch (error) {
        if (!signal.aborted) outcome.problem = say('step_unexpected', {})
        throw error
      } finally {
        clearInterval(renewal)
        await renewing
        await store.release(folderId, outcome)
      }
    },
  }
}

/** True for an error that says when to retry. */
function isBusy(error: unknown): error is AppError {
  return error instanceof AppError && [429, 503].includes(error.status) && error.retryAfterSeconds !== undefined
}

/** Content of a file; a read error fails the file rather than the scan. */
async function* contentOf(handle: FileHandle, file: WalkedFile): AsyncGenerator<Uint8Array> {
  try {
    yield* handle.createReadStream({ autoClose: false })
  } catch (error) {
    throw unreadableFile(file, error)
  }
}

/** True when a file was written to since the walk, up to now or while it was received. */
async function hasChanged(
  handle: FileHandle,
  { sizeBytes, modifiedMs }: WalkedFile,
  received: Pick<ReceivedFile, 'sizeBytes'>,
): Promise<boolean> {
  const { size, mtimeMs } = await handle.stat()
  return size !== sizeBytes || received.sizeBytes !== sizeBytes || Math.floor(mtimeMs) !== modifiedMs
}

/** Time appended to the name of a replaced version. */
const REPLACED_AT = / \(\d{4}-\d\d-\d\dT[\d:.]{12}Z\)$/

/** Name of a file's item. */
function nameOf({ relativePath }: Pick<WalkedFile, 'relativePath'>): string {
  const name = basename(relativePath).replace(REPLACED_AT, '')
  return cleanFileName(name, name)
}

function unreadableFile({ relativePath }: WalkedFile, cause: unknown): AppError {
  return new UnavailableError(unreadablePath(relativePath, codeOf(cause) ?? (cause as Error).message), { cause })
}

function unreadablePath(path: string, cause: string): Sentence {
  return say('folder_unreadable', { path, cause })
}

function outside(path: string): Sentence {
  return say('folder_outside', { path })
}
