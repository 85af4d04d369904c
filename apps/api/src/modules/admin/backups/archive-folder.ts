import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, mkdir, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { NotFoundError, StorageFullError, UnavailableError } from '../../../errors.ts'
import { asStorageError, PART_NAME, unlessGone } from '../../../platform/storage/whole-file.ts'
import { say } from '../../../sentences.ts'
import { ARCHIVE_NAME, isUpdateArchive, newestFirst } from './archive.ts'
import type { ArchiveFile, OwnArchive } from './own-archives.store.ts'
import { excessArchives } from './retention.ts'

/** Archives kept from before updates: enough to undo the last update and the one before it. */
const MAX_UPDATE_ARCHIVES = 2

/** Time since the last write to a partial archive after which it counts as abandoned. */
const ABANDONED_MS = 24 * 60 * 60_000

/** Record of an update whose migrations haven't all been applied. */
const UPDATE_FILE = 'unfinished-update.json'

const unfinishedUpdate = z.object({ fileName: z.string().regex(ARCHIVE_NAME), pending: z.array(z.string()) })
export type UnfinishedUpdate = z.infer<typeof unfinishedUpdate>

export type ArchiveFolder = ReturnType<typeof createArchiveFolder>

/** Folder of the instance's archives, readable only for the account that runs Mira. */
export function createArchiveFolder(directory: string) {
  const fileOf = (name: string) => {
    if (!ARCHIVE_NAME.test(name)) throw new NotFoundError('There is no such backup.')
    return join(directory, name)
  }
  /** Archives in the folder; none when it doesn't exist. @throws the system error when it can't be read. */
  const list = async (): Promise<ArchiveFile[]> => {
    const archives: ArchiveFile[] = []
    for (const fileName of await readdir(directory).catch(unlessGone([]))) {
      if (!ARCHIVE_NAME.test(fileName)) continue
      const { size, mtime } = (await stat(join(directory, fileName)).catch(unlessGone(null))) ?? {}
      if (size !== undefined && mtime !== undefined) archives.push({ fileName, sizeBytes: size, modifiedAt: mtime })
    }
    return archives
  }
  const removeAll = async (names: string[]) => {
    for (const name of names) await rm(join(directory, name), { force: true })
  }
  /** Removes partial archives that meet the condition. Ignores errors, which mustn't prevent a backup. */
  const removePartsIf = async (isAbandoned: (archive: string, file: string) => boolean | Promise<boolean>) => {
    for (const name of await readdir(directory).catch(() => [])) {
      const [, archive = ''] = PART_NAME.exec(name) ?? []
      const file = join(directory, name)
      if (ARCHIVE_NAME.test(archive) && (await isAbandoned(archive, file))) await rm(file).catch(() => {})
    }
  }
  /** Time by the clock of the folder's file system, which may differ from this machine's on a network share. */
  const readDiskTimeMs = async () => {
    const probe = join(directory, `.mira-${randomUUID()}`)
    await writeFile(probe, '')
    const { mtimeMs } = await stat(probe).finally(() => rm(probe, { force: true }))
    return mtimeMs
  }
  /** Removes partial files of an archive. A process that is still writing one fails at its end. */
  const removeParts = (name: string) => removePartsIf((archive) => archive === name)
  return {
    directory,
    fileOf,
    list,
    removeParts,

    /** Creates the folder and removes abandoned partial files. @throws UnavailableError when it can't be written; StorageFullError */
    async make(): Promise<void> {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        // An existing folder may belong to another account, such as a network share or a folder mounted into a container.
        await access(directory, constants.W_OK | constants.X_OK)
      } catch (error) {
        const reason = asStorageError(error)
        if (reason instanceof StorageFullError) throw reason
        const cause = (error as NodeJS.ErrnoException).code ?? (error as Error).message
        throw new UnavailableError(say('backup_folder_unwritable', { path: directory, cause }), { cause: error })
      }
      let diskTimeMs: Promise<number> | undefined
      await removePartsIf(async (_archive, file) => {
        try {
          diskTimeMs ??= readDiskTimeMs()
          return (await stat(file)).mtimeMs < (await diskTimeMs) - ABANDONED_MS
        } catch {
          return false
        }
      })
    },

    async freeBytes(): Promise<number> {
      const { bavail, bsize } = await statfs(directory)
      return bavail * bsize
    },

    /** Size of the folder's disk. */
    async totalBytes(): Promise<number> {
      const { blocks, bsize } = await statfs(directory)
      return blocks * bsize
    },

    /** @throws NotFoundError */
    async open(name: string): Promise<{ sizeBytes: number; read(range: { start: number; end: number }): Readable }> {
      const file = fileOf(name)
      const stats = await stat(file).catch(unlessGone(null))
      if (stats === null) throw new NotFoundError('There is no such backup.')
      return { sizeBytes: stats.size, read: (range) => createReadStream(file, range) }
    },

    /** Removes an archive and its partial files. */
    async remove(name: string): Promise<void> {
      await rm(fileOf(name), { force: true })
      await removeParts(name)
    },

    /** The update that didn't finish, if its backup still exists; null otherwise. */
    async unfinishedUpdate(): Promise<UnfinishedUpdate | null> {
      try {
        const update = unfinishedUpdate.parse(JSON.parse(await readFile(join(directory, UPDATE_FILE), 'utf8')))
        return (await list()).some(({ fileName }) => fileName === update.fileName) ? update : null
      } catch {
        // No update is unfinished, or its record is truncated. The next update then makes a new backup.
        return null
      }
    },

    beginUpdate: (update: UnfinishedUpdate) => writeFile(join(directory, UPDATE_FILE), JSON.stringify(update)),
    endUpdate: () => rm(join(directory, UPDATE_FILE), { force: true }),

    /**
     * Removes the instance's own archives beyond those to keep.
     * @param written name of the archive just written.
     * @returns the names of removed archives.
     */
    async removeExcess(keepCount: number, written: string, own: readonly OwnArchive[]): Promise<string[]> {
      const names = excessArchives(await list(), own, { keepCount, written }).map(({ fileName }) => fileName)
      await removeAll(names)
      return names
    },

    /** Removes the archives written before updates, except the two newest. */
    async removeExcessUpdates(written: string): Promise<void> {
      const names = (await list()).map(({ fileName }) => fileName).filter(isUpdateArchive)
      await removeAll(names.sort(newestFirst(written)).slice(MAX_UPDATE_ARCHIVES))
    },
  }
}
