import {
  type CodedSentence,
  type ImportFailure,
  type ImportSource,
  type ImportState,
  MAX_LISTED_FAILURES,
} from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { type ActivityRecord, insertActivitySql } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { ImportModel } from '../../../platform/database/generated/models/Import.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'
import { storable } from '../../../platform/lib/storable.ts'
import { type Sentence, say } from '../../../sentences.ts'

export type ImportRow = Omit<
  ImportModel,
  'source' | 'state' | 'failures' | 'errorSentences' | 'sizeBytes' | 'readBytes' | 'readTotalBytes'
> & {
  sizeBytes: number | null
  reading: Reading | null
  source: ImportSource
  state: ImportState
  failures: ImportFailure[]
  errorSentences: CodedSentence[]
}

/** Bytes read so far of a file that has to be read completely before the import. */
interface Reading {
  bytes: number
  ofBytes: number
}

/** Progress of an import. */
export interface ImportCounts {
  /** Null when nothing is being read. */
  reading: Reading | null
  found: number
  /** Null when unknown. */
  sizeBytes: number | null
  earliestAt: string | null
  latestAt: string | null
  imported: number
  skipped: number
  /** Existing items that got missing metadata. */
  completed: number
  failed: ImportFailure[]
}

/** End of an import. */
interface ImportOutcome {
  state: 'done' | 'failed'
  counts: ImportCounts
  reason?: Sentence
  /** Keep the file of a failed import, to be read as another program's. */
  keepsFile?: boolean
  /** Entry among the user's activities. */
  activity?: ActivityRecord | undefined
}

/** SQL condition that facts `f` have metadata that no other import had added. */
export const addsMetadata = `(f.tags <> '{}' OR f.taken_at IS NOT NULL OR f.latitude IS NOT NULL OR f.description IS NOT NULL)`

export type ImportsStore = ReturnType<typeof createImportsStore>

const toRow = ({ readBytes, readTotalBytes, ...row }: ImportModel): ImportRow => {
  const sizeBytes = row.sizeBytes === null ? null : Number(row.sizeBytes)
  const isReading = readBytes !== null && readTotalBytes !== null
  const reading = isReading ? { bytes: Number(readBytes), ofBytes: Number(readTotalBytes) } : null
  return { ...(row as unknown as ImportRow), sizeBytes, reading }
}
const countColumns = (counts: ImportCounts) => sql`found = ${counts.found}, size_bytes = ${counts.sizeBytes}::bigint,
  earliest_at = ${counts.earliestAt}::timestamptz, latest_at = ${counts.latestAt}::timestamptz,
  imported = ${counts.imported}, skipped = ${counts.skipped}, completed = ${counts.completed},
  failed = ${JSON.stringify(counts.failed)}::jsonb, read_bytes = ${counts.reading?.bytes ?? null}::bigint,
  read_of_bytes = ${counts.reading?.ofBytes ?? null}::bigint`
const OPEN_STATES = `('queued', 'running')`

/** Rows of imports from other programs. */
export function createImportsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  /** Counts of an import, including the items of earlier attempts, which can be undone, too. */
  const withEarlierAttempts = async (id: string, counts: ImportCounts): Promise<ImportCounts> => {
    const { rows } = await pool.query<{ imported: number; completed: number }>(
      sql`SELECT (SELECT count(*)::int FROM imported_things WHERE import_id = ${id}) AS imported,
        (SELECT count(*)::int FROM imported_facts f WHERE import_id = ${id} AND ${raw(addsMetadata)}) AS completed`,
    )
    const { imported = 0, completed = 0 } = rows[0] ?? {}
    return {
      ...counts,
      imported: Math.max(counts.imported, imported),
      completed: Math.max(counts.completed, completed),
    }
  }

  return {
    /** Adds an import with its job and links it to its partial upload; null when the user has too many in progress. */
    async add(
      userId: string,
      input: { source: ImportSource; name: string; isPreview: boolean } & (
        | { path: string; reservationId: string; partialUploadId: string | undefined }
        | { sealedKey: string }
      ),
      { max, enqueue }: { max: number; enqueue(tx: Prisma.TransactionClient, id: string): Promise<void> },
    ): Promise<ImportRow | null> {
      const { reservationId, partialUploadId, ...columns } = {
        reservationId: null,
        partialUploadId: undefined,
        ...input,
      }
      return prisma.$transaction(async (tx) => {
        const open = await tx.import.count({ where: { userId, state: { in: ['queued', 'running'] } } })
        if (open >= max) return null
        const row = await tx.import.create({ data: { id: newId(), userId, ...columns } })
        if (reservationId !== null) await tx.unreferencedFile.deleteMany({ where: { id: reservationId } })
        if (partialUploadId !== undefined)
          await tx.partialUpload.updateMany({ where: { id: partialUploadId, userId }, data: { importId: row.id } })
        await enqueue(tx, row.id)
        return toRow(row)
      })
    },

    /** Turns a finished preview into an import, with its job; null for anything else. */
    async start(
      userId: string,
      id: string,
      enqueue: (tx: Prisma.TransactionClient, id: string) => Promise<void>,
    ): Promise<ImportRow | null> {
      return prisma.$transaction(async (tx) => {
        const { count } = await tx.import.updateMany({
          where: { id, userId, isPreview: true, state: 'done' },
          data: {
            isPreview: false,
            state: 'queued',
            foundCount: 0,
            skippedCount: 0,
            completedCount: 0,
            failures: [],
            finishedAt: null,
          },
        })
        if (count === 0) return null
        await enqueue(tx, id)
        return toRow(await tx.import.findUniqueOrThrow({ where: { id } }))
      })
    },

    /**
     * Turns a refused preview whose file was kept into a preview from another program, with its job; null for any other
     * import.
     */
    async previewAs(
      userId: string,
      id: string,
      source: ImportSource,
      enqueue: (tx: Prisma.TransactionClient, id: string) => Promise<void>,
    ): Promise<ImportRow | null> {
      return prisma.$transaction(async (tx) => {
        const { count } = await tx.import.updateMany({
          where: { id, userId, isPreview: true, state: 'failed', path: { not: null } },
          data: {
            source,
            state: 'queued',
            foundCount: 0,
            failures: [],
            error: null,
            errorSentences: [],
            finishedAt: null,
          },
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

    /** Starts or resumes an import and counts the attempt, which `uncountAttempt` undoes; null when the import is over. */
    async claim(id: string): Promise<(ImportRow & { attempts: number }) | null> {
      const { rows } = await pool.query<{ attempts: number }>(
        sql`UPDATE imports SET state = 'running', error = NULL, told = '[]', read_bytes = NULL, read_of_bytes = NULL,
           attempts = attempts + 1, updated_at = now()
         WHERE id = ${id} AND state IN ${raw(OPEN_STATES)} RETURNING attempts`,
      )
      const row = rows[0] && (await prisma.import.findUnique({ where: { id } }))
      return row ? { ...toRow(row), attempts: rows[0]?.attempts ?? 0 } : null
    },

    /** Takes back the count of an attempt that ended without its process dying. */
    async uncountAttempt(id: string): Promise<void> {
      await pool.query(sql`UPDATE imports SET attempts = greatest(attempts - 1, 0) WHERE id = ${id}`)
    },

    /** Stores progress; false when cancelled or gone. */
    async saveCounts(id: string, counts: ImportCounts): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`UPDATE imports SET ${countColumns(counts)}, updated_at = now() WHERE id = ${id} AND state = 'running'`,
      )
      return rowCount === 1
    },

    /** False once cancelled or deleted. */
    async isRunning(id: string): Promise<boolean> {
      const { rowCount } = await pool.query(sql`SELECT FROM imports WHERE id = ${id} AND state = 'running'`)
      return rowCount === 1
    },

    /** Stores the reason why a running import is waiting. */
    async saveWaitReason(id: string, { text, sentences }: Sentence): Promise<void> {
      await pool.query(
        sql`UPDATE imports SET error = ${text}, told = ${JSON.stringify(sentences)}::jsonb, updated_at = now() WHERE id = ${id}
          AND state = 'running'`,
      )
    },

    /** Ends a running import with its activity, and releases its file unless that's kept for a preview. */
    async finish(
      id: string,
      { state, counts: attemptCounts, reason, activity, keepsFile = false }: ImportOutcome,
    ): Promise<void> {
      const counts = state === 'failed' ? await withEarlierAttempts(id, attemptCounts) : attemptCounts
      await pool.query(
        sql`WITH ended AS (
           UPDATE imports SET ${countColumns(counts)}, state = ${state}, error = ${reason?.text ?? null},
             told = ${JSON.stringify(reason?.sentences ?? [])}::jsonb, updated_at = now(), finished_at = now(),
             attempts = 0, sealed_key = CASE WHEN is_preview AND ${state === 'done'}::boolean THEN sealed_key END,
             path = CASE WHEN is_preview AND ${state === 'done' || keepsFile}::boolean THEN path END
           WHERE id = ${id} AND state = 'running' RETURNING id
         )
         ${activity ? sql`${insertActivitySql(activity)} WHERE EXISTS (SELECT FROM ended)` : sql`SELECT FROM ended`}`,
      )
    },

    /** Cancels a waiting or running import. @returns false when it's neither. */
    async cancel(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`UPDATE imports SET state = 'cancelled', path = NULL, sealed_key = NULL, read_bytes = NULL, read_of_bytes = NULL,
          updated_at = now(), finished_at = now()
         WHERE id = ${id} AND user_id = ${userId} AND state IN ${raw(OPEN_STATES)}`,
      )
      return rowCount === 1
    },

    async remove(userId: string, id: string): Promise<void> {
      await prisma.import.deleteMany({ where: { id, userId } })
    },

    /** Queued, running or undoing imports without recent progress. */
    async listLost(before: Date): Promise<Pick<ImportRow, 'id' | 'state' | 'userId'>[]> {
      const { rows } = await pool.query<Pick<ImportRow, 'id' | 'state' | 'userId'>>(
        sql`SELECT id, state, user_id AS "userId" FROM imports WHERE state IN ('queued', 'running', 'undoing')
          AND updated_at < ${before}
         ORDER BY updated_at LIMIT 100`,
      )
      return rows
    },

    /** Removes previews that ended before a time. @returns how many were removed. */
    async removePreviews(before: Date): Promise<number> {
      const { count } = await prisma.import.deleteMany({
        where: { isPreview: true, state: { in: ['done', 'failed', 'cancelled'] }, finishedAt: { lt: before } },
      })
      return count
    },
  }
}

export const unreadable: Sentence = say('import_entry_unreadable', {})

const NAME_MAX_CHARACTERS = 200

/** Records a failure, up to a limit. */
export function addImportFailure(counts: ImportCounts, name: string, { text, sentences }: Sentence): void {
  if (counts.failed.length >= MAX_LISTED_FAILURES) return
  counts.failed.push({ name: storable(cutText(name, NAME_MAX_CHARACTERS)), reason: storable(text), told: sentences })
}
