import { createHash, randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'

/** As little as keeps what is answered for: hash, write, fsync, rename. @returns where it lies. */
export async function keepUpload(request: IncomingMessage, folder: string): Promise<string> {
  const hash = createHash('sha256')
  const filename = join(folder, randomUUID())
  const handle = await open(filename, 'wx')
  for await (const piece of request) {
    hash.update(piece)
    await handle.writeFile(piece)
  }
  await handle.sync()
  await handle.close()
  const kept = join(folder, hash.digest('hex'))
  await rename(filename, kept)
  const parent = await open(folder)
  await parent.sync()
  await parent.close()
  return kept
}
