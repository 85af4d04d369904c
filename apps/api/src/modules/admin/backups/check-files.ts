import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotFoundError } from '../../../errors.ts'
import { openUntilBadSector } from '../../../platform/storage/bad-sectors.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { createStoredFilesStore, FileProblem } from './scrubbing.store.ts'

type StoredFilesStore = ReturnType<typeof createStoredFilesStore>

const BATCH_FILES = 100
const LIST_BATCH_FILES = 1000

/** Problem of a stored file; null when its hash matches its name. Reads the whole file, at most `bytesPerSecond`. */
export async function findProblem(
  files: Pick<Files, 'open'>,
  path: string,
  { signal, bytesPerSecond = Number.POSITIVE_INFINITY }: { signal: AbortSignal; bytesPerSecond?: number },
): Promise<FileProblem | null> {
  const startedAt = performance.now()
  const hash = createHash('sha256')
  let bytes = 0
  try {
    const { stream } = await openUntilBadSector(files, path)
    for await (const chunk of stream) {
      signal.throwIfAborted()
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).length
      const aheadMs = (1000 * bytes) / bytesPerSecond - (performance.now() - startedAt)
      if (aheadMs > 50) await sleep(aheadMs, undefined, { signal })
    }
  } catch (error) {
    if (error instanceof NotFoundError) return 'missing'
    throw error
  }
  return path.endsWith(`/${hash.digest('hex')}`) ? null : 'damaged'
}

/** Stored files that no row refers to, in batches. Crashes and restores leave such files behind, and nothing deletes them. */
export async function* unknownFiles(
  files: Pick<Files, 'list'>,
  store: Pick<StoredFilesStore, 'unknownOf'>,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  let paths: string[] = []
  for await (const { path } of files.list()) {
    signal.throwIfAborted()
    paths.push(path)
    if (paths.length < LIST_BATCH_FILES) continue
    yield await store.unknownOf(paths)
    paths = []
  }
  yield await store.unknownOf(paths)
}

/** Checks every stored file at full speed. Calls `onProblem` for each file that is damaged, missing or unknown. */
export async function checkFiles(options: {
  files: Pick<Files, 'open' | 'list'>
  store: StoredFilesStore
  signal: AbortSignal
  onProgress(percent: number): void
  onProblem(problem: FileProblem | 'unknown', path: string): void
}): Promise<{ checkedCount: number; problemCount: number }> {
  const { files, store, signal, onProgress, onProblem } = options
  const total = await store.countFiles()
  let checkedCount = 0
  let problemCount = 0
  const report = (problem: FileProblem | 'unknown', path: string) => {
    problemCount++
    onProblem(problem, path)
  }
  for (let paths = await store.nextFiles('', BATCH_FILES); paths.length > 0; ) {
    for (const path of paths) {
      signal.throwIfAborted()
      const problem = await findProblem(files, path, { signal })
      if (problem !== null && (await store.isReferenced(path))) report(problem, path)
      onProgress(Math.min(100, Math.floor((100 * ++checkedCount) / Math.max(total, 1))))
    }
    paths = await store.nextFiles(paths.at(-1) ?? '', BATCH_FILES)
  }
  for await (const unknown of unknownFiles(files, store, signal)) for (const path of unknown) report('unknown', path)
  return { checkedCount, problemCount }
}
