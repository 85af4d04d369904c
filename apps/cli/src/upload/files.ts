import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { acceptedExtensionsOf } from '@mira/shared/constants/formats'
import { mediaTypes } from '@mira/shared/constants/media'
import { isSystemFile } from '@mira/shared/constants/system-files'
import { Failure } from '../failure.ts'

/** A file to upload. */
export interface LocalFile {
  path: string
  sizeBytes: number
}

const endings = new Set(acceptedExtensionsOf(...mediaTypes))

/** True for the name of a file that isn't hidden or a system file and has a supported ending. */
export function isSupported(name: string): boolean {
  return !isSystemFile(name) && endings.has(extname(name).slice(1).toLowerCase())
}

/**
 * Files to upload: the given ones, and those in the given folders, sorted by name. Links inside folders aren't followed.
 * @throws Failure when a given path doesn't exist.
 */
export async function* filesIn(paths: string[]): AsyncGenerator<LocalFile> {
  for (const path of paths) {
    const stats = await statsOf(path)
    if (stats.isDirectory()) yield* filesBelow(path)
    else yield { path, sizeBytes: stats.size }
  }
}

/** @throws Failure for a path that isn't a readable file. */
export async function requireFile(path: string): Promise<void> {
  if (!(await statsOf(path)).isFile()) throw new Failure(`${path} isn’t a file.`)
  await access(path, constants.R_OK).catch(failOn(path))
}

const statsOf = (path: string) => stat(path).catch(failOn(path))

const failOn =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new Failure(error.code === 'ENOENT' ? `${path} doesn’t exist.` : `${path} can’t be read: ${error.message}`)
  }

async function* filesBelow(folder: string): AsyncGenerator<LocalFile> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
  if (entries === null) {
    // Listed like a file, an unreadable folder is reported as failed, and the others are still uploaded.
    yield { path: folder, sizeBytes: 0 }
    return
  }
  for (const entry of entries.sort((one, other) => one.name.localeCompare(other.name))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !isSystemFile(`${entry.name}/`)) yield* filesBelow(path)
    if (entry.isFile() && isSupported(entry.name)) {
      const stats = await stat(path).catch(() => null)
      yield { path, sizeBytes: stats?.size ?? 0 }
    }
  }
}

/** SHA-256 of a file's content, as 64 hexadecimal digits. */
export async function sha256Of({ path }: LocalFile): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
