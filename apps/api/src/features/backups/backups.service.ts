import type { Backup, BackupsAnswer, NotificationKind } from '@mira/shared'
import type { Prisma } from '../../db/generated/client.ts'
import { AppError, ConflictError, NotFoundError, StorageFullError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { archiveName } from './archive.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import type { BackupRow, BackupsStore } from './backups.store.ts'

export interface BackupsDeps {
  store: BackupsStore
  folder: ArchiveFolder
  writer: ArchiveWriter
  /** What a backup takes at most, with what is needed while it is made. */
  neededBytes(): Promise<number>
  kept(): number
  recordBackup(at: Date): Promise<void>
  enqueue(id: string, tx?: Prisma.TransactionClient): Promise<void>
  notify(
    userId: string,
    notification: { kind: NotificationKind; params: Record<string, string | number>; link: string },
  ): Promise<void>
  signPath(userId: string, path: string): string
  /** Whether no other process uses the database. */
  isOnlyProcess: boolean
  log: Log
}

const MOST_ATTEMPTS = 3
const PROGRESS_INTERVAL_MS = 1_000
const LINK = '/admin?tab=settings'

export type BackupsService = ReturnType<typeof createBackupsService>

/** Archives of the whole instance: made one at a time by whichever server, kept as many as an administrator decides. */
export function createBackupsService(deps: BackupsDeps) {
  const { store, folder, writer, log } = deps

  const present = (userId: string, row: BackupRow): Backup => ({
    id: row.id,
    name: row.fileName,
    state: row.state,
    progress: row.progress,
    size_bytes: row.sizeBytes === null ? null : Number(row.sizeBytes),
    error: row.error,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
    url: row.state === 'completed' ? deps.signPath(userId, `/api/admin/backups/${row.id}/file`) : null,
  })

  const requireRoom = async () => {
    await folder.make()
    const [needed, free] = await Promise.all([deps.neededBytes(), folder.freeBytes()])
    if (free >= needed) return
    const [needs, has] = [needed, free].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
    throw new StorageFullError(`There is no room for a backup: it may take ${needs}, and ${has} are free.`)
  }

  const freeName = async () => {
    for (let at = Date.now(); ; at += 1_000) {
      const name = archiveName(new Date(at))
      if (!(await store.hasName(name))) return name
    }
  }

  const add = async () => {
    await requireRoom()
    const row = await store.add(await freeName(), (tx, id) => deps.enqueue(id, tx))
    if (row === null) throw new ConflictError('A backup is being made already.', { code: 'backup_running' })
    return row
  }

  const tellAdmins = async (kind: NotificationKind, params: Record<string, string | number>) => {
    for (const userId of await store.listAdminIds()) await deps.notify(userId, { kind, params, link: LINK })
  }

  const fail = async (id: string, fileName: string, error: unknown) => {
    const reason = error instanceof AppError ? error.message : `An unexpected error: ${(error as Error).message}`
    log.error({ err: error, file: fileName }, 'a backup failed')
    await store.fail(id, reason)
    await tellAdmins('backup_failed', { title: fileName, reason })
  }

  /** Writes the archive, and says every second that it still does. */
  const write = async (id: string, fileName: string, signal: AbortSignal) => {
    let percent = 0
    const timer = setInterval(() => {
      store
        .saveProgress(id, percent)
        .catch((error: unknown) => log.warn({ err: error }, 'how far a backup is could not be stored'))
    }, PROGRESS_INTERVAL_MS)
    try {
      await requireRoom()
      return await writer.write(folder.fileOf(fileName), { signal, onProgress: (now) => (percent = now) })
    } finally {
      clearInterval(timer)
    }
  }

  return {
    async list(userId: string): Promise<BackupsAnswer> {
      await store.follow(await folder.list())
      const rows = await store.list()
      return {
        backups: rows.map((row) => present(userId, row)),
        directory: folder.directory,
        kept: deps.kept(),
      }
    },

    /** Has a backup made. @throws ConflictError while one is being made; StorageFullError when there is no room. */
    begin: async (userId: string): Promise<Backup> => present(userId, await add()),

    /** The same for whoever owns the process; one that is being made already is theirs, too. */
    beginOrFollow: async (): Promise<BackupRow> => (await store.findRunning()) ?? add(),

    find: store.find,

    /** @throws NotFoundError */
    async open(id: string) {
      const row = await store.find(id)
      if (row?.state !== 'completed') throw new NotFoundError('There is no such backup.')
      return { name: row.fileName, ...(await folder.open(row.fileName)) }
    },

    /** @throws NotFoundError; ConflictError while it is being made. */
    async remove(id: string): Promise<void> {
      const row = await store.find(id)
      if (row === null) throw new NotFoundError('There is no such backup.')
      if (row.state === 'waiting' || row.state === 'running') {
        throw new ConflictError('This backup is being made. Delete it when it is finished.', { code: 'backup_running' })
      }
      await folder.remove(row.fileName)
      await store.remove(id)
    },

    /** The handler of `make-backup`. */
    async run(id: string, signal: AbortSignal): Promise<void> {
      const claimed = await store.claim(id, deps.isOnlyProcess)
      if (claimed === null) {
        // its process may have died: then a later run of the job takes it over
        if ((await store.find(id))?.state === 'running') throw new Error('another process makes this backup')
        return
      }
      const { fileName, attempts } = claimed
      if (attempts > MOST_ATTEMPTS) {
        await fail(id, fileName, new ConflictError(`The server ended ${MOST_ATTEMPTS} times while it was being made.`))
        return
      }
      try {
        const { sizeBytes, missing, damaged } = await write(id, fileName, signal)
        await store.complete(id, sizeBytes)
        await deps.recordBackup(new Date())
        await folder.keep(deps.kept())
        const problems = missing.length + damaged.length
        if (problems > 0)
          log.warn({ missing, damaged }, 'stored files were missing or damaged when they were backed up')
        await tellAdmins('backup_done', { title: fileName, size_bytes: sizeBytes, problems })
      } catch (error) {
        if (signal.aborted) {
          await store.giveBack(id)
          throw error
        }
        await fail(id, fileName, error)
      }
    },

    /** Has those made whose process died. */
    async sweep(): Promise<void> {
      for (const id of await store.listLost()) await deps.enqueue(id)
    },
  }
}
