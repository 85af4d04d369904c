import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isSystemFile, takenEndingsOf } from '@mira/shared/constants/formats'
import { mediaTypes } from '@mira/shared/constants/media'
import { Failure } from '../failure.ts'

/** A file that may be sent. */
export interface LocalFile {
  path: string
  sizeBytes: number
}

const endings = new Set(takenEndingsOf(...mediaTypes))

/** True for visible files whose name Mira accepts. */
export function isTaken(name: string): boolean {
  return !isSystemFile(name) && endings.has(extname(name).slice(1).toLowerCase())
}

/**
 * The files that were named, and those of folders, in the order of their names; links are not followed.
 * @throws Failure when one that was named is not there.
 */
export async function* filesIn(paths: string[]): AsyncGenerator<LocalFile> {
  for (const path of paths) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw new Failure(error.code === 'ENOENT' ? `${path} is not there.` : `${path} cannot be read: ${error.message}`)
    })
    if (found.isDirectory()) yield* filesBelow(path)
    else yield { path, sizeBytes: found.size }
  }
}

async function* filesBelow(folder: string): AsyncGenerator<LocalFile> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((one, other) => one.name.localeCompare(other.name))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !isSystemFile(`${entry.name}/`)) yield* filesBelow(path)
    if (entry.isFile() && isTaken(entry.name)) yield { path, sizeBytes: (await stat(path)).size }
  }
}

/** As 64 hexadecimal digits. */
export async function sha256Of({ path }: LocalFile): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
