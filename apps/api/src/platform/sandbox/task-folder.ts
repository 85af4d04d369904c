import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, type FileHandle, link, lstat, mkdir, open, rename, unlink, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { removeTree } from '../lib/remove-tree.ts'

/**
 * Two folders of a process, for its inputs and its results. In a sandbox, the process sees no other user files. The
 * server deletes nothing in the output folder while the process is alive.
 */
export interface TaskFolder {
  /** Folder of input files; the process can't change it. */
  readonly inputFolder: string
  /** Folder for the results of the process. */
  readonly outputFolder: string
  /**
   * Adds an input under another name, until the folder is cleared; the same file always gets the same name.
   * @returns the path for the process.
   */
  provide(filename: string): Promise<string>
  /**
   * Moves a result to `destination`.
   * @param name file name, or a path of which only the last part counts.
   * @param sizeBytes size that the process reported, if any; the file must have it, because the process isn't trusted.
   * @throws Error for anything but a regular file: a link could lead to any file that the server can read.
   */
  take(name: string, destination: string, sizeBytes?: number): Promise<void>
  /** Content of a result. @throws Error for anything but a regular file of at most `maxBytes`. */
  read(name: string, maxBytes: number): Promise<Buffer>
  /** Removes the inputs. */
  clear(): Promise<void>
  /** Removes both folders, after the process has ended. */
  remove(): Promise<void>
}

const HASH_CHARACTERS = 32
/** Extensions that inputs keep, because some parsers look at them. */
const SAFE_EXTENSION = /^\.[a-z0-9]{1,8}$/i

/** Distinguishes this server's task folders from those of other servers, which may be leftovers. */
const owner = randomUUID().slice(0, 8)

/** True for the name of a task folder that this server created. */
export function isOwnTaskFolder(name: string): boolean {
  return name.startsWith(`${owner}-`)
}

/**
 * Creates a task folder on the disk of its inputs, so that they needn't be copied.
 * @param isForeign true when a parser service runs the process as another user: the service creates and removes the output
 * folder and gives that user access to the inputs; results are copied, because that user owns their files.
 */
export async function openTaskFolder(directory: string, { isForeign = false } = {}): Promise<TaskFolder> {
  const name = `${owner}-${randomUUID()}`
  const [inputFolder, outputFolder] = [join(directory, 'lent', name), join(directory, 'made', name)]
  await mkdir(inputFolder, { recursive: true, mode: isForeign ? 0o750 : 0o700 })
  if (!isForeign) await mkdir(outputFolder, { recursive: true, mode: 0o700 })
  const inputNames = new Set<string>()

  return {
    inputFolder,
    outputFolder,

    async provide(filename) {
      const extension = extname(filename)
      const hash = createHash('sha256').update(filename).digest('hex').slice(0, HASH_CHARACTERS)
      const name = `${hash}${SAFE_EXTENSION.test(extension) ? extension : ''}`
      const path = join(inputFolder, name)
      if (inputNames.has(name)) return path
      inputNames.add(name)
      await link(filename, path).catch((error: NodeJS.ErrnoException) => {
        // the file is on another disk, or its file system has no hard links
        if (error.code === 'ENOENT') throw error
        return copyFile(filename, path, constants.COPYFILE_FICLONE)
      })
      // a hard link shares its mode with the stored file; the parent folders of both deny access to everyone else
      if (isForeign) await chmod(path, 0o644)
      return path
    },

    async take(name, destination, sizeBytes) {
      const source = join(outputFolder, nameIn(name))
      if (sizeBytes !== undefined && (await lstat(source)).size !== sizeBytes) {
        throw new Error('A process wrote a file of another size than it reported.')
      }
      if (isForeign) {
        await copyRegularFile(source, destination)
        return
      }
      await rename(source, destination).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EXDEV') throw error
        return copyRegularFile(source, destination)
      })
      // checked at the destination, where the process can no longer replace the file
      if ((await lstat(destination)).isFile()) return
      await removeTree(destination)
      throw notRegularFileError()
    },

    async read(name, maxBytes) {
      await using file = await openRegularFile(join(outputFolder, nameIn(name)))
      const { size } = await file.stat()
      if (size > maxBytes) throw new Error('A process wrote a file that is too large.')
      const content = Buffer.allocUnsafe(size)
      const { bytesRead } = await file.read(content, 0, size, 0)
      return content.subarray(0, bytesRead)
    },

    async clear() {
      const names = [...inputNames]
      inputNames.clear()
      for (const name of names) await unlink(join(inputFolder, name)).catch(ignoreMissing)
    },

    async remove() {
      await removeTree(inputFolder)
      if (!isForeign) await removeTree(outputFolder)
    },
  }
}

/** Ignores a missing file: an input that couldn't be provided doesn't exist. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

function nameIn(path: string): string {
  const name = path.split('/').at(-1) ?? ''
  if (name === '' || name === '.' || name === '..') throw new Error('A process returned an invalid file name.')
  return name
}

function notRegularFileError(): Error {
  return new Error('A process wrote something other than a regular file.')
}

async function openRegularFile(path: string): Promise<FileHandle> {
  // O_NONBLOCK: opening a named pipe would block otherwise
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' || error.code === 'ENXIO' ? notRegularFileError() : error
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw notRegularFileError()
}

async function copyRegularFile(source: string, destination: string): Promise<void> {
  await using file = await openRegularFile(source)
  await writeFile(destination, file.createReadStream({ autoClose: false }), { mode: 0o600 })
}
