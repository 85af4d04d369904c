import { join } from 'node:path'
import type { MediaImportSource } from '@mira/shared'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import { otherSource, refusedArchive } from '../../platform/sandbox/refused-files.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import { createTaskProcess } from '../../platform/sandbox/task-process.ts'
import { readJsonLines } from '../../platform/storage/json-lines.ts'
import type { MediaArchiveTasks } from './media-archive-process.ts'
import type { ArchivedFile, MediaArchives, SidecarFile } from './media-archives.ts'

/** Time limit for one task. */
const TIMEOUT_MS = 20 * 60_000
const MEMORY_LIMIT_MB = 400
const FILES_FILE = 'files.ndjson'
const FACTS_FILE = 'sidecars.ndjson'

/** Archives of pictures, videos and documents, each read in a sandboxed process. */
export function createMediaArchiveReader({
  sandboxing,
  warn,
}: {
  sandboxing: Sandboxing
  warn: ProcessLog
}): MediaArchives {
  const child = createTaskProcess<MediaArchiveTasks>({
    sandboxing,
    module: new URL('./media-archive-process.ts', import.meta.url),
    name: 'archives',
    memoryLimitMb: MEMORY_LIMIT_MB,
    heapLimitMb: MEMORY_LIMIT_MB * 0.75,
    keepMb: MEMORY_LIMIT_MB / 2,
    maxWaitingPerUser: 20,
    idleMs: 10_000,
    warn,
  })
  const refuse = (error: unknown, source?: MediaImportSource) => {
    if (!(error instanceof TaskError)) throw error
    // with the source `files`, any archive is accepted
    const isOther = error.code === 'other_source' && source !== undefined && source !== 'files'
    throw isOther ? otherSource(source, error) : refusedArchive(error)
  }

  return {
    async read({ filename, source, maxFileBytes }, { folder, signal }) {
      const filesFile = join(folder, FILES_FILE)
      const factsFile = join(folder, FACTS_FILE)
      const { found, leftOut } = await child
        .run(
          'list',
          async (taskFolder) => ({
            filename: await taskFolder.provide(filename),
            source,
            maxFileBytes,
            folder: taskFolder.outputFolder,
          }),
          {
            timeoutMs: TIMEOUT_MS,
            signal,
            collect: async (result, taskFolder) => {
              await taskFolder.take(result.filesFile, filesFile)
              await taskFolder.take(result.factsFile, factsFile)
              return result
            },
          },
        )
        .catch((error: unknown) => refuse(error, source))
      return {
        found,
        leftOut,
        files: (signal) => readJsonLines<ArchivedFile>(filesFile, signal),
        sidecarFacts: (signal) => readJsonLines<SidecarFile>(factsFile, signal),
      }
    },

    async unpack({ filename, files }, { folder, signal }) {
      return child
        .run(
          'unpack',
          async (taskFolder) => ({
            filename: await taskFolder.provide(filename),
            files,
            folder: taskFolder.outputFolder,
          }),
          {
            timeoutMs: TIMEOUT_MS,
            signal,
            collect: async (paths, taskFolder) => {
              const takenPaths: (string | null)[] = []
              for (const [index, path] of paths.entries()) {
                const target = path === null ? null : join(folder, `file-${index + 1}`)
                if (path !== null && target !== null) await taskFolder.take(path, target)
                takenPaths.push(target)
              }
              return takenPaths
            },
          },
        )
        .catch(refuse)
    },

    close: () => child.close(),
  }
}
