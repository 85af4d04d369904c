import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { NotFoundError } from '../../../errors.ts'
import { PART_NAME, unlessGone } from '../../../platform/storage/whole-file.ts'
import { ARCHIVE_NAME, isUpdateArchive, newestFirst } from './archive.ts'
import type { ArchiveFile, OwnArchive } from './own-archives.store.ts'
import { excessArchives } from './retention.ts'

/** Enough to undo the last update and the one before. */
const MAX_UPDATE_ARCHIVES = 2

/** Age of its last write after which a partial archive is abandoned. */
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
  /** @throws the system error of a folder that exists but can't be read. */
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
  /** Best effort: a part that can't be removed doesn't prevent backups. */
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
  /** Removes partial files of an archive; a process still writing one fails at the end. */
  const removeParts = (name: string) => removePartsIf((archive) => archive === name)
  return {
    directory,
    fileOf,
    list,
    removeParts,

    /** Creates the folder and removes abandoned partial files. */
    async make(): Promise<void> {
      await mkdir(directory, { recursive: true, mode: 0o700 })
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

    /** Also removes its partial files. */
    async remove(name: string): Promise<void> {
      await rm(fileOf(name), { force: true })
      await removeParts(name)
    },

    /** The unfinished update whose backup still exists; null for none. */
    async unfinishedUpdate(): Promise<UnfinishedUpdate | null> {
      try {
        const update = unfinishedUpdate.parse(JSON.parse(await readFile(join(directory, UPDATE_FILE), 'utf8')))
        return (await list()).some(({ fileName }) => fileName === update.fileName) ? update : null
      } catch {
        // There is none, or its record is truncated: the update gets a new backup.
        return null
      }
    },

    beginUpdate: (update: UnfinishedUpdate) => writeFile(join(directory, UPDATE_FILE), JSON.stringify(update)),
    endUpdate: () => rm(join(directory, UPDATE_FILE), { force: true }),

    /**
     * Removes excess archives of the instance.
     * @param written name of the archive just written.
     * @returns the names of removed archives.
     */
    async removeExcess(keepCount: number, written: string, own: readonly OwnArchive[]): Promise<string[]> {
      const names = excessArchives(await list(), own, { keepCount, written }).map(({ fileName }) => fileName)
      await removeAll(names)
      return names
    },

    /** Removes all archives written before updates but the two newest. */
    async removeExcessUpdates(written: string): Promise<void> {
      const names = (await list()).map(({ fileName }) => fileName).filter(isUpdateArchive)
      await removeAll(names.sort(newestFirst(written)).slice(MAX_UPDATE_ARCHIVES))
    },
  }
}
