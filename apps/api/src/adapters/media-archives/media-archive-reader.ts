import { join } from 'node:path'
import { type SentenceParams, say } from '@mira/shared'
import { UnavailableError, ValidationError } from '../../errors.ts'
import { readJsonLines } from '../files/json-lines.ts'
import type { Caging } from '../process/caging.ts'
import type { ProcessLog } from '../process/messages.ts'
import { TaskError } from '../process/task-error.ts'
import { createTaskProcess } from '../process/task-process.ts'
import type { MediaArchiveTasks } from './media-archive-process.ts'
import type { ArchivedFile, MediaArchives, ToldFile } from './media-archives.ts'

export interface MediaArchiveReaderOptions {
  caging: Caging
  /** How long one task may take. */
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
    mostWaiting: 20,
    idleMs: 10_000,
    warn,
  })
  const refuse = (error: unknown) => {
    throw refusalOf(error)
  }

  return {
    async read({ filename, source, maxFileBytes }, { folder, signal }) {
      const taken = join(folder, LINES)
      const told = join(folder, TOLD)
      const { found, leftOut } = await child
        .run(
          'list',
          async (desk) => ({ filename: await desk.lend(filename), source, maxFileBytes, folder: desk.made }),
          {
            timeoutMs,
            signal,
            collect: async (result, desk) => {
              await desk.take(result.lines, taken)
              await desk.take(result.told, told)
              return result
            },
          },
        )
        .catch(refuse)
      return {
        found,
        leftOut,
        files: (stop) => readJsonLines<ArchivedFile>(taken, stop),
        told: (stop) => readJsonLines<ToldFile>(told, stop),
      }
    },

    async unpack({ filename, entries }, { folder, signal }) {
      return child
        .run('unpack', async (desk) => ({ filename: await desk.lend(filename), entries, folder: desk.made }), {
          timeoutMs,
          signal,
          collect: async (made, desk) => {
            const taken: (string | null)[] = []
            for (const [at, path] of made.entries()) {
              const there = path === null ? null : join(folder, `file-${at + 1}`)
              if (path !== null && there !== null) await desk.take(path, there)
              taken.push(there)
            }
            return taken
          },
        })
        .catch(refuse)
    },

    close: () => child.close(),
  }
}

type Refusal = 'import_damaged' | 'import_too_large' | 'import_encrypted' | 'import_slow' | 'import_nothing'

/** What went wrong, for a person. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof TaskError)) return error
  const refused = <Code extends Refusal>(code: Code, params: SentenceParams[Code], text: string) =>
    new ValidationError(text, { code, told: say(code, params, text).told, cause: error })
  const tooLarge = () =>
    refused('import_too_large', {}, 'This file unpacks to more than can be read: nothing was imported.')
  const damaged = () =>
    refused('import_damaged', {}, 'This file is damaged or not whole: nothing of it was imported. Download it again.')
  switch (error.reason) {
    case 'failed':
      if (error.code === 'encrypted_archive') {
        return refused('import_encrypted', {}, 'This file is locked with a password. Save a copy without one.')
      }
      if (error.code === 'nothing') {
        return refused('import_nothing', {}, 'There is nothing in this file that can be brought.')
      }
      if (error.code === 'too_large_archive') return tooLarge()
      return error.code === 'damaged_archive' ? damaged() : error
    case 'timeout':
      return refused('import_slow', {}, 'This file takes too long to read: nothing of it was imported.')
    case 'memory':
      return tooLarge()
    case 'crashed':
      return damaged()
    default:
      return new UnavailableError('Files cannot be read right now. Try again in a moment.', {
        retryAfterSeconds: 30,
        cause: error,
      })
  }
}
