import type { CodedSentence, ImportFailure, ImportSource, ImportState, Sentence } from '@mira/shared'
import { type ActivityRecord, activityJson, insertActivitySql } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { ImportModel } from '../../../platform/database/generated/models/Import.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { TimePosition } from '../../../platform/lib/cursor.ts'

export type ImportRow = Omit<
  ImportModel,
  'source' | 'state' | 'failed' | 'told' | 'sizeBytes' | 'readBytes' | 'readOfBytes'
> & {
  sizeBytes: number | null
  reading: Reading | null
  source: ImportSource
  state: ImportState
  failed: ImportFailure[]
  told: CodedSentence[]
}

/** Progress of reading a file that has to be read whole before the import. */
interface Reading {
  bytes: number
  ofBytes: number
}

/** Progress of an import. */
export interface ImportCounts {
  /** Null when nothing is being read. */
  reading: Reading | null
  found: number
  /** Null where it is not told. */
  sizeBytes: number | null
  earliestAt: string | null
  latestAt: string | null
  imported: number
  skipped: number
  /** Items that were there already and got what was missing of them. */
  completed: number
  failed: ImportFailure[]
}

/** End of an import. */
interface EndOfImport {
  state: 'done' | 'failed'
  counts: ImportCounts
  reason?: Sentence
  /** Keep the file of a failed import, to be counted as another program's. */
  keepsFile?: boolean
  /** Entry among the user's activities. */
  activity?: ActivityRecord | undefined
}

/** True when facts (f) add more than another import did. */
export const completes = `(f.tags <> '{}' OR f.taken_at IS NOT NULL OR f.latitude IS NOT NULL OR f.description IS NOT NULL)`

export type ImportsStore = ReturnType<typeof createImportsStore>

const toRow = ({ readBytes, readOfBytes, ...row }: ImportModel): ImportRow => {
  const sizeBytes = row.sizeBytes === null ? null : Number(row.sizeBytes)
  const isReading = readBytes !== null && readOfBytes !== null
  const reading = isReading ? { bytes: Number(readBytes), ofBytes: Number(readOfBytes) } : null
  return { ...(row as unknown as ImportRow), sizeBytes, reading }
}
const COUNTED = `found = $2, size_bytes = $3::bigint, earliest_at = $4::timestamptz, latest_at = $5::timestamptz,
  imported = $6, skipped = $7, completed = $8, failed = $9::jsonb, read_bytes = $10::bigint, read_of_bytes = $11::bigint`
const countedValues = (counts: ImportCounts) => [
  ...[counts.found, counts.sizeBytes, counts.earliestAt, counts.latestAt],
  ...[counts.imported, counts.skipped, counts.completed, JSON.stringify(counts.failed)],
  ...[counts.reading?.bytes ?? null, counts.reading?.ofBytes ?? null],
]
const OPEN = `('queued', 'running')`

/** Imports from other programs, as rows of one user each. */
export function createImportsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  /** Includes things of earlier attempts, which can be undone. */
  const withEarlierAttempts = async (id: string, counts: ImportCounts): Promise<ImportCounts> => {
    const { rows } = await pool.query<{ imported: number; completed: number }>(
      `SELECT (SELECT count(*)::int FROM imported_things WHERE import_id = $1) AS imported,
        (SELECT count(*)::int FROM imported_facts f WHERE import_id = $1 AND ${completes}) AS completed`,
      [id],
    )
    const { imported = 0, completed = 0 } = rows[0] ?? {}
    return {
      ...counts,
      imported: Math.max(counts.imported, imported),
      completed: Math.max(counts.completed, completed),
    }
  }

  return {
    /** Adds an import with its job; null when the user has too many under way. */
    async add(
      userId: string,
      input: { source: ImportSource; name: string; isPreview: boolean } & (
        | { path: string; holdId: string }
        | { sealedKey: string }
      ),
      { max, enqueue }: { max: number; enqueue(tx: Prisma.TransactionClient, id: string): Promise<void> },
    ): Promise<ImportRow | null> {
      const { holdId = null, ...columns } = { holdId: null, ...input }
      return prisma.$transaction(async (tx) => {
        const open = await tx.import.count({ where: { userId, state: { in: ['queued', 'running'] } } })
        if (open >= max) return null
        const row = await tx.import.create({ data: { id: newId(), userId, ...columns } })
        if (holdId !== null) await tx.looseFile.deleteMany({ where: { id: holdId } })
        await enqueue(tx, row.id)
        return toRow(row)
      })
    },

    /** Turns a finished preview into an import, with its job; null for any other. */
    async start(
      userId: string,
      id: string,
      enqueue: (tx: Prisma.TransactionClient, id: string) => Promise<void>,
    ): Promise<ImportRow | null> {
      return prisma.$transaction(async (tx) => {
        const { count } = await tx.import.updateMany({
          where: { id, userId, isPreview: true, state: 'done' },
          data: { isPreview: false, state: 'queued', found: 0, skipped: 0, completed: 0, failed: [], finishedAt: null },
        })
        if (count === 0) return null
        await enqueue(tx, id)
        return toRow(await tx.import.findUniqueOrThrow({ where: { id } }))
      })
    },

    /** Turns a refused preview with a kept file into one of another program, with its job; null for any other. */
    async countAs(
      userId: string,
      id: string,
      source: ImportSource,
      enqueue: (tx: Prisma.TransactionClient, id: string) => Promise<void>,
    ): Promise<ImportRow | null> {
      return prisma.$transaction(async (tx) => {
        const { count } = await tx.import.updateMany({
          where: { id, userId, isPreview: true, state: 'failed', path: { not: null } },
          data: { source, state: 'queued', found: 0, failed: [], error: null, told: [], finishedAt: null },
        })
        if (count === 0) return null
        await enqueue(tx, id)
        return toRow(await tx.import.findUniqueOrThrow({ where: { id } }))
      })
    },

    /** Language that the user last used, as stored. */
    async languageOf(userId: string): Promise<string | null> {
      const user = await prisma.user.findUnique({ where: { id: userId }, select: { language: true } })
      return user?.language ?? null
    },

    async find(userId: string, id: string): Promise<ImportRow | null> {
      const row = await prisma.import.findUnique({ where: { id, userId } })
      return row && toRow(row)
    },

    /** Newest first. */
    async list(userId: string, { limit, after }: { limit: number; after: TimePosition | null }): Promise<ImportRow[]> {
      const older =
        after === null
          ? {}
          : { OR: [{ createdAt: { lt: after.createdAt } }, { createdAt: after.createdAt, id: { lt: after.id } }] }
      const orderBy = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]
      return (await prisma.import.findMany({ where: { userId, ...older }, orderBy, take: limit })).map(toRow)
    },

    /** Starts or resumes an import, counted until `giveBack`; null when it's over. */
    async claim(id: string): Promise<(ImportRow & { attempts: number }) | null> {
      const { rows } = await pool.query<{ attempts: number }>(
        `UPDATE imports SET state = 'running', error = NULL, told = '[]', read_bytes = NULL, read_of_bytes = NULL,
           attempts = attempts + 1, updated_at = now()
         WHERE id = $1 AND state IN ${OPEN} RETURNING attempts`,
        [id],
      )
      const row = rows[0] && (await prisma.import.findUnique({ where: { id } }))
      return row ? { ...toRow(row), attempts: rows[0]?.attempts ?? 0 } : null
    },

    /** Undoes the count of an attempt that ended without the death of its process. */
    async giveBack(id: string): Promise<void> {
      await pool.query('UPDATE imports SET attempts = greatest(attempts - 1, 0) WHERE id = $1', [id])
    },

    /** Stores progress; false when cancelled or gone. */
    async saveCounts(id: string, counts: ImportCounts): Promise<boolean> {
      const { rowCount } = await pool.query(
        `UPDATE imports SET ${COUNTED}, updated_at = now() WHERE id = $1 AND state = 'running'`,
        [id, ...countedValues(counts)],
      )
      return rowCount === 1
    },

    /** False once cancelled or deleted. */
    async isRunning(id: string): Promise<boolean> {
      const { rowCount } = await pool.query(`SELECT FROM imports WHERE id = $1 AND state = 'running'`, [id])
      return rowCount === 1
    },

    /** Stores the reason why a running import waits. */
    async saveTrouble(id: string, { text, told }: Sentence): Promise<void> {
      await pool.query(
        `UPDATE imports SET error = $2, told = $3::jsonb, updated_at = now() WHERE id = $1 AND state = 'running'`,
        [id, text, JSON.stringify(told)],
      )
    },

    /** Ends a running import with its activity, and releases its file unless that's kept for a preview. */
    async finish(
      id: string,
      { state, counts: ofAttempt, reason, activity, keepsFile = false }: EndOfImport,
    ): Promise<void> {
      const counts = state === 'failed' ? await withEarlierAttempts(id, ofAttempt) : ofAttempt
      await pool.query(
        `WITH ended AS (
           UPDATE imports SET ${COUNTED}, state = $12, error = $13, told = $14::jsonb, updated_at = now(), finished_at = now(), attempts = 0,
             sealed_key = CASE WHEN is_preview AND $12 = 'done' THEN sealed_key END,
             path = CASE WHEN is_preview AND ($12 = 'done' OR $15::boolean) THEN path END
           WHERE id = $1 AND state = 'running' RETURNING id
         )
         ${activity ? `${insertActivitySql('$16::text')} WHERE EXISTS (SELECT FROM ended)` : 'SELECT FROM ended'}`,
        [
          ...[id, ...countedValues(counts), state, reason?.text ?? null, JSON.stringify(reason?.told ?? [])],
          keepsFile,
          ...(activity ? [activityJson(activity)] : []),
        ],
      )
    },

    /** Cancels a waiting or running import; false for any other. */
    async cancel(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        `UPDATE imports SET state = 'cancelled', path = NULL, sealed_key = NULL, read_bytes = NULL, read_of_bytes = NULL, updated_at = now(), finished_at = now()
         WHERE id = $1 AND user_id = $2 AND state IN ${OPEN}`,
        [id, userId],
      )
      return rowCount === 1
    },

    async remove(userId: string, id: string): Promise<void> {
      await prisma.import.deleteMany({ where: { id, userId } })
    },

    /** Running or undoing imports without recent progress. */
    async listLost(before: Date): Promise<Pick<ImportRow, 'id' | 'state' | 'userId'>[]> {
      const { rows } = await pool.query<Pick<ImportRow, 'id' | 'state' | 'userId'>>(
        `SELECT id, state, user_id AS "userId" FROM imports WHERE state IN ('queued', 'running', 'undoing') AND updated_at < $1
         ORDER BY updated_at LIMIT 100`,
        [before],
      )
      return rows
    },

    /** Removes previews. @returns their number. */
    async removePreviews(before: Date): Promise<number> {
      const { count } = await prisma.import.deleteMany({
        where: { isPreview: true, state: { in: ['done', 'failed', 'cancelled'] }, finishedAt: { lt: before } },
      })
      return count
    },
  }
}
