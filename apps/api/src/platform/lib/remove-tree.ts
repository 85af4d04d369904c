import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, type FileHandle, lstat, open, opendir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes a folder that another process filled, or may still be changing. Every step goes through the handle of a folder
 * that was opened without following links, so a folder exchanged for a link leads nowhere. Folders inside are moved up
 * before they are emptied, so that only two handles are open, however deep they are.
 */
export async function removeTree(path: string): Promise<void> {
  // only Linux gives the handle of a folder a path; other systems have no sandbox, either
  if (process.platform !== 'linux') return rm(path, { recursive: true, force: true })
  const top = await openFolder(path)
  if (top === null) return rm(path, { force: true })
  try {
    for (;;) {
      let entryCount = 0
      let removed = 0
      for await (const { name } of await opendir(pathOf(top))) {
        entryCount++
        if (await tryRemove(join(pathOf(top), name), top)) removed++
      }
      if (entryCount === 0) break
      if (removed === 0) throw new Error('The folder of a process could not be emptied.')
    }
  } finally {
    await top.close()
  }
  await rmdir(path).catch(unlessCode('ENOENT'))
}

/** Removes an entry of `top`; false when it has to be tried again. */
async function tryRemove(entry: string, top: FileHandle): Promise<boolean> {
  if (await tryUnlink(entry)) return true
  const folder = await openFolder(entry)
  if (folder === null) return false
  try {
    await folder.chmod(0o700)
    await emptyInto(folder, top)
  } finally {
    await folder.close()
  }
  return rmdir(entry).then(() => true, unlessCode('ENOENT', 'ENOTDIR', 'ENOTEMPTY'))
}

/** Removes the files of a folder, and moves the folders in it into `top`. */
async function emptyInto(folder: FileHandle, top: FileHandle): Promise<void> {
  for await (const { name } of await opendir(pathOf(folder))) {
    const entry = join(pathOf(folder), name)
    if (!(await tryUnlink(entry))) await rename(entry, join(pathOf(top), randomUUID())).catch(unlessCode('ENOENT'))
  }
}

function pathOf(folder: FileHandle): string {
  return `/proc/self/fd/${folder.fd}`
}

/** Opens a folder without following a link; null for anything but a folder. */
async function openFolder(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  return open(path, flags).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ELOOP') return null
    if (error.code !== 'EACCES' || !(await lstat(path)).isDirectory()) throw error
    await chmod(path, 0o700)
    return open(path, flags)
  })
}

/** Removes anything but a folder; false for a folder. */
async function tryUnlink(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return true
      if (error.code === 'EISDIR' || error.code === 'EPERM') return false
      throw error
    },
  )
}

function unlessCode(...codes: string[]) {
  return (error: NodeJS.ErrnoException) => {
    if (!codes.includes(error.code ?? '')) throw error
    return false
  }
}
