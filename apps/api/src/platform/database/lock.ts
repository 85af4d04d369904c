import { randomUUID } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, uptime } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'

/** Contents of the lock file: the process that holds it. */
interface Holder {
  pid: number
  /** Start time in kernel ticks, which tells a reused process id apart; '' where unknown. */
  started: string
  host: string
  /** Running kernel and process namespace, in which the process id is valid; '' where unknown, undefined in older locks. */
  processSpace?: string
}

/** Another process holds the data folder. */
export class DataDirInUseError extends StartupError {}

const LOCK_FILE = 'database.lock'
/** Interval at which the holder touches its lock, so that machines that can't see the process know that it's alive. */
const TOUCH_INTERVAL_MS = 5_000
const STALE_AFTER_MS = 15_000
/** Age up to which an empty lock counts as being written; an older one is a dead process's. */
const BEING_WRITTEN_MS = 1_000

function startTimeOf(pid: number): string {
  try {
    // the process name in parentheses may contain spaces and parentheses
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function readProcessSpace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
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
      // half written by a process that died
      return { text, holder: {}, ageMs }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * True when the holder is alive. Only its touches show that when it's on another machine or in another container (even one of
 * the same name), or when its process id may be another program's by now. Waiting for a touch takes up to 15 seconds, also
 * after this machine or container was restarted without releasing its lock.
 */
async function isHeld(file: string, holder: Partial<Holder>, ageMs: number): Promise<boolean> {
  if (!holder.pid) return false
  const ownSpace = readProcessSpace()
  if (holder.host === hostname() && (holder.processSpace ?? ownSpace) === ownSpace) {
    const isRunning = isAlive(holder.pid) && startTimeOf(holder.pid) === holder.started
    // Without start times (macOS, Windows), the id may be another program's since the machine was restarted.
    const mayBeReused = holder.started === '' && ageMs > uptime() * 1000
    if (!isRunning || !mayBeReused) return isRunning
  }
  const before = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (before === undefined) return false
  // the holder's clock may differ from ours, so even an old lock is watched for one touch
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
 * Locks a data folder for this process, since PGlite doesn't notice a second process, and rows of one of them would be lost.
 * A lock left behind by a killed process is taken over.
 * @returns a function that releases the lock.
 * @throws DataDirInUseError when another process holds it; StartupError when the folder isn't writable.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  const file = join(dataDir, LOCK_FILE)
  const own = {
    pid: process.pid,
    started: startTimeOf(process.pid),
    host: hostname(),
    processSpace: readProcessSpace(),
  }
  const ownText = JSON.stringify(own)
  try {
    mkdirSync(dataDir, { recursive: true })
    for (;;) {
      if (await tryToLock(file, ownText, dataDir)) break
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`DATA_DIR ${dataDir} isn’t writable: ${(error as Error).message}`, { cause: error })
  }
  const touching = setInterval(() => {
    const now = new Date()
    try {
      utimesSync(file, now, now)
    } catch {
      // the folder is being deleted, or the disk is unavailable: the next touch tries again
    }
  }, TOUCH_INTERVAL_MS)
  touching.unref()
  return () => {
    clearInterval(touching)
    try {
      if (readHolder(file)?.text === ownText) rmSync(file, { force: true })
    } catch {
      // a lock that stays is taken over by the next process, since this one has ended by then
    }
  }
}

async function tryToLock(file: string, ownText: string, dataDir: string): Promise<boolean> {
  try {
    writeFileSync(file, ownText, { flag: 'wx', mode: 0o600 })
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
  // Two starting processes may find the same lock stale: the rename reveals whether it's still that lock.
  // The new name is random, since a process in another container may have the same id.
  const aside = `${file}.${randomUUID()}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  try {
    // if not, put it back, but never over the lock of a third process
    if (readFileSync(aside, 'utf8') !== lockFile.text) linkSync(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new StartupError(
      `DATA_DIR ${dataDir} is used by several processes that started at the same time. Start only one of them.`,
    )
  } finally {
    rmSync(aside, { force: true })
  }
  return false
}
