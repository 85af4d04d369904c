import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { watch } from 'chokidar'
import { isTaken, type LocalFile } from './files.ts'

/** A file that is still being written grows; one that has rested for so long is whole. */
const REST_MS = 2_000

/** The files that come into folders or change there, until `signal` aborts. */
export async function* filesThatCome(paths: string[], signal: AbortSignal): AsyncGenerator<LocalFile> {
  const arrived: string[] = []
  let wake = () => {}
  const watcher = watch(paths, {
    ignoreInitial: true,
    followSymlinks: false,
    awaitWriteFinish: { stabilityThreshold: REST_MS },
    ignored: (path, found) => found?.isFile() === true && !isTaken(basename(path)),
  })
  const take = (path: string) => {
    arrived.push(path)
    wake()
  }
  watcher.on('add', take)
  watcher.on('change', take)
  const stop = () => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const path = arrived.shift()
      if (path === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
          if (signal.aborted || arrived.length > 0) resolve()
        })
        continue
      }
      // it may be gone again
      const found = await stat(path).catch(() => null)
      if (found?.isFile()) yield { path, sizeBytes: found.size }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await watcher.close()
  }
}
