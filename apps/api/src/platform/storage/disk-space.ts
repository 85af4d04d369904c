import { randomUUID } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
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

interface DiskSpace {
  usedBytes: number
  totalBytes: number
}

/**
 * Reads how full the disk is on which a folder lies; what is kept for the system counts as used.
 * @throws the file system's error when that cannot be read.
 */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder)
  return { totalBytes: blocks * bsize, usedBytes: (blocks - bavail) * bsize }
}
