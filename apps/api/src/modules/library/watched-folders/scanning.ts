import type { FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError, UnavailableError } from '../../../errors.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { openInFolder, realFolder, type WalkedFile, walkFolder } from '../../../platform/storage/folder-walk.ts'
import { codeOf } from '../../../platform/storage/whole-file.ts'
import { type Sentence, say } from '../../../sentences.ts'
import { cleanFileName } from '../upload/file-name.ts'
import type { UploadService } from '../upload/upload.service.ts'
import type { FolderToScan, SeenFile, WatchedFoldersStore } from './watched-folders.store.ts'

interface ScanningDeps {
  store: WatchedFoldersStore
  /** Folder that contains all watchable folders; null when watching is off. */
  root: string | null
  uploads: UploadService
  settings: SettingsReader
  settledMs?: number | undefined
}

const WISHES = { generate_caption: true, extract_text: true, keep_place: false, wait: 0 }
/** A file that was changed more recently may still be written. */
const SETTLED_MS = 5_000
const MAX_FILES = 200_000
const PROGRESS_EVERY_FILES = 20
/** Pause before a failed file is tried again, even when unchanged. */
const RETRY_MS = 60 * 60_000

/** Scans of watched folders: new files are copied, renamed ones keep their item, missing ones are marked. */
export function createScanning({ store, root, uploads, settings, settledMs = SETTLED_MS }: ScanningDeps) {
  /** Copies a file unless it was only renamed. @returns the file under its previous name. */
  const copyIn = async (
    { id, path, userId }: FolderToScan,
    walked: WalkedFile,
    /** Null for a file with a known name and new content. */
    missing: Map<string, SeenFile> | null,
  ): Promise<SeenFile | null> => {
    const note = async (file: { sha256: string | null; mediaItemId: string | null; problem: string | null }) => {
      await store.note(id, { ...walked, ...file })
      return null
    }
    const name = basename(walked.relativePath)
    if (walked.sizeBytes > settings.current().limits.upload_bytes) {
      return note({ sha256: null, mediaItemId: null, problem: 'This file is larger than files may be.' })
    }
    let handle: FileHandle | null = null
    try {
      handle = await openInFolder(path, walked.relativePath).catch((error: unknown) => {
        throw unreadableFile(walked, error)
      })
      if (handle === null) return null
      const content = contentOf(handle, walked)
      return await uploads.admit(userId, walked.sizeBytes, async () => {
        const file = await uploads.receive(content)
        const { sha256 } = file
        const before = missing?.get(sha256)
        if (before !== undefined) {
          // a renamed file: if the user deleted its item, it stays deleted
          await file.discard()
          missing?.delete(sha256)
          const names = { oldName: nameOf(before), newName: nameOf(walked) }
          await store.rename(before.id, { ...walked, ...names, userId })
          return before
        }
        const { id: mediaItemId } = await uploads.accept({ userId, name, file, inAnalytics: false }, WISHES)
        return note({ sha256, mediaItemId, problem: null })
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return note({ sha256: null, mediaItemId: null, problem: error.message })
    } finally {
      await handle?.close()
    }
  }

  /** True when a file is unchanged since it was last handled. */
  const isAsBefore = (walked: WalkedFile, knownFile: SeenFile): boolean => {
    if (walked.sizeBytes !== knownFile.sizeBytes || walked.modifiedMs !== knownFile.modifiedMs) return false
    return knownFile.problem === null || Date.now() - knownFile.checkedAt.getTime() < RETRY_MS
  }

  const scan = async (folder: FolderToScan, signal: AbortSignal, report: (seenCount: number) => Promise<void>) => {
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
    /** Copied files without a file of their name, by content hash: they may have been renamed. */
    const missing = new Map<string, SeenFile>()
    for (const file of knownFiles.values()) {
      if (!walkedFiles.has(file.relativePath) && file.sha256 !== null) missing.set(file.sha256, file)
    }
    const renamed = new Set<string>()
    let seenCount = 0
    for (const walked of walkedFiles.values()) {
      signal.throwIfAborted()
      const before = knownFiles.get(walked.relativePath)
      if (before !== undefined && isAsBefore(walked, before)) {
        if (before.state === 'gone') await store.markThere(before.id)
      } else if (walked.sizeBytes > 0 && Date.now() - walked.modifiedMs >= settledMs) {
        const from = await copyIn(folder, walked, before === undefined ? missing : null)
        if (from !== null) renamed.add(from.id)
      }
      if (++seenCount % PROGRESS_EVERY_FILES === 0) await report(seenCount)
    }
    const isHidden = (path: string) =>
      unreadable.some(({ below }) => below === '' || path === below || path.startsWith(`${below}/`))
    const missingFiles = [...knownFiles.values()].filter(
      ({ id, relativePath }) => !walkedFiles.has(relativePath) && !renamed.has(id) && !isHidden(relativePath),
    )
    await store.markGone(missingFiles.map(({ id }) => id))
    const [first] = unreadable
    return {
      seenCount,
      problem: first === undefined ? null : cannotBeRead(join(folder.path, first.below), first.cause),
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
      try {
        // the folder may have become a link, or the root may have changed
        const real = root === null ? null : await realFolder(folder.path, root)
        if (real !== folder.path) outcome.problem = outside(folder.path)
        else {
          const ended = await scan(folder, signal, async (seenCount) => {
            outcome.seenCount = seenCount
            await store.progress(folderId, seenCount)
          })
          outcome = { ...ended, isWhole: ended.problem === null }
        }
      } finally {
        await store.release(folderId, outcome)
      }
    },
  }
}

/** Content of a file; a failure to read it is the file's, not the scan's. */
async function* contentOf(handle: FileHandle, file: WalkedFile): AsyncGenerator<Uint8Array> {
  try {
    yield* handle.createReadStream({ autoClose: false })
  } catch (error) {
    throw unreadableFile(file, error)
  }
}

/** The name that the item of a file has. */
function nameOf({ relativePath }: Pick<WalkedFile, 'relativePath'>): string {
  const name = basename(relativePath)
  return cleanFileName(name, name)
}

function unreadableFile({ relativePath }: WalkedFile, cause: unknown): AppError {
  return new UnavailableError(cannotBeRead(relativePath, codeOf(cause) ?? (cause as Error).message), { cause })
}

function cannotBeRead(path: string, cause: string): Sentence {
  return say('folder_unreadable', { path, cause })
}

function outside(path: string): Sentence {
  return say('folder_outside', { path })
}
