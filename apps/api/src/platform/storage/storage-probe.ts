import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a small file to a folder and removes it.
 * @throws the file system's error when that cannot be done.
 */
export async function probeFolder(folder: string): Promise<void> {
  const file = join(folder, `.probe-${randomUUID()}`)
  try {
    await writeFile(file, 'mira', { mode: 0o600 })
  } finally {
    await rm(file, { force: true })
  }
}
