import { randomUUID } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a small file to a folder, removes it, and tells how many bytes are free there.
 * @throws the file system's error when it cannot be written.
 */
export async function probeStorage(folder: string): Promise<number> {
  const file = join(folder, `.probe-${randomUUID()}`)
  try {
    await writeFile(file, 'mira', { mode: 0o600 })
  } finally {
    await rm(file, { force: true })
  }
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
