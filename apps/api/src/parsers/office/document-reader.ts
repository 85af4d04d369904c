import { join } from 'node:path'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import { refusedDocument } from '../../platform/sandbox/refused-files.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import type { TaskFolder } from '../../platform/sandbox/task-folder.ts'
import { createTaskPool } from '../../platform/sandbox/task-pool.ts'
import { readJsonLines } from '../../platform/storage/json-lines.ts'
import type { DocumentTasks } from './document-process.ts'
import type { DocumentAttachment, DocumentPicture, DocumentReader, ReadPage } from './document-types.ts'

/** Time limit for one document. */
const TIMEOUT_MS = 60_000
const MEMORY_LIMIT_MB = 300

/** Reader of office documents, books, web pages and mails in a sandboxed process. */
export function createDocumentReader({
  sandboxing,
  warn,
}: {
  sandboxing: Sandboxing
  warn?: ProcessLog
}): DocumentReader {
  const pool = createTaskPool<DocumentTasks>({
    size: 1,
    sandboxing,
    module: new URL('./document-process.ts', import.meta.url),
    name: 'papers',
    memoryLimitMb: MEMORY_LIMIT_MB,
    heapLimitMb: MEMORY_LIMIT_MB * 0.75,
    keepMb: MEMORY_LIMIT_MB / 2,
    maxWaitingPerUser: 100,
    warn,
  })

  return {
    async read({ filename, format, fetched, maxPictures = 0, maxAttachments = 0 }, { folder, signal }) {
      const pagesFile = join(folder, 'pages.ndjson')
      const input = async (taskFolder: TaskFolder) => ({
        filename: await taskFolder.provide(filename),
        format,
        fetched,
        maxPictures,
        maxAttachments,
        folder: taskFolder.outputFolder,
      })
      const collect = async (result: Awaited<ReturnType<DocumentTasks['read']>>, taskFolder: TaskFolder) => {
        await taskFolder.take(result.filename, pagesFile)
        const pictures: DocumentPicture[] = []
        for (const [index, { page, filename }] of result.pictures.slice(0, maxPictures).entries()) {
          const target = join(folder, `paper-picture-${index + 1}`)
          await taskFolder.take(filename, target)
          pictures.push({ page, filename: target })
        }
        const attachments: DocumentAttachment[] = []
        for (const [index, attachment] of result.attachments.slice(0, maxAttachments).entries()) {
          const target = join(folder, `paper-attachment-${index + 1}`)
          await taskFolder.take(attachment.filename, target)
          attachments.push({ ...attachment, filename: target })
        }
        return { ...result, pictures, attachments }
      }
      const {
        info,
        filename: _taken,
        ...counts
      } = await pool.run('read', input, { timeoutMs: TIMEOUT_MS, signal, collect }).catch((error: unknown) => {
        throw error instanceof TaskError ? refusedDocument(error, 'document') : error
      })
      return { ...info, ...counts, pages: (signal) => readJsonLines<ReadPage>(pagesFile, signal) }
    },
    close: () => pool.close(),
  }
}
