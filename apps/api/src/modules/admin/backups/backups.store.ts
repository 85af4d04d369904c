import type { BackupReason, CodedSentence } from '@mira/shared'
import { listAdminIds } from '../../../platform/database/admins.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import type { Sentence } from '../../../sentences.ts'
import { isUpdateArchive } from './archive.ts'
import {
  ABSENT,
  type ArchiveFile,
  forgetArchives,
  listOwnAfterRestore,
  listOwnArchives,
  problemPathsJson,
  problemsOf,
  recordBackup,
  saveSetting,
} from './own-archives.store.ts'

/** A backup's row. */
export interface BackupRow {
  id: string
  fileName: string
  state: 'waiting' | 'running' | 'completed' | 'failed'
  progress: number
  error: string | null
  errorSentences: CodedSentence[]
  sizeBytes: bigint | null
  createdAt: Date
  finishedAt: Date | null
  reason: BackupReason
  trialRestoredAt: Date | null
  /** Time of the failed trial restore, with its reason in English (`trialRestoreError`) and as codes for translation (`trialRestoreErrorSentences`). */
  trialRestoreFailedAt: Date | null
  trialRestoreError: string | null
  trialRestoreErrorSentences: CodedSentence[]
  /** Number of stored files that are missing or damaged in the archive. */
  problems: number
}

/** One attempt at a backup. A higher number of attempts in the row means that another process has taken the backup over. */
interface Claim {
  id: string
  attempts: number
}

/** A backup that this process has started to make. */
export interface ClaimedBackup extends Claim {
  fileName: string
  reason: BackupReason
}

/** Time without a heartbeat after which a backup counts as abandoned; the process that makes it sends one every second. */
const ABANDONED_SECONDS = 30
/** Time without a heartbeat after which a backup's job counts as lost; longer than the queue takes to retry a job. */
const LOST_SECONDS = 120
const MAX_LISTED = 200

const SCHEDULE_KEY = 'backup_schedule'
const LAST_TRIAL_RESTORE_KEY = 'last_proven_restore_at'

/** Progress of the schedule of backups. */
export interface ScheduleMark {
  /** The schedule as JSON; when it changes, the progress starts over. */
  schedule: string
  /** ISO time up to which due backups have been enqueued. */
  until: string
}

export type BackupsStore = ReturnType<typeof createBackupsStore>

/** Rows of backups, their trial restores and the progress of the schedule. */
export function createBackupsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const columns = {
    id: true,
    fileName: true,
    state: true,
    progress: true,
    error: true,
    errorSentences: true,
    sizeBytes: true,
    createdAt: true,
    finishedAt: true,
    reason: true,
    trialRestoredAt: true,
    trialRestoreFailedAt: true,
    trialRestoreError: true,
    trialRestoreErrorSentences: true,
    problems: true,
  } as const
  type UntypedColumn = 'state' | 'errorSentences' | 'reason' | 'trialRestoreErrorSentences'
  const toRow = (row: Omit<BackupRow, UntypedColumn> & Record<UntypedColumn, unknown>) => row as BackupRow
  /** Updates the row of a backup that this process makes. @returns false when another process has taken the backup over. */
  const updateClaimed = async ({ id, attempts }: Claim, changes: SqlText): Promise<boolean> => {
    const { rowCount } = await pool.query(
      sql`UPDATE backups SET ${changes} WHERE id = ${id} AND attempts = ${attempts} AND state IN ('waiting', 'running')`,
    )
    return rowCount === 1
  }

  return {
    recordBackup: (time: Date): Promise<void> => recordBackup(pool, time),

    /** Newest first. */
    async list(): Promise<BackupRow[]> {
      const rows = await prisma.backup.findMany({
        where: { state: { not: ABSENT } },
        select: columns,
        take: MAX_LISTED,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      })
      return rows.map(toRow)
    },

    async find(id: string): Promise<BackupRow | null> {
      const row = await prisma.backup.findUnique({ where: { id }, select: columns })
      return row && toRow(row)
    },

    async findRunning(): Promise<BackupRow | null> {
      const row = await prisma.backup.findFirst({ where: { state: { in: ['waiting', 'running'] } }, select: columns })
      return row && toRow(row)
    },

    hasName: async (fileName: string): Promise<boolean> => (await prisma.backup.count({ where: { fileName } })) > 0,

    /**
     * Stores a waiting backup with its job.
     * @param slot progress of the schedule before and after this backup, if it's a scheduled one.
     * @returns null while another backup is waiting or running, or when another server has already handled the slot.
     */
    async add(
      fileName: string,
      enqueue: (tx: Prisma.TransactionClient, id: string) => Promise<void>,
      slot?: { from: ScheduleMark; to: ScheduleMark },
    ): Promise<BackupRow | null> {
      try {
        return await prisma.$transaction(async (tx) => {
          if (slot !== undefined) {
            const { count } = await tx.setting.updateMany({
              where: { key: SCHEDULE_KEY, value: { equals: { ...slot.from } } },
              data: { value: { ...slot.to } },
            })
            if (count === 0) return null
          }
          const reason: BackupReason = slot === undefined ? 'manual' : 'schedule'
          const row = await tx.backup.create({
            data: { id: newId(), fileName, reason, isCreatedHere: true },
            select: columns,
          })
          await enqueue(tx, row.id)
          return toRow(row)
        })
      } catch (error) {
        if ((error as { code?: unknown }).code === 'P2002') return null
        throw error
      }
    },

    /** Starts an attempt at a backup; null when it's finished or another process makes it. */
    async claim(id: string, isOnlyProcess: boolean): Promise<ClaimedBackup | null> {
      const { rows } = await pool.query<ClaimedBackup>(
        sql`UPDATE backups SET state = 'running', progress = 0, attempts = attempts + 1, heartbeat_at = now()
         WHERE id = ${id} AND (state = 'waiting' OR (state = 'running'
           AND (${isOnlyProcess} OR heartbeat_at < now() - interval '${raw(ABANDONED_SECONDS)} seconds')))
         RETURNING id, file_name AS "fileName", attempts, reason`,
      )
      return rows[0] ?? null
    },

    /** Stores progress and heartbeat. @returns false when another process has taken the backup over. */
    saveProgress: (claim: Claim, percent: number) =>
      updateClaimed(claim, sql`progress = ${percent}, heartbeat_at = now()`),

    /** Gives up an attempt, so that any process can claim the backup again. */
    release: (claim: Claim) => updateClaimed(claim, sql`state = 'waiting'`),

    /**
     * Marks a backup as completed.
     * @param result.problemPaths paths of stored files that are missing or damaged in the archive.
     * @returns false when another process has taken the backup over.
     */
    complete: (claim: Claim, { sizeBytes, problemPaths }: { sizeBytes: number; problemPaths: string[] }) =>
      updateClaimed(
        claim,
        sql`state = 'completed', progress = 100, size_bytes = ${sizeBytes},
          problems = ${problemPaths.length}, lacking = ${problemPathsJson(problemPaths)}::jsonb, finished_at = now()`,
      ),

    /** Marks a backup as failed. @returns false when another process has taken it over. */
    fail: (claim: Claim, { text, sentences }: Sentence) =>
      updateClaimed(
        claim,
        sql`state = 'failed', error = ${text}, told = ${JSON.stringify(sentences)}::jsonb, finished_at = now()`,
      ),

    /** Deletes old rows of failed backups, and of backups whose archive is missing from the folder. */
    async forgetFailures(olderThanDays: number): Promise<void> {
      await pool.query(
        sql`DELETE FROM backups WHERE state IN ('failed', ${ABSENT}) AND finished_at < now() - make_interval(days => ${olderThanDays}::int)`,
      )
    },

    /** Progress of the schedule; null before it was first checked. */
    async scheduleMark(): Promise<ScheduleMark | null> {
      const row = await prisma.setting.findUnique({ where: { key: SCHEDULE_KEY } })
      return (row?.value ?? null) as ScheduleMark | null
    },

    async saveScheduleMark(mark: ScheduleMark): Promise<void> {
      const value = { ...mark }
      await prisma.setting.upsert({
        where: { key: SCHEDULE_KEY },
        create: { key: SCHEDULE_KEY, value },
        update: { value },
      })
    },

    /** Deletes the row of a finished backup. @returns false when it's waiting or running, or doesn't exist. */
    async remove(id: string): Promise<boolean> {
      const { count } = await prisma.backup.deleteMany({ where: { id, state: { in: ['completed', 'failed'] } } })
      return count === 1
    },

    /**
     * Updates the rows from the folder, where archives may be added and removed by hand. When all of them are gone, their
     * rows stay as they are, since the folder's disk may not be mounted.
     * @param listFiles returns null when the folder can't be read; the rows then stay, too.
     */
    async syncWithFolder(listFiles: () => Promise<ArchiveFile[] | null>): Promise<void> {
      // Read before the folder, so that an archive completed meanwhile isn't taken for missing.
      const completed = await prisma.backup.findMany({
        where: { state: 'completed' },
        select: { id: true, fileName: true },
      })
      const files = await listFiles()
      if (files === null) return
      const names = new Set(files.map(({ fileName }) => fileName))
      const missingIds = completed.filter(({ fileName }) => !names.has(fileName)).map(({ id }) => id)
      if (missingIds.length < completed.length) {
        await prisma.backup.deleteMany({ where: { id: { in: missingIds }, isCreatedHere: false } })
        await prisma.backup.updateMany({ where: { id: { in: missingIds } }, data: { state: ABSENT } })
      }
      await prisma.backup.updateMany({
        where: { state: ABSENT, fileName: { in: [...names] } },
        data: { state: 'completed' },
      })
      const rows = await prisma.backup.findMany({ where: { fileName: { in: [...names] } }, select: { fileName: true } })
      const own = await listOwnAfterRestore(pool, files)
      const newFiles = files.filter(({ fileName }) => !rows.some((row) => row.fileName === fileName))
      if (newFiles.length === 0) return
      const finished = { state: 'completed', progress: 100 }
      await prisma.backup.createMany({
        data: newFiles.map(({ fileName, sizeBytes, modifiedAt }) => ({
          ...finished,
          id: newId(),
          fileName,
          reason: isUpdateArchive(fileName) ? 'update' : 'manual',
          isCreatedHere: own.some((file) => file.fileName === fileName),
          sizeBytes,
          createdAt: modifiedAt,
          finishedAt: modifiedAt,
        })),
        skipDuplicates: true,
      })
    },

    /** Ids of unfinished backups that no process seems to work on: the last heartbeat is minutes old. */
    async listLost(): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM backups WHERE state IN ('waiting', 'running')
           AND coalesce(heartbeat_at, created_at) < now() - interval '${LOST_SECONDS} seconds'`,
      )
      return rows.map(({ id }) => id)
    },

    /** Counts a try at a trial restore; null when the backup is gone or its trial restore has already ended. */
    async beginTrialRestore(id: string): Promise<{ fileName: string; tries: number } | null> {
      const { rows } = await pool.query<{ fileName: string; tries: number }>(
        sql`UPDATE backups SET proof_tries = proof_tries + 1
         WHERE id = ${id} AND state = 'completed' AND proven_at IS NULL AND unproven_at IS NULL
         RETURNING file_name AS "fileName", proof_tries AS tries`,
      )
      return rows[0] ?? null
    },

    async saveTrialRestore(id: string): Promise<void> {
      await pool.query(
        sql`UPDATE backups SET proven_at = now(), unproven_at = NULL, proof_error = NULL, proof_told = '[]' WHERE id = ${id}`,
      )
      await saveSetting(pool, LAST_TRIAL_RESTORE_KEY, new Date().toISOString())
    },

    async failTrialRestore(id: string, { text, sentences }: Sentence): Promise<void> {
      await pool.query(
        sql`UPDATE backups SET unproven_at = now(), proof_error = ${text}, proof_told = ${JSON.stringify(sentences)}::jsonb
          WHERE id = ${id}`,
      )
    },

    /** Clears the result of the trial restore, so that another one can run. */
    async resetTrialRestore(id: string): Promise<void> {
      await pool.query(
        sql`UPDATE backups SET proof_tries = 0, proven_at = NULL, unproven_at = NULL, proof_error = NULL, proof_told = '[]'
         WHERE id = ${id}`,
      )
    },

    /** Id of the newest backup; null when its trial restore has already ended. Ignores backups dated in the future. */
    async newestWithoutTrialRestore(): Promise<string | null> {
      const row = await prisma.backup.findFirst({
        where: { state: 'completed', createdAt: { lte: new Date() } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: { id: true, trialRestoredAt: true, trialRestoreFailedAt: true },
      })
      return row === null || row.trialRestoredAt !== null || row.trialRestoreFailedAt !== null ? null : row.id
    },

    listOwn: () => listOwnArchives(pool),

    forget: (fileNames: string[]) => forgetArchives(pool, fileNames),

    /** Number of stored files missing or damaged in the previous full archive that the instance made. */
    async problemsBefore(fileName: string): Promise<number> {
      const row = await prisma.backup.findFirst({
        where: {
          ...{ state: 'completed', isCreatedHere: true, reason: { not: 'update' }, fileName: { not: fileName } },
          createdAt: { lte: new Date() },
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: { problems: true },
      })
      return row?.problems ?? 0
    },

    problemsOf: (archive: Parameters<typeof problemsOf>[1]) => problemsOf(pool, archive),

    /** Time of the last successful trial restore, even of a deleted backup. */
    async lastTrialRestoreAt(): Promise<Date | null> {
      const row = await prisma.setting.findUnique({ where: { key: LAST_TRIAL_RESTORE_KEY } })
      return typeof row?.value === 'string' ? new Date(row.value) : null
    },

    /** Records a failed backup that has no row yet, because a backup before an update is made before the server starts. */
    async addFailed(fileName: string, { text, sentences }: Sentence): Promise<void> {
      const failed = { id: newId(), fileName, reason: 'update', state: 'failed', error: text, finishedAt: new Date() }
      await prisma.backup.createMany({ data: { ...failed, errorSentences: sentences as never }, skipDuplicates: true })
    },

    listAdminIds: () => listAdminIds({ prisma }),
  }
}
