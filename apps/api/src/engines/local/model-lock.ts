import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The right of one process to write a folder that several share. */
export interface ModelLock {
  /** Aborted when somebody else has taken it over. */
  lost: AbortSignal
  release(): Promise<void>
}

/** The holder touches it this often; one that has not been touched for long belongs to nobody. */
const TOUCH_EVERY_MS = 5_000
const STALE_AFTER_MS = 60_000

/** Takes the lock; null while another process has it. @throws the file system's error when the folder cannot be written. */
export async function takeLock(path: string): Promise<ModelLock | null> {
  await mkdir(dirname(path), { recursive: true })
  const mine = randomUUID()
  if (!(await create(path, mine))) {
    if (await isHeld(path)) return null
    await removeStale(path)
    if (!(await create(path, mine))) return null
  }
  const lost = new AbortController()
  const touch = async () => {
    const holder = await readFile(path, 'utf8').catch(() => null)
    if (holder !== mine) lost.abort(new Error('Another server has taken this over.'))
    else await utimes(path, new Date(), new Date()).catch(() => {})
  }
  const touching = setInterval(() => void touch(), TOUCH_EVERY_MS).unref()
  return {
    lost: lost.signal,
    async release() {
      clearInterval(touching)
      if ((await readFile(path, 'utf8').catch(() => null)) === mine) await rm(path, { force: true })
    },
  }
}

/** True when a running process owns the lock. */
export async function isHeld(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats !== null && Date.now() - stats.mtimeMs < STALE_AFTER_MS
}

async function create(path: string, mine: string): Promise<boolean> {
  try {
    await writeFile(path, mine, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Two may judge it stale: what the second one takes away by mistake goes back, unless there is a third by then. */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => {})
  if (await isHeld(aside)) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}
