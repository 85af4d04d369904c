import { createReadStream } from 'node:fs'
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import { NotFoundError, RemoteStoreError } from '../../errors.ts'
import type { ByteRange, OpenedFile } from './files.ts'
import { PART_SUFFIX, unlessGone, writeWholeFile } from './whole-file.ts'

interface RemoteObject {
  name: string
  sizeBytes: number
  modifiedAt: Date
}

/** Named objects on another machine or disk, written atomically. */
export interface RemoteStore {
  /** Shown to users, without secrets. */
  address: string
  list(prefix: string): AsyncIterable<RemoteObject>
  /** @throws NotFoundError; RemoteStoreError */
  read(name: string, range?: ByteRange): Promise<OpenedFile>
  /** @throws RemoteStoreError */
  write(name: string, content: Readable, sizeBytes: number, signal?: AbortSignal): Promise<void>
  /** Removes an object; does nothing when it doesn't exist. */
  remove(name: string): Promise<void>
  /** Removes unfinished uploads that began before this time. */
  removeAbandoned(before: Date): Promise<void>
  close(): void
}

/**
 * Opens a store in a mounted folder. The folder must exist: it isn't created, so that nothing is written below an unmounted
 * mount point.
 * @throws RemoteStoreError
 */
export async function openFolderStore(directory: string): Promise<RemoteStore> {
  await access(directory).catch((error: Error) => {
    throw new RemoteStoreError(
      `The folder ${directory} can’t be used: ${error.message}. Mount its disk, or create the folder.`,
      { cause: error },
    )
  })
  /** Throws for an existing but unreadable file, because one treated as missing would be rewritten or deleted. */
  const orMissing = <Value, Missing>(reading: Promise<Value>, missing: Missing): Promise<Value | Missing> =>
    reading.catch(unlessGone(missing)).catch((error: Error) => {
      throw new RemoteStoreError(`The folder ${directory} can’t be read: ${error.message}.`, { cause: error })
    })
  const entriesOf = (folder: string) => orMissing(readdir(folder, { withFileTypes: true }), [])
  const filesIn = async function* (folder: string, readFolder = entriesOf): AsyncGenerator<string> {
    for (const entry of await readFolder(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) yield* filesIn(path, readFolder)
      else yield path
    }
  }
  return {
    address: directory,
    async *list(prefix) {
      for await (const path of filesIn(join(directory, prefix))) {
        const stats = await orMissing(stat(path), null)
        if (stats === null || path.endsWith(PART_SUFFIX)) continue
        yield { name: relative(directory, path), sizeBytes: stats.size, modifiedAt: stats.mtime }
      }
    },
    async read(name, range = {}) {
      const path = join(directory, name)
      const stats = await orMissing(stat(path), null)
      if (stats === null) throw new NotFoundError('This file is not there.')
      return { sizeBytes: stats.size, stream: createReadStream(path, range) }
    },
    async write(name, content, _sizeBytes, signal) {
      const path = join(directory, name)
      await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
      await writeWholeFile(path, content, signal)
    },
    remove: (name) => rm(join(directory, name), { force: true }),
    async removeAbandoned(before) {
      // an unreadable folder, such as a disk's lost+found, contains nothing of Mira's
      const readableEntriesOf = (folder: string) => entriesOf(folder).catch(() => [])
      for await (const path of filesIn(directory, readableEntriesOf)) {
        if (!path.endsWith(PART_SUFFIX)) continue
        const stats = await orMissing(stat(path), null)
        if (stats !== null && stats.mtime < before) await rm(path, { force: true })
      }
    },
    close: () => {},
  }
}
