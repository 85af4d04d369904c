import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OWNER_PATTERN } from './files.ts'
import { linkOrCopy, removeAbandoned } from './receiving.ts'
import { isGone } from './whole-file.ts'

/** Local copies of files in a remote store. Several servers may share the folder. */
interface FileCache {
  /**
   * Calls `use` with the name of a local copy, which `fetch` writes when there is none.
   * @throws what `fetch` or `use` throws.
   */
  use<Result>(
    path: string,
    fetch: (filename: string) => Promise<void>,
    use: (filename: string) => Promise<Result>,
  ): Promise<Result>
  /** Moves a local file into the cache as the copy of a stored one. */
  add(path: string, filename: string): Promise<void>
  remove(path: string): Promise<void>
  removeAll(ownerId: string): Promise<void>
  /**
   * Removes all copies that have been unused for an hour, and then the least recently used ones until at most `maxBytes` are
   * left. Copies used within the last minute stay.
   */
  sweep(maxBytes?: number): Promise<void>
}

/** Name of the cache's folder, next to the owners' folders. */
export const CACHE_FOLDER = 'cache'
const IN_USE = 'lent'
/** Copies unused for this long are removed, including other servers' copies of a deleted file. */
const UNUSED_AFTER_MS = 60 * 60_000
/** A copy younger than this may have been fetched for work that hasn't started yet. */
const NEW_FOR_MS = 60_000
/** Share of the cache's size that may be added between two sweeps. */
const SWEPT_SHARE = 0.1
/** Maximum fetches of a copy that keeps being removed. */
const MAX_FETCHES = 3

export async function openFileCache({
  directory,
  maxBytes,
}: {
  directory: string
  maxBytes: number
}): Promise<FileCache> {
  const inUse = join(directory, IN_USE)
  await mkdir(inUse, { recursive: true, mode: 0o700 })
  await removeAbandoned(inUse)
  const fetching = new Map<string, Promise<void>>()
  let addedBytes = 0

  const sweep = async (limit = maxBytes) => {
    addedBytes = 0
    await removeAbandoned(inUse)
    const copies = await copiesIn(directory)
    let bytes = copies.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    for (const { filename, sizeBytes, usedMs } of copies.sort((a, b) => a.usedMs - b.usedMs)) {
      const ageMs = Date.now() - usedMs
      if (ageMs < UNUSED_AFTER_MS && (bytes <= limit || ageMs < NEW_FOR_MS)) continue
      await rm(filename, { force: true })
      bytes -= sizeBytes
    }
  }

  const add = async (path: string, filename: string) => {
    const target = join(directory, path)
    try {
      const move = () => rename(filename, target)
      await move().catch(async (error: unknown) => {
        if (!isGone(error)) throw error
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await move()
      })
      await touch(target)
      addedBytes += (await stat(target)).size
    } finally {
      // a rename onto a hard link to the same file does nothing and keeps the source
      await rm(filename, { force: true })
    }
    if (addedBytes > maxBytes * SWEPT_SHARE) await sweep()
  }

  const fetchOnce = (path: string, fetch: (filename: string) => Promise<void>): Promise<void> => {
    const fetchNow = async () => {
      const filename = join(inUse, randomUUID())
      try {
        await fetch(filename)
        await add(path, filename)
      } finally {
        await rm(filename, { force: true })
      }
    }
    const running = fetching.get(path) ?? fetchNow().finally(() => fetching.delete(path))
    fetching.set(path, running)
    return running
  }

  return {
    async use(path, fetch, use) {
      // `use` gets a separate hard link, which remains when the copy is removed in the meantime
      const filename = join(inUse, randomUUID())
      const copy = join(directory, path)
      const linkCopy = () =>
        linkOrCopy(copy, filename).then(
          () => true,
          (error: unknown) => {
            if (!isGone(error)) throw error
            return false
          },
        )
      try {
        for (let fetches = 0; !(await linkCopy()); fetches++) {
          if (fetches === MAX_FETCHES) throw new Error(`the local copy of ${path} is removed again and again`)
          await fetchOnce(path, fetch)
        }
        await touch(copy)
        return await use(filename)
      } finally {
        await rm(filename, { force: true })
      }
    },

    add,
    remove: (path) => rm(join(directory, path), { force: true }),
    removeAll: (ownerId) => rm(join(directory, ownerId), { recursive: true, force: true }),
    sweep,
  }
}

/** Marks a copy as just used. */
async function touch(filename: string): Promise<void> {
  const now = new Date()
  await utimes(filename, now, now).catch((error: unknown) => {
    if (!isGone(error)) throw error
  })
}

async function copiesIn(directory: string) {
  const copies: { filename: string; sizeBytes: number; usedMs: number }[] = []
  for (const owner of await readdir(directory)) {
    if (!OWNER_PATTERN.test(owner)) continue
    for (const entry of await readdir(join(directory, owner), { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue
      const filename = join(entry.parentPath, entry.name)
      const stats = await stat(filename).catch((error: unknown) => {
        if (!isGone(error)) throw error
        return null
      })
      if (stats !== null) copies.push({ filename, sizeBytes: stats.size, usedMs: stats.mtimeMs })
    }
  }
  return copies
}
