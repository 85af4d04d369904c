import { join } from 'node:path'
import type { MediaImportSource } from '@mira/shared'
import type { Caging } from '../../platform/sandbox/caging.ts'
import { otherSource } from '../../platform/sandbox/other-source.ts'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import { refusedArchive } from '../../platform/sandbox/refused-archive.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import { createTaskProcess } from '../../platform/sandbox/task-process.ts'
import { readJsonLines } from '../../platform/storage/json-lines.ts'
import type { MediaArchiveTasks } from './media-archive-process.ts'
import type { ArchivedFile, MediaArchives, ToldFile } from './media-archives.ts'

export interface MediaArchiveReaderOptions {
  caging: Caging
  /** Time limit for one task. */
  timeoutMs?: number
  memoryLimitMb?: number
  warn?: ProcessLog
}

const LINES = 'files.ndjson'
const TOLD = 'told.ndjson'

/** Archives of pictures, films and documents, each read in a caged process. */
export function createMediaArchiveReader({
  caging,
  timeoutMs = 20 * 60_000,
  memoryLimitMb = 400,
  warn,
}: MediaArchiveReaderOptions): MediaArchives {
  const child = createTaskProcess<MediaArchiveTasks>({
    caging,
    module: new URL('./media-archive-process.ts', import.meta.url),
    name: 'archives',
    memoryLimitMb,
    heapLimitMb: memoryLimitMb * 0.75,
    keepMb: memoryLimitMb / 2,
    maxWaitingPerUser: 20,
    idleMs: 10_000,
    warn,
  })
  const refuse = (error: unknown, source?: MediaImportSource) => {
    if (!(error instanceof TaskError)) throw error
    // any file is an archive of files
    const isOther = error.code === 'other_source' && source !== undefined && source !== 'files'
    throw isOther ? otherSource(source, error) : refusedArchive(error)
  }

  return {
    async read({ filename, source, maxFileBytes }, { folder, signal }) {
      const linesFile = join(folder, LINES)
      const factsFile = join(folder, TOLD)
      const { found, leftOut } = await child
        .run(
          'list',
          async (desk) => ({ filename: await desk.lend(filename), source, maxFileBytes, folder: desk.madeFolder }),
          {
            timeoutMs,
            signal,
            collect: async (result, desk) => {
              await desk.take(result.lines, linesFile)
              await desk.take(result.factsFile, factsFile)
              return result
            },
          },
        )
        .catch((error: unknown) => refuse(error, source))
      return {
        found,
        leftOut,
        files: (stop) => readJsonLines<ArchivedFile>(linesFile, stop),
        sidecarFacts: (stop) => readJsonLines<ToldFile>(factsFile, stop),
      }
    },

    async unpack({ filename, entries }, { folder, signal }) {
      return child
        .run('unpack', async (desk) => ({ filename: await desk.lend(filename), entries, folder: desk.madeFolder }), {
          timeoutMs,
          signal,
          collect: async (paths, desk) => {
            const takenPaths: (string | null)[] = []
            for (const [at, path] of paths.entries()) {
              const there = path === null ? null : join(folder, `file-${at + 1}`)
              if (path !== null && there !== null) await desk.take(path, there)
              takenPaths.push(there)
            }
            return takenPaths
          },
        })
        .catch(refuse)
    },

    close: () => child.close(),
  }
}
