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
 * Scratch folders inside a folder that several servers may share; what killed ones left there is removed.
 * @param isOnlyProcess whether no other server uses it: then all that is there was left.
 */
export async function createScratch(deps: { directory: string; isOnlyProcess: boolean }): Promise<Scratch> {
  const { directory, isOnlyProcess } = deps
  const own = join(directory, randomUUID())
  /** Removes other servers' folders, judged by the time of their last heartbeat. */
  const removeIf = async (isDead: (folder: string, aliveMs: number) => boolean) => {
    for (const name of await readdir(directory)) {
      const folder = join(directory, name)
      // another server that starts at the same time removes the same
      const stats = folder === own ? null : await stat(folder).catch(() => null)
      if (stats !== null && isDead(folder, stats.mtimeMs)) await rm(folder, { recursive: true, force: true })
    }
  }
  await mkdir(own, { recursive: true, mode: 0o700 })
  const aliveAtStart = new Map<string, number>()
  await removeIf((folder, aliveMs) => {
    aliveAtStart.set(folder, aliveMs)
    return isOnlyProcess || Date.now() - aliveMs > DEAD_AFTER_MS
  })
  // of servers that were killed shortly before
  const later = setTimeout(() => {
    removeIf((folder, aliveMs) => aliveAtStart.get(folder) === aliveMs).catch(() => {})
  }, DEAD_AFTER_MS)
  later.unref()
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
      clearTimeout(later)
      await rm(own, { recursive: true, force: true })
    },
  }
}
