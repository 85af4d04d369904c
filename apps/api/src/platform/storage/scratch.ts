import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

/** Lends an empty folder for files that are needed for a while; it is removed afterwards, whatever happens. */
export type UseScratch = <Result>(use: (folder: string) => Promise<Result>) => Promise<Result>

/** Scratch folders of a server. */
interface Scratch {
  useScratch: UseScratch
  /** Removes them all. */
  close(): Promise<void>
}

/** Each server has a folder of its own, and says so often that it is alive. */
const ALIVE_EVERY_MS = 60_000
/** Age of the last heartbeat after which a server counts as killed. */
const DEAD_AFTER_MS = 60 * 60_000

/**
 * Scratch folders inside a folder that several servers may share; what killed ones left there is removed first.
 * @param isOnlyProcess whether no other server uses it: then all that is there was left.
 */
export async function createScratch(deps: { directory: string; isOnlyProcess: boolean }): Promise<Scratch> {
  const { directory, isOnlyProcess } = deps
  const own = join(directory, randomUUID())
  await mkdir(own, { recursive: true, mode: 0o700 })
  for (const name of await readdir(directory)) {
    const folder = join(directory, name)
    if (folder === own) continue
    // another server that starts at the same time removes the same
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (isOnlyProcess || age > DEAD_AFTER_MS) await rm(folder, { recursive: true, force: true })
  }
  const timer = setInterval(() => {
    const now = new Date()
    // a folder that somebody removed is made again with the next one inside
    utimes(own, now, now).catch(() => {})
  }, ALIVE_EVERY_MS)
  timer.unref()

  return {
    async useScratch(use) {
      const folder = join(own, randomUUID())
      await mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        return await use(folder)
      } finally {
        // most work leaves nothing there, and to look for it costs several times as much
        await rmdir(folder).catch(() => rm(folder, { recursive: true, force: true }))
      }
    },

    async close() {
      clearInterval(timer)
      await rm(own, { recursive: true, force: true })
    },
  }
}
