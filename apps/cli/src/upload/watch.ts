import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { watch } from 'chokidar'
import { isSupported, type LocalFile } from './files.ts'

/** Time without changes after which a file counts as completely written. */
const STABLE_MS = 2_000

/** Watched folders, until disposed. */
interface WatchedFolders extends AsyncDisposable {
  /** New and changed files since watching began, until `signal` aborts. */
  files(signal: AbortSignal): AsyncIterable<LocalFile>
}

/** Starts watching folders. A caller that lists the folders' files afterwards misses none: later files are reported here. */
export async function watchFolders(paths: string[]): Promise<WatchedFolders> {
  const arrivedPaths: string[] = []
  let wake = () => {}
  const watcher = watch(paths, {
    ignoreInitial: true,
    followSymlinks: false,
    awaitWriteFinish: { stabilityThreshold: STABLE_MS },
    ignored: (path, stats) => stats?.isFile() === true && !isSupported(basename(path)),
  })
  const onFile = (path: string) => {
    arrivedPaths.push(path)
    wake()
  }
  watcher.on('add', onFile)
  watcher.on('change', onFile)
  await once(watcher, 'ready')

  return {
    async *files(signal) {
      const stop = () => wake()
      signal.addEventListener('abort', stop)
      while (!signal.aborted) {
        const path = arrivedPaths.shift()
        if (path === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
            if (signal.aborted || arrivedPaths.length > 0) resolve()
          })
          continue
        }
        // it may be deleted already
        const stats = await stat(path).catch(() => null)
        if (stats?.isFile()) yield { path, sizeBytes: stats.size }
      }
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  }
}
