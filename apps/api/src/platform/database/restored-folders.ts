import { existsSync, readFileSync } from 'node:fs'
import { lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { StartupError } from '../../errors.ts'
import { syncFolder, unlessGone } from '../storage/whole-file.ts'
import { lockDataDir } from './lock.ts'

/** Folder of DATA_DIR in which a restore prepares everything. */
export const STAGING_FOLDER = 'restoring'
const PLAN_FILE = join(STAGING_FOLDER, 'moves.json')
/** Options of `rm`: a killed restore's child process may still write into the folder for some seconds. */
export const LEFTOVER_REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }

/** Failure of a restore's last step, which replaces the existing data. */
export class UnfinishedRestoreError extends StartupError {}

const planSchema = z.object({ names: z.array(z.enum(['database', 'files'])), aside: z.string().nullable() })

/** Folders to put in place, and the folder to move the replaced ones to; null when they contain nothing worth keeping. */
export type RestoredFolders = z.infer<typeof planSchema>

/** True while a restore is complete in the staging folder, but not yet in place. */
export const hasRestoredFolders = (dataDir: string) => existsSync(join(dataDir, PLAN_FILE))

/**
 * Checks that folders can be moved aside before any is moved: mount points can't be.
 * @throws StartupError
 */
export async function requireMovable(dataDir: string, names: readonly string[]): Promise<void> {
  const mounted = await mountedFolders()
  const { dev } = await lstat(dataDir)
  for (const name of names) {
    const folder = join(await realpath(dataDir), name)
    if (!existsSync(folder)) continue
    if (mounted === null ? (await lstat(folder)).dev === dev : !mounted.has(folder)) continue
    throw new StartupError(
      `${folder} is a disk of its own, which a restore can’t replace. Restore into another DATA_DIR.`,
    )
  }
}

/**
 * True for a folder that's on another disk than DATA_DIR, or is a separate mount of the same disk: files can't be moved or
 * linked there from DATA_DIR.
 * @throws the file system's error when the folder is unreadable.
 */
export async function isOnOtherDisk(dataDir: string, name: string): Promise<boolean> {
  const folder = await realpath(join(dataDir, name)).catch(unlessGone(null))
  if (folder === null) return false
  const [own, other] = await Promise.all([stat(dataDir), stat(folder)])
  if (own.dev !== other.dev) return true
  const mounted = await mountedFolders()
  if (mounted === null) return false
  const mountOf = (path: string): string => (mounted.has(path) || path === '/' ? path : mountOf(dirname(path)))
  return mountOf(folder) !== mountOf(await realpath(dataDir))
}

/** Mount points; null on systems other than Linux. */
async function mountedFolders(): Promise<Set<string> | null> {
  const lines = await readFile('/proc/self/mountinfo', 'utf8').catch(() => null)
  if (lines === null) return null
  const unescaped = (path: string) =>
    path.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
  return new Set(lines.split('\n').map((line) => unescaped(line.split(' ')[4] ?? '')))
}

/** Removes a restore's leftover folder. Errors are only warnings, because the restore itself succeeded. */
export async function removeLeftover(folder: string, onWarning: (sentence: string) => void): Promise<void> {
  await rm(folder, LEFTOVER_REMOVAL).catch((error: Error) =>
    onWarning(`${folder} could not be removed: ${error.message}. Delete it.`),
  )
}

/**
 * Puts restored folders in place. If the process dies meanwhile, it leaves a plan that `finishRestore` carries out.
 * @throws UnfinishedRestoreError after the first change; anything else when nothing was changed.
 */
export async function placeRestored(
  dataDir: string,
  plan: RestoredFolders,
  onWarning: (sentence: string) => void,
): Promise<void> {
  for (const name of plan.names)
    if (!existsSync(join(dataDir, STAGING_FOLDER, name)))
      throw new StartupError(`Another process removed ${join(dataDir, STAGING_FOLDER, name)}. Restore again.`)
  const planFile = join(dataDir, PLAN_FILE)
  await writeFile(`${planFile}.part`, JSON.stringify(plan), { flush: true })
  await rename(`${planFile}.part`, planFile)
  await finishRestore(dataDir, onWarning)
}

/**
 * Finishes a restore that was interrupted between its moves, or removes the leftovers of one that was killed before them.
 * Without this, the next start would create an empty database in place of the one moved aside. Call it with DATA_DIR locked.
 * @throws UnfinishedRestoreError when that's impossible.
 */
export async function finishRestore(dataDir: string, onWarning: (sentence: string) => void): Promise<void> {
  try {
    if (hasRestoredFolders(dataDir))
      await moveStagedFolders(dataDir, planSchema.parse(JSON.parse(readFileSync(join(dataDir, PLAN_FILE), 'utf8'))))
  } catch (error) {
    throw new UnfinishedRestoreError(
      `A restore was interrupted, and its last step can’t be finished: ${(error as Error).message}. The previous data ` +
        `is in DATA_DIR ${dataDir}, in the newest folder replaced-…; the restored data, in ${STAGING_FOLDER}. Fix ` +
        'the cause and start again.',
      { cause: error },
    )
  }
  await removeLeftover(join(dataDir, STAGING_FOLDER), onWarning)
}

/** Removes a killed restore's leftovers when a database server is used; the embedded database does so when it's opened. */
export async function removeInterruptedRestore(dataDir: string, onWarning: (sentence: string) => void): Promise<void> {
  if (!existsSync(join(dataDir, STAGING_FOLDER)) || hasRestoredFolders(dataDir)) return
  // a running restore holds the lock
  const unlock = await lockDataDir(dataDir).catch(() => null)
  if (unlock === null) return
  // the restore may have reached its last step meanwhile
  if (!hasRestoredFolders(dataDir)) await removeLeftover(join(dataDir, STAGING_FOLDER), onWarning)
  unlock()
}

/** Moves the folders that are still staged, so that this can be resumed after each step. */
async function moveStagedFolders(dataDir: string, { names, aside }: RestoredFolders): Promise<void> {
  await syncFolder(join(dataDir, STAGING_FOLDER))
  await syncFolder(dataDir)
  for (const name of names) {
    const [staged, target] = [join(dataDir, STAGING_FOLDER, name), join(dataDir, name)]
    if (!existsSync(staged)) continue
    if (aside !== null && existsSync(target)) {
      await mkdir(join(dataDir, aside), { recursive: true, mode: 0o700 })
      await rename(target, join(dataDir, aside, name))
    }
    await rm(target, { recursive: true, force: true })
    await rename(staged, target)
  }
  await syncFolder(dataDir)
}
