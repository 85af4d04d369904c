import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { AppError, StartupError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { BackupsService } from './backups.service.ts'

/**
 * Names of a request and its answer. `npm run backup` writes a request file to request a backup from the server that uses the
 * embedded database. It's in the backups folder, where only the server's account can write; the server writes its answer file
 * next to it.
 */
const FILE_NAME = /^(request|answer)-([0-9a-f-]{36})\.json(\.new)?$/
const requestName = (id: string) => `request-${id}.json`
const answerName = (id: string) => `answer-${id}.json`
/** Name of an answer file that is being written. */
const newAnswerName = (id: string) => `${answerName(id)}.new`

const answerSchema = z.object({
  state: z.enum(['waiting', 'running', 'completed', 'failed']),
  progress: z.number(),
  file_name: z.string(),
  error: z.string().nullable(),
  problems: z.number().default(0),
})
type Answer = z.infer<typeof answerSchema>

const POLL_MS = 1_000
const FOLLOW_MS = 500
const STALE_MS = 60 * 60_000
/** Time without a change of the answer file after which the server counts as dead. */
const SILENCE_MS = 60_000

/** Serves backup requests in the folder until the returned watcher is closed. */
export function watchRequests(deps: {
  directory: string
  backups: Pick<BackupsService, 'beginOrFollow' | 'find'>
  log: Log
}): { close(): Promise<void> } {
  const { directory, backups, log } = deps
  const closing = new AbortController()
  const served = new Set<string>()

  /** Writes an answer, unless the request has been withdrawn. @returns false then. */
  const answer = async (id: string, content: Answer): Promise<boolean> => {
    const [file, newFile] = [join(directory, answerName(id)), join(directory, newAnswerName(id))]
    try {
      await writeFile(newFile, JSON.stringify(content), { mode: 0o600 })
      await rename(newFile, file)
    } catch (error) {
      await rm(newFile, { force: true }).catch(() => {})
      throw error
    }
    // Checked afterwards, since the request may be withdrawn during the writing.
    const isWanted = (await stat(join(directory, requestName(id))).catch(() => null)) !== null
    if (!isWanted) await rm(file, { force: true })
    return isWanted
  }

  const serve = async (id: string) => {
    try {
      const { id: backupId } = await backups.beginOrFollow()
      while (!closing.signal.aborted) {
        const row = await backups.find(backupId)
        if (row === null) return
        const { state, progress, fileName, error, problems } = row
        const isWanted = await answer(id, { state, progress, file_name: fileName, error, problems })
        if (!isWanted || state === 'completed' || state === 'failed') return
        await sleep(FOLLOW_MS, undefined, { signal: closing.signal })
      }
    } catch (error) {
      if (closing.signal.aborted) return
      if (!(error instanceof AppError)) log.error({ err: error }, 'a requested backup failed')
      const reason = error instanceof AppError ? error.message : 'Unexpected error: see the log of the server.'
      await answer(id, { state: 'failed', progress: 0, file_name: '', error: reason, problems: 0 })
    }
  }

  const serveNewRequests = async () => {
    for (const name of await readdir(directory).catch(() => [])) {
      const [, kind, id, isUnfinished] = FILE_NAME.exec(name) ?? []
      if (id === undefined || served.has(id)) continue
      const age = Date.now() - ((await stat(join(directory, name)).catch(() => null))?.mtimeMs ?? 0)
      // A file this old is left from a process that has ended.
      const isStale = age > STALE_MS
      if ((kind === 'answer' || isUnfinished) && !isStale) continue
      served.add(id)
      if (isStale) {
        for (const fileName of [requestName(id), answerName(id), newAnswerName(id)])
          await rm(join(directory, fileName), { force: true })
      } else
        serve(id).catch((error: unknown) => log.warn({ err: error }, 'a request for a backup could not be answered'))
    }
  }

  const loop = async () => {
    while (!closing.signal.aborted) {
      await serveNewRequests().catch((error: unknown) =>
        log.warn({ err: error }, 'requests for backups could not be read'),
      )
      await sleep(POLL_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }
  const running = loop()
  return {
    async close() {
      closing.abort()
      await running
    },
  }
}

/**
 * Requests a backup from the server that uses a data folder, and waits for it.
 * @returns the archive, and the number of stored files that are missing or damaged in it.
 * @throws StartupError when it fails, or when the server doesn't respond.
 */
export async function requestBackup(
  directory: string,
  onProgress: (percent: number) => void,
  signal?: AbortSignal,
): Promise<{ file: string; problems: number }> {
  const id = randomUUID()
  const [request, answer] = [requestName(id), answerName(id)].map((name) => join(directory, name)) as [string, string]
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(request, '{}', { mode: 0o600 })
  try {
    // Monotonic, so unaffected by clock changes.
    let lastResponseAt = performance.now()
    let lastChangedAt = 0
    for (;;) {
      const changedAt = (await stat(answer).catch(() => null))?.mtimeMs ?? 0
      if (changedAt !== lastChangedAt) lastResponseAt = performance.now()
      lastChangedAt = changedAt
      if (performance.now() - lastResponseAt > SILENCE_MS)
        throw new StartupError('The server that uses DATA_DIR is not responding.')
      if (changedAt !== 0) {
        const status = answerSchema.parse(JSON.parse(await readFile(answer, 'utf8')))
        onProgress(status.progress)
        if (status.state === 'completed') {
          return { file: join(directory, status.file_name), problems: status.problems }
        }
        if (status.state === 'failed') throw new StartupError(status.error ?? 'The backup failed.')
      }
      await sleep(FOLLOW_MS, undefined, { signal })
    }
  } finally {
    for (const file of [request, answer]) await rm(file, { force: true })
  }
}
