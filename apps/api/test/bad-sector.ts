import { Readable } from 'node:stream'
import { vi } from 'vitest'
import type { Files } from '../src/platform/storage/files.ts'

/** Gives a stored file a bad sector after its first bytes, until it's restored. */
export function mockBadSector(files: Files, damagedPath: string) {
  const open = files.open.bind(files)
  return vi.spyOn(files, 'open').mockImplementation(async (path, range) => {
    if (path !== damagedPath) return open(path, range)
    async function* content() {
      yield Buffer.from('The ')
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
    }
    return { sizeBytes: 17, stream: Readable.from(content(), { objectMode: false }) }
  })
}
