import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

/** Provides an empty folder for temporary files, which is removed afterwards. */
export type WithTempFolder = <Result>(use: (folder: string) => Promise<Result>) => Promise<Result>

interface Scratch {
  withTempFolder: WithTempFolder
  /** Removes all temporary folders. */
  close(): Promise<void>
}

/** Interval at which a server touches its own folder to show that it's alive. */
const ALIVE_EVERY_MS = 60_000
/** Age of the last heartbeat after which a server counts as killed. */
const DEAD_AFTER_MS = 60 * 60_000

/**
 * Creates scratch folders inside a folder that several servers may share; killed servers' leftovers are removed.
 * @param isOnlyProcess true when no other server uses the folder, so that everything in it is left over.
 */
export async function createScratch(deps: { directory: string; isOnlyProcess: boolean }): Promise<Scratch> {
  const { directory, isOnlyProcess } = deps
  const ownFolder = join(directory, randomUUID())
  /** Removes other servers' folders, judged by the time of their last heartbeat. */
  const removeIf = async (isDead: (folder: string, lastAliveMs: number) => boolean) => {
    for (const name of await readdir(directory)) {
      const folder = join(directory, name)
      // another starting server may have removed it already
      const stats = folder === ownFolder ? null : await stat(folder).catch(() => null)
      if (stats !== null && isDead(folder, stats.mtimeMs)) await rm(folder, { recursive: true, force: true })
    }
  }
  await mkdir(ownFolder, { recursive: true, mode: 0o700 })
  const aliveAtStart = new Map<string, number>()
  await removeIf((folder, lastAliveMs) => {
    aliveAtStart.set(folder, lastAliveMs)
    return isOnlyProcess || Date.now() - lastAliveMs > DEAD_AFTER_MS
  })
  // an hour later, remove folders not touched since the start: their servers were killed shortly before it
  const laterCheck = setTimeout(() => {
    removeIf((folder, lastAliveMs) => aliveAtStart.get(folder) === lastAliveMs).catch(() => {})
  }, DEAD_AFTER_MS)
  laterCheck.unref()
  const timer = setInterval(() => {
    const now = new Date()
    // a missing folder is no problem: withTempFolder creates it again
    utimes(ownFolder, now, now).catch(() => {})
  }, ALIVE_EVERY_MS)
  timer.unref()

  return {
    async withTempFolder(use) {
      const folder = join(ownFolder, randomUUID())
      await mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        return await use(folder)
      } finally {
        // mostly empty: rmdir is several times as fast as a recursive rm
        await rmdir(folder).catch(() => rm(folder, { recursive: true, force: true }))
      }
    },

    async close() {
      clearInterval(timer)
      clearTimeout(laterCheck)
      await rm(ownFolder, { recursive: true, force: true })
    },
  }
}
