import { statfs } from 'node:fs/promises'

export interface DiskSpace {
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
