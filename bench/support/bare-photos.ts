import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeSmallPictures } from '../../apps/api/test/bare-pictures.ts'
import { mapConcurrently } from './mira-client.ts'

const CONCURRENCY = 2

/** Seconds to hash, durably store and shrink photos, in a separate process, like the server. */
export async function measureBarePhotos(filenames: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mira-bare-'))
  const child = fork(import.meta.filename, [folder, ...filenames])
  try {
    return await new Promise((resolve, reject) => {
      child.once('message', (seconds) => resolve(Number(seconds)))
      child.once('exit', (code) => reject(new Error(`the bare process ended with ${code}`)))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function processPhotos(folder: string, filenames: string[]): Promise<number> {
  const store = async (name: string, content: Uint8Array) => {
    const handle = await open(join(folder, name), 'w')
    await handle.writeFile(content)
    await handle.sync()
    await handle.close()
  }
  const startedAt = performance.now()
  await mapConcurrently(filenames, CONCURRENCY, async (filename, photoIndex) => {
    const content = await readFile(filename)
    await store(createHash('sha256').update(content).digest('hex'), content)
    for (const [index, small] of (await makeSmallPictures(filename)).entries())
      await store(`${photoIndex}-${index}`, small)
  })
  return (performance.now() - startedAt) / 1000
}

if (process.argv[1] === import.meta.filename) {
  const [folder = '', ...filenames] = process.argv.slice(2)
  process.send?.(await processPhotos(folder, filenames))
}
