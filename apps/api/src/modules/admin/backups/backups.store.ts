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
  jsonOf,
  listOwnAfterRestore,
  listOwnArchives,
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
  told: CodedSentence[]
  sizeBytes: bigint | null
  createdAt: Date
  finishedAt: Date | null
  reason: BackupReason
  provenAt: Date | null
  /** The failed trial restore, its reason in English and as codes with parameters, for translation. */
  unprovenAt: Date | null
  proofError: string | null
  proofTold: CodedSentence[]
  /** Number of stored files that are missing or damaged in it. */
  problems: number
}

/** An attempt at a backup; a later one means that another process makes it. */
interface Claim {
  id: string
  attempts: number
}

/** A backup that the caller makes. */
export interface ClaimedBackup extends Claim {
  fileName: string
  reason: BackupReason
}

/** Age of the last heartbeat after which a backup is abandoned; its writer sends one every second. */
const ABANDONED_SECONDS = 30
/** More than it takes for a job to be run again. */
const LOST_SECONDS = 120
const MAX_LISTED = 200

const SCHEDULE_KEY = 'backup_schedule'
const LAST_PROVEN_KEY = 'last_proven_restore_at'

/** Until when a schedule was followed. */
export interface ScheduleMark {
  schedule: string
  /** ISO time. */
  until: string
}

export type BackupsStore = ReturnType<typeof createBackupsStore>

/** Existing backups, and the progress of the current one. */
export function createBackupsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const columns = {
    id: true,
    fileName: true,
    state: true,
    progress: true,
    error: true,
    told: true,
    sizeBytes: true,
    createdAt: true,
    finishedAt: true,
    reason: true,
    provenAt: true,
    unprovenAt: true,
    proofError: true,
    proofTold: true,
    problems: true,
  } as const
  type Loose = 'state' | 'told' | 'reason' | 'proofTold'
  const toRow = (row: Omit<BackupRow, Loose> & Record<Loose, unknown>) => row as BackupRow
  /** Changes one that this process makes. @returns false when it doesn't any more. */
  const change = async ({ id, attempts }: Claim, changes: SqlText): Promise<boolean> => {
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
     * Stores one that is to be made, with its job.
     * @param slot of the schedule that it is made for.
     * @returns null while another one is being made, and when another server took the slot.
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
            data: { id: newId(), fileName, reason, madeHere: true },
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

    /** Makes the caller the one who writes it; null when it is finished, or another process does. */
    async claim(id: string, isOnlyProcess: boolean): Promise<ClaimedBackup | null> {
      const { rows } = await pool.query<ClaimedBackup>(
        sql`UPDATE backups SET state = 'running', progress = 0, attempts = attempts + 1, heartbeat_at = now()
         WHERE id = ${id} AND (state = 'waiting' OR (state = 'running'
           AND (${isOnlyProcess} OR heartbeat_at < now() - interval '${raw(ABANDONED_SECONDS)} seconds')))
         RETURNING id, file_name AS "fileName", attempts, reason`,
      )
      return rows[0] ?? null
    },

    /** @returns false when another process makes it. */
    saveProgress: (claim: Claim, percent: number) => change(claim, sql`progress = ${percent}, heartbeat_at = now()`),

    /** Lets another process go on with it. */
    giveBack: (claim: Claim) => change(claim, sql`state = 'waiting'`),

    /**
     * @param result.lacking paths of stored files that are missing or damaged in it.
     * @returns false when another process makes it.
     */
    complete: (claim: Claim, { sizeBytes, lacking }: { sizeBytes: number; lacking: string[] }) =>
      change(
        claim,
        sql`state = 'completed', progress = 100, size_bytes = ${sizeBytes},
          problems = ${lacking.length}, lacking = ${jsonOf(lacking)}::jsonb, finished_at = now()`,
      ),

    /** @returns false when another process makes it. */
    fail: (claim: Claim, { text, told }: Sentence) =>
      change(claim, sql`state = 'failed', error = ${text}, told = ${JSON.stringify(told)}::jsonb, finished_at = now()`),

    /** Forgets failures that are older. */
    async forgetFailures(olderThanDays: number): Promise<void> {
      await pool.query(
        sql`DELETE FROM backups WHERE state IN ('failed', ${ABSENT}) AND finished_at < now() - make_interval(days => ${olderThanDays}::int)`,
      )
    },

    /** Last due time that the schedule handled; null before the first one. */
    async scheduleMark(): Promise<ScheduleMark | null> {
      const row = await prisma.setting.findUnique({ where: { key: SCHEDULE_KEY } })
      return (row?.value ?? null) as ScheduleMark | null
    },

    /** Follows a schedule from a moment on. */
    async followSchedule(mark: ScheduleMark): Promise<void> {
      const value = { ...mark }
      await prisma.setting.upsert({
        where: { key: SCHEDULE_KEY },
        create: { key: SCHEDULE_KEY, value },
        update: { value },
      })
    },

    /** Removes the row of one that is not being made. */
    async remove(id: string): Promise<boolean> {
      const { count } = await prisma.backup.deleteMany({ where: { id, state: { in: ['completed', 'failed'] } } })
      return count === 1
    },

    /**
     * Makes the rows say what lies in the folder: archives may be put there, and taken away, by hand. Nothing is forgotten
     * when none is left: the folder's disk may not be mounted.
     * @param listFiles null when the folder can't be read.
     */
    async follow(listFiles: () => Promise<ArchiveFile[] | null>): Promise<void> {
      // read before the folder: one that is completed meanwhile isn't among its files
      const completed = await prisma.backup.findMany({
        where: { state: 'completed' },
        select: { id: true, fileName: true },
      })
      const files = await listFiles()
      if (files === null) return
      const names = new Set(files.map(({ fileName }) => fileName))
      const gone = completed.filter(({ fileName }) => !names.has(fileName)).map(({ id }) => id)
      if (gone.length < completed.length) {
        await prisma.backup.deleteMany({ where: { id: { in: gone }, madeHere: false } })
        await prisma.backup.updateMany({ where: { id: { in: gone } }, data: { state: ABSENT } })
      }
      await prisma.backup.updateMany({
        where: { state: ABSENT, fileName: { in: [...names] } },
        data: { state: 'completed' },
      })
      const rows = await prisma.backup.findMany({ where: { fileName: { in: [...names] } }, select: { fileName: true } })
      const own = await listOwnAfterRestore(pool, files)
      const rest = files.filter(({ fileName }) => !rows.some((row) => row.fileName === fileName))
      if (rest.length === 0) return
      const finished = { state: 'completed', progress: 100 }
      await prisma.backup.createMany({
        data: rest.map(({ fileName, sizeBytes, modifiedAt }) => ({
          ...finished,
          id: newId(),
          fileName,
          reason: isUpdateArchive(fileName) ? 'update' : 'manual',
          madeHere: own.some((file) => file.fileName === fileName),
          sizeBytes,
          createdAt: modifiedAt,
          finishedAt: modifiedAt,
        })),
        skipDuplicates: true,
      })
    },

    /** Ids of those that nobody makes any more. */
    async listLost(): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM backups WHERE state IN ('waiting', 'running')
           AND coalesce(heartbeat_at, created_at) < now() - interval '${LOST_SECONDS} seconds'`,
      )
      return rows.map(({ id }) => id)
    },

    /** Counts a trial restore that begins; null when the backup is gone or its trial has ended. */
    async beginProof(id: string): Promise<{ fileName: string; tries: number } | null> {
      const { rows } = await pool.query<{ fileName: string; tries: number }>(
        sql`UPDATE backups SET proof_tries = proof_tries + 1
         WHERE id = ${id} AND state = 'completed' AND proven_at IS NULL AND unproven_at IS NULL
         RETURNING file_name AS "fileName", proof_tries AS tries`,
      )
      return rows[0] ?? null
    },

    async saveProof(id: string): Promise<void> {
      await pool.query(
        sql`UPDATE backups SET proven_at = now(), unproven_at = NULL, proof_error = NULL, proof_told = '[]' WHERE id = ${id}`,
      )
      await saveSetting(pool, LAST_PROVEN_KEY, new Date().toISOString())
    },

    async failProof(id: string, { text, told }: Sentence): Promise<void> {
      await pool.query(
        sql`UPDATE backups SET unproven_at = now(), proof_error = ${text}, proof_told = ${JSON.stringify(told)}::jsonb
          WHERE id = ${id}`,
      )
    },

    /** Makes room for another trial restore. */
    async giveBackProof(id: string): Promise<void> {
      await pool.query(
        sql`UPDATE backups SET proof_tries = 0, proven_at = NULL, unproven_at = NULL, proof_error = NULL, proof_told = '[]'
         WHERE id = ${id}`,
      )
    },

    /** The newest backup, unless its trial restore has ended; none that a clock dated that was ahead. */
    async newestUnproven(): Promise<string | null> {
      const row = await prisma.backup.findFirst({
        where: { state: 'completed', createdAt: { lte: new Date() } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: { id: true, provenAt: true, unprovenAt: true },
      })
      return row === null || row.provenAt !== null || row.unprovenAt !== null ? null : row.id
    },

    listOwn: () => listOwnArchives(pool),

    forget: (fileNames: string[]) => forgetArchives(pool, fileNames),

    /** Number of stored files that were missing or damaged in the newest own archive of database and files but this one. */
    async problemsBefore(fileName: string): Promise<number> {
      const row = await prisma.backup.findFirst({
        where: {
          ...{ state: 'completed', madeHere: true, reason: { not: 'update' }, fileName: { not: fileName } },
          createdAt: { lte: new Date() },
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        select: { problems: true },
      })
      return row?.problems ?? 0
    },

    problemsOf: (archive: Parameters<typeof problemsOf>[1]) => problemsOf(pool, archive),

    /** Time at which a trial restore last succeeded, also of a backup that is gone. */
    async lastProvenAt(): Promise<Date | null> {
      const row = await prisma.setting.findUnique({ where: { key: LAST_PROVEN_KEY } })
      return typeof row?.value === 'string' ? new Date(row.value) : null
    },

    /** Records a backup that failed before the server could note that it began. */
    async addFailed(fileName: string, { text, told }: Sentence): Promise<void> {
      const failed = { id: newId(), fileName, reason: 'update', state: 'failed', error: text, finishedAt: new Date() }
      await prisma.backup.createMany({ data: { ...failed, told: told as never }, skipDuplicates: true })
    },

    listAdminIds: () => listAdminIds({ prisma }),
  }
}
