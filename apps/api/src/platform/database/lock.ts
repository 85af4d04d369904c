import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'

/** Contents of the lock file about the process that owns it. */
interface Holder {
  pid: number
  /** Start time in the kernel's ticks, so that a process id that is used again is not mistaken; '' where unknown. */
  started: string
  host: string
}

/** Another process holds the data folder. */
export class DataDirInUseError extends StartupError {}

const LOCK_FILE = 'database.lock'
/** The holder touches its lock this often, so that a machine that cannot see the process knows that it lives. */
const TOUCH_INTERVAL_MS = 5_000
const STALE_AFTER_MS = 15_000
/** A lock without content is younger than this while its maker writes it, and older when its maker has died. */
const BEING_WRITTEN_MS = 1_000

function startTimeOf(pid: number): string {
  try {
    // The process name before it may hold spaces, but ends with the last bracket.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readHolder(file: string): { text: string; holder: Partial<Holder>; ageMs: number } | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    const ageMs = Date.now() - statSync(file).mtimeMs
    try {
      return { text, holder: JSON.parse(text) as Partial<Holder>, ageMs }
    } catch {
      // Half written by a process that died.
      return { text, holder: {}, ageMs }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** True when the holder is alive; one on another machine or in another container is only known by its touches. */
async function isHeld(file: string, holder: Partial<Holder>, ageMs: number): Promise<boolean> {
  if (!holder.pid) return false
  if (holder.host === hostname()) return isAlive(holder.pid) && startTimeOf(holder.pid) === holder.started
  const before = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (before === undefined) return false
  // its clock may differ from the one here: an old one is watched, too, but only for one touch
  const deadline = performance.now() + (ageMs > STALE_AFTER_MS ? TOUCH_INTERVAL_MS + 1_000 : STALE_AFTER_MS)
  while (performance.now() < deadline) {
    await sleep(500)
    const now = statSync(file, { throwIfNoEntry: false })
    if (!now) return false
    if (now.mtimeMs !== before) return true
  }
  return false
}

/**
 * Makes this process the only one on a data folder: PGlite does not notice a second one, and the loser's rows vanish.
 * A lock left behind by a process that was killed is taken over.
 * @returns what gives the lock back.
 * @throws DataDirInUseError when another process holds it; StartupError when the folder cannot be written.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  const file = join(dataDir, LOCK_FILE)
  const mine = JSON.stringify({ pid: process.pid, started: startTimeOf(process.pid), host: hostname() })
  try {
    mkdirSync(dataDir, { recursive: true })
    for (;;) {
      if (await tryToLock(file, mine, dataDir)) break
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`DATA_DIR ${dataDir} cannot be written: ${(error as Error).message}`, { cause: error })
  }
  const touching = setInterval(() => {
    const now = new Date()
    try {
      utimesSync(file, now, now)
    } catch {
      // The folder is being deleted, or the disk is away: the next touch tries again.
    }
  }, TOUCH_INTERVAL_MS)
  touching.unref()
  return () => {
    clearInterval(touching)
    try {
      if (readHolder(file)?.text === mine) rmSync(file, { force: true })
    } catch {
      // The lock of a process that has ended is taken over.
    }
  }
}

async function tryToLock(file: string, mine: string, dataDir: string): Promise<boolean> {
  try {
    writeFileSync(file, mine, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const lockFile = readHolder(file)
  if (!lockFile) return false
  if (!lockFile.holder.pid && lockFile.ageMs < BEING_WRITTEN_MS) {
    await sleep(BEING_WRITTEN_MS / 10)
    return false
  }
  if (await isHeld(file, lockFile.holder, lockFile.ageMs)) {
    throw new DataDirInUseError(
      `DATA_DIR ${dataDir} is already used by process ${lockFile.holder.pid}. Stop it first, or choose another DATA_DIR.`,
    )
  }
  // Two starters may judge the same lock stale: a rename shows whether it is still the one that was judged.
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  try {
    // It is not: it goes back, but never over the lock of a third that began between.
    if (readFileSync(aside, 'utf8') !== lockFile.text) linkSync(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new StartupError(`DATA_DIR ${dataDir} is used by several processes that started at once. Start one of them.`)
  } finally {
    rmSync(aside, { force: true })
  }
  return false
}
