import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { watch } from 'chokidar'
import { isTaken, type LocalFile } from './files.ts'

/** A file that is still being written grows; one that has rested for so long is whole. */
const REST_MS = 2_000

/** Folders that are watched until this is disposed of. */
interface WatchedFolders extends AsyncDisposable {
  /** The files that come into them or change there, from the moment that watching began until `signal` aborts. */
  files(signal: AbortSignal): AsyncIterable<LocalFile>
}

/** Begins to watch folders; what is listed of them afterwards misses nothing that came before. */
export async function watchFolders(paths: string[]): Promise<WatchedFolders> {
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
  await once(watcher, 'ready')

  return {
    async *files(signal) {
      const stop = () => wake()
      signal.addEventListener('abort', stop)
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
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  }
}
