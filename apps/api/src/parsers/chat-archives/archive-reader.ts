import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import { otherSource, refusedArchive } from '../../platform/sandbox/refused-files.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import type { TaskFolder } from '../../platform/sandbox/task-folder.ts'
import { createTaskProcess } from '../../platform/sandbox/task-process.ts'
import { readJsonLines } from '../../platform/storage/json-lines.ts'
import type { ArchiveTasks } from './archive-process.ts'
import type { ArchivedConversation, ArchivedEntity, ChatArchives } from './chat-archives.ts'

/** Timeout for one archive. */
const TIMEOUT_MS = 20 * 60_000
const MEMORY_LIMIT_MB = 400
const CONVERSATIONS_FILE = 'conversations.ndjson'
const BELONGINGS_FILE = 'belongings.json'

/** Exports of other programs, each read in a sandboxed process. */
export function createArchiveReader({ sandboxing, warn }: { sandboxing: Sandboxing; warn: ProcessLog }): ChatArchives {
  const child = createTaskProcess<ArchiveTasks>({
    sandboxing,
    module: new URL('./archive-process.ts', import.meta.url),
    name: 'chat archives',
    memoryLimitMb: MEMORY_LIMIT_MB,
    heapLimitMb: MEMORY_LIMIT_MB * 0.75,
    keepMb: MEMORY_LIMIT_MB / 2,
    maxWaitingPerUser: 20,
    idleMs: 10_000,
    warn,
  })

  const perform = async (
    task: 'read' | 'count',
    { filename, source }: Parameters<ChatArchives['read']>[0],
    { folder, signal, onProgress }: Parameters<ChatArchives['read']>[1],
  ) => {
    const linesFile = join(folder, CONVERSATIONS_FILE)
    const input = async (taskFolder: TaskFolder) => ({
      filename: await taskFolder.provide(filename),
      source,
      folder: taskFolder.outputFolder,
    })
    const collect = async (result: Awaited<ReturnType<ArchiveTasks['read']>>, taskFolder: TaskFolder) => {
      await taskFolder.take(result.lines, linesFile)
      await taskFolder.take(result.belongings, join(folder, BELONGINGS_FILE))
      for (const picture of result.pictures) await taskFolder.take(picture, join(folder, picture))
      return result
    }
    const { found, unreadable } = await child
      .run(task, input, { timeoutMs: TIMEOUT_MS, signal, collect, onPart: onProgress })
      .catch((error: unknown) => {
        if (!(error instanceof TaskError)) throw error
        throw error.code === 'other_source' ? otherSource(source, error) : refusedArchive(error)
      })
    return { found, unreadable, linesFile }
  }

  return {
    async count(file, options) {
      const { linesFile, ...counted } = await perform('count', file, options)
      return { ...counted, sourceIds: (signal) => readJsonLines<string>(linesFile, signal) }
    },
    async read(file, options) {
      const { linesFile, ...result } = await perform('read', file, options)
      const { folder } = options
      const entities = JSON.parse(await readFile(join(folder, BELONGINGS_FILE), 'utf8')) as ArchivedEntity[]
      return { ...result, entities, conversations: (signal) => conversationsIn(folder, linesFile, signal) }
    },
    close: () => child.close(),
  }
}

async function* conversationsIn(
  folder: string,
  lines: string,
  signal: AbortSignal,
): AsyncGenerator<ArchivedConversation> {
  for await (const conversation of readJsonLines<ArchivedConversation>(lines, signal)) {
    for (const { pictures } of conversation.messages) {
      for (const picture of pictures) picture.filename = join(folder, picture.filename)
    }
    yield conversation
  }
}
