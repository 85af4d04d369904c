import { randomUUID } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Checks that a folder is writable, by creating and removing a small file.
 * @throws the file system's error when it isn't.
 */
export async function probeFolder(folder: string): Promise<void> {
  const file = join(folder, `.probe-${randomUUID()}`)
  try {
    await writeFile(file, 'mira', { mode: 0o600 })
  } finally {
    await rm(file, { force: true })
  }
}

interface DiskSpace {
  usedBytes: number
  totalBytes: number
}

/**
 * Reads the usage of a folder's disk; blocks reserved for the system count as used.
 * @throws the file system's error.
 */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder)
  return { totalBytes: blocks * bsize, usedBytes: (blocks - bavail) * bsize }
}
