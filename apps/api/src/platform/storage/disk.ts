import { constants, type Dirent } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFoundError } from '../../errors.ts'
import { type Files, isStoredPath, OWNER_PATTERN, pathOf, requireOwner, sumOf } from './files.ts'
import { openReceiving } from './receiving.ts'
import { asStorageError, isGone, syncFolder } from './whole-file.ts'

/**
 * Opens a store in a folder, which is created if missing.
 * @throws StartupError when the folder isn't writable.
 */
export async function createDiskFiles({ directory }: { directory: string }): Promise<Files> {
  const folderOf = (ownerId: string) => join(directory, requireOwner(ownerId))
  /** Filename of a stored path; undefined for a path that `put` can't have returned. */
  const fileOf = (path: string) => (isStoredPath(path) ? join(directory, path) : undefined)

  const receiving = await openReceiving(directory, async (ownerId, { sha256, sizeBytes, filename }) => {
    const ownerFolder = folderOf(ownerId)
    try {
      const folder = join(ownerFolder, sha256.slice(0, 2))
      // the same content may already be stored: the rename then replaces it with identical bytes
      const move = () => rename(filename, join(folder, sha256))
      const changed = [folder]
      await move().catch(async (error: unknown) => {
        if (!isGone(error)) throw error
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await move()
        changed.push(ownerFolder, directory)
      })
      // a rename onto a hard link to the same file, which an earlier store may have left, does nothing and keeps the source
      await rm(filename, { force: true })
      await Promise.all(changed.map(syncFolder))
      return { sha256, sizeBytes, path: pathOf(ownerId, sha256) }
    } catch (error) {
      await rm(filename, { force: true })
      throw asStorageError(error)
    }
  })

  const list: Files['list'] = async function* (ownerId) {
    const owners =
      ownerId === undefined
        ? (await entriesOf(directory)).map(({ name }) => name).filter((name) => OWNER_PATTERN.test(name))
        : [requireOwner(ownerId)]
    for (const owner of owners) {
      for (const folder of await entriesOf(join(directory, owner))) {
        for (const { name } of await entriesOf(join(directory, owner, folder.name))) {
          const path = `${owner}/${folder.name}/${name}`
          const sizeBytes = await sizeOf(join(directory, path))
          if (sizeBytes !== undefined && isStoredPath(path)) yield { path, sizeBytes }
        }
      }
    }
  }

  return {
    receive: receiving.receive,
    receiveFile: receiving.receiveFile,
    put: receiving.put,
    freeBytes: receiving.freeBytes,
    address: directory,
    isRemote: false,
    pathOf,
    list,
    usage: (ownerId) => sumOf(list(ownerId)),

    async useLocal(path, use) {
      const file = fileOf(path)
      if (file === undefined || (await sizeOf(file)) === undefined) throw new NotFoundError('This file is not there.')
      return use(file)
    },

    async open(path, { start = 0, end } = {}) {
      const file = fileOf(path)
      const handle = file === undefined ? undefined : await openIfExists(file)
      if (!handle) throw new NotFoundError('This file is not there.')
      try {
        const { size } = await handle.stat()
        const stream = handle.createReadStream({ start, ...(end === undefined ? {} : { end }) })
        return { sizeBytes: size, stream }
      } catch (error) {
        await handle.close()
        throw error
      }
    },

    async delete(path) {
      const file = fileOf(path)
      if (file !== undefined) await rm(file, { force: true })
    },

    async deleteAll(ownerId) {
      await rm(folderOf(ownerId), { recursive: true, force: true })
    },

    async check() {
      await receiving.freeBytes()
    },

    close: () => {},
  }
}

async function openIfExists(file: string) {
  try {
    return await open(file, constants.O_RDONLY)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    // deleted meanwhile, or an owner without files
    if (isGone(error)) return []
    throw error
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}
