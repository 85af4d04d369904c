import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Long enough for the row of a file that has just begun to be stored. */
const NEW_FOR_MS = 60 * 60_000

/** The bytes of files that arrive in parts: one file each, in a folder of their sender. */
export interface PartialFiles {
  /** Where they lie; a file is named `<user>/<upload>` in it. */
  directory: string
  filenameOf(userId: string, id: string): string
  /** How many have arrived; null when there is no such file. */
  sizeOf(userId: string, id: string): Promise<number | null>
  /** One that is gone already is no error. */
  remove(userId: string, id: string): Promise<void>
  removeAll(userId: string): Promise<void>
  /** Removes what nobody knows of, but for what is so new that its row may be under way. */
  sweep(areKnown: (ids: string[]) => Promise<Set<string>>): Promise<void>
}

/** Opens the folder, which is made when it is missing. */
export async function createPartialFiles({ directory }: { directory: string }): Promise<PartialFiles> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const filenameOf = (userId: string, id: string) => join(directory, userId, id)
  return {
    directory,
    filenameOf,

    async sizeOf(userId, id) {
      return (await statIfThere(filenameOf(userId, id)))?.size ?? null
    },

    async remove(userId, id) {
      await rm(filenameOf(userId, id), { force: true })
    },

    async removeAll(userId) {
      await rm(join(directory, userId), { recursive: true, force: true })
    },

    async sweep(areKnown) {
      const oldest = Date.now() - NEW_FOR_MS
      for (const userId of await readdir(directory)) {
        const ids = await namesIn(join(directory, userId))
        const known = await areKnown(ids)
        for (const id of ids) {
          if (known.has(id)) continue
          const file = await statIfThere(filenameOf(userId, id))
          if (file !== null && file.mtimeMs < oldest) await rm(filenameOf(userId, id), { force: true })
        }
      }
    },
  }
}

/** None of a folder that has gone meanwhile. */
const namesIn = (folder: string) => unlessGone(readdir(folder), [])
const statIfThere = (filename: string) => unlessGone(stat(filename), null)

async function unlessGone<Found, Instead>(finding: Promise<Found>, instead: Instead): Promise<Found | Instead> {
  try {
    return await finding
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead
    throw error
  }
}
