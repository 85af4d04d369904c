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

/** Objects by name on another machine or disk, each there whole or not at all. */
export interface RemoteStore {
  /** For people; without secrets. */
  address: string
  list(prefix: string): AsyncIterable<RemoteObject>
  /** @throws NotFoundError; RemoteStoreError */
  read(name: string, range?: ByteRange): Promise<OpenedFile>
  /** @throws RemoteStoreError */
  write(name: string, content: Readable, sizeBytes: number, signal?: AbortSignal): Promise<void>
  /** An object that is gone already is no error. */
  remove(name: string): Promise<void>
  /** Frees what uploads that began before a moment, and never ended, still take. */
  removeAbandoned(before: Date): Promise<void>
  close(): void
}

/**
 * A mounted directory. It must exist: one whose disk is not mounted is not made, so that nothing is written beside it.
 * @throws RemoteStoreError
 */
export async function openFolderStore(directory: string): Promise<RemoteStore> {
  await access(directory).catch((error: Error) => {
    throw new RemoteStoreError(
      `The folder ${directory} can’t be used: ${error.message}. Mount its disk, or create the folder.`,
      { cause: error },
    )
  })
  /** Throws for what exists but can't be read: taken for missing, files would be written anew or deleted. */
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
      // an unreadable folder, such as a disk's lost+found, holds nothing of Mira's
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
