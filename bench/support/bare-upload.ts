import { createHash, randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'

/** Minimal durable upload: hash, write, fsync, rename. @returns path of the stored file. */
export async function storeUpload(request: IncomingMessage, folder: string): Promise<string> {
  const hash = createHash('sha256')
  const filename = join(folder, randomUUID())
  const handle = await open(filename, 'wx')
  for await (const chunk of request) {
    hash.update(chunk)
    await handle.writeFile(chunk)
  }
  await handle.sync()
  await handle.close()
  const storedPath = join(folder, hash.digest('hex'))
  await rename(filename, storedPath)
  const parent = await open(folder)
  await parent.sync()
  await parent.close()
  return storedPath
}
