import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, lstat, mkdir, open, readdir, realpath, rm, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { isSystemFile } from '@mira/shared'
import { codeOf, isGone } from './whole-file.ts'

/** Clones a folder with hard links, or copies where the file system has none. */
export async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await linkTree(source, target)
    else await link(source, target).catch(() => copyFile(source, target))
  }
}

/** Removes a folder's files except those to keep, which are relative paths with slashes. */
export async function removeOtherFiles(folder: string, keptNames: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const filename = join(entry.parentPath, entry.name)
    const isKept = keptNames.has(relative(folder, filename).split(sep).join('/'))
    if (!entry.isDirectory() && !isKept) await rm(filename)
  }
}

export interface WalkedFile {
  /** Relative to the folder, with slashes. */
  relativePath: string
  sizeBytes: number
  modifiedMs: number
}

const MAX_DEPTH = 32

/** True when a path is the folder or inside it; both must be real paths. */
function isInside(path: string, folder: string): boolean {
  const relativePath = relative(folder, path)
  return (
    relativePath === '' || (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  )
}

/** Real path of a folder below a root, following all links; null when it isn't a folder or is outside the root. */
export async function realFolder(path: string, root: string): Promise<string | null> {
  try {
    const [real, realRoot] = await Promise.all([realpath(path), realpath(root)])
    return isInside(real, realRoot) && (await stat(real)).isDirectory() ? real : null
  } catch {
    // missing or unreadable: it can't be watched
    return null
  }
}

/** Files below a folder, without links, hidden files and system files. */
export async function* walkFolder(
  folder: string,
  /** Called for an unreadable file, and for an unreadable folder, whose content is then unknown. */
  onUnreadable: (relativePath: string, error: NodeJS.ErrnoException) => void,
  subfolder = '',
): AsyncGenerator<WalkedFile> {
  if (subfolder.split('/').length > MAX_DEPTH) {
    onUnreadable(subfolder, Object.assign(new Error('too deep'), { code: `> ${MAX_DEPTH}` }))
    return
  }
  const entries = await readdir(join(folder, subfolder), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      onUnreadable(subfolder, error)
      return []
    },
  )
  for (const entry of entries) {
    if (isSystemFile(entry.isDirectory() ? `${entry.name}/` : entry.name)) continue
    const relativePath = subfolder === '' ? entry.name : `${subfolder}/${entry.name}`
    if (entry.isDirectory()) yield* walkFolder(folder, onUnreadable, relativePath)
    else if (entry.isFile()) {
      const stats = await lstat(join(folder, relativePath)).catch((error: NodeJS.ErrnoException) => {
        // Node can't open files whose names aren't UTF-8
        if (entry.name.includes('\uFFFD')) onUnreadable(relativePath, Object.assign(error, { code: 'EILSEQ' }))
        else if (!isGone(error)) onUnreadable(relativePath, error)
        return null
      })
      if (stats?.isFile()) yield { relativePath, sizeBytes: stats.size, modifiedMs: Math.floor(stats.mtimeMs) }
    }
  }
}

/**
 * Opens a file in a folder, unless a link on its path leads out of the folder.
 * @returns null when the file no longer exists or is elsewhere. @throws the file system's error when it can't be opened.
 */
export async function openInFolder(folder: string, relativePath: string): Promise<FileHandle | null> {
  const path = join(folder, relativePath)
  let handle: FileHandle | undefined
  let isInFolder = false
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const [opened, real] = [await handle.stat(), await realpath(path)]
    const current = await stat(real)
    const isSame = opened.ino === current.ino && opened.dev === current.dev && opened.isFile()
    isInFolder = isSame && real === path && isInside(real, folder)
    return isInFolder ? handle : null
  } catch (error) {
    // gone or replaced meanwhile: the next scan sees the new state
    if (isGone(error) || codeOf(error) === 'ELOOP') return null
    throw error
  } finally {
    if (!isInFolder) await handle?.close()
  }
}
