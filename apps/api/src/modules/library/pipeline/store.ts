import type { Capability, MediaType, ProcessingStepName } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { Prisma } from '../../../platform/database/generated/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import {
  nothing,
  raw,
  type SqlClient,
  type SqlText,
  sql,
  sqlOf,
  type Transaction,
} from '../../../platform/database/sql.ts'
import { say } from '../../../sentences.ts'
import { MAX_ATTEMPTS, NEW_ITEM_PRIORITY, newStepColumns, newSteps, newStepTypes, stepNeeds } from './plan.ts'
import type { ProcessedItem, ProcessingStepRow, Run, StepChanges, WorkState } from './step.ts'

/** Error of steps that were running when their process died, and are retried. */
const INTERRUPTED = say('step_interrupted', {})
const GIVEN_UP = say('step_given_up', {})

const itemColumns =
  raw(`i.id, i.user_id AS "userId", i.media_type AS "mediaType", i.content_type AS "contentType", i.path,
  i.sha256, i.size_bytes::float8 AS "sizeBytes", i.original_filename AS "originalFilename", i.details,
  i.source_kind AS "sourceKind", i.source_url AS "sourceUrl",
  i.duration_seconds AS "durationSeconds", i.page_count AS "pageCount", i.camera, i.keeps_place AS "keepsLocation",
  i.wants_caption AS "wantsCaption", i.wants_text AS "wantsText"`)

/** CTEs that lock an item, unless it's in the trash, and its steps until the end of the transaction. */
const lockedItem = (itemId: string, condition: SqlText = nothing) => sql`
  item AS MATERIALIZED (
    SELECT * FROM media_items WHERE id = ${itemId} AND user_id IS NOT NULL ${condition} FOR NO KEY UPDATE
  ),
  before AS MATERIALIZED (SELECT s.* FROM media_steps s WHERE s.media_item_id = (SELECT id FROM item) FOR UPDATE)`
/** SQL for all steps: the changed ones as returned by `changed`, the rest as they were in `before`. */
const stepsAfter = (changed: SqlText) => sql`
  (SELECT coalesce(json_agg(json_build_object('name', name, 'status', status, 'progress', progress, 'engine', engine,
     'model', model, 'error', error, 'errorSentences', error_told, 'attempts', attempts, 'startedAt', started_at, 'finishedAt', finished_at)
     ORDER BY position), '[]')
   FROM (${changed} UNION ALL SELECT * FROM before b WHERE name NOT IN (SELECT name FROM (${changed}) c)) AS s) AS steps`
/** SQL: a step that resumes from a checkpoint keeps its progress. */
const keepProgress = raw('progress = CASE WHEN s.checkpoint IS NULL THEN 0 ELSE s.progress END')
const startStep = sql`status = 'processing', attempts = s.attempts + 1, started_at = clock_timestamp(), finished_at = NULL,
  ${keepProgress}, error = NULL, error_told = '[]', lacks = NULL`

/**
 * Statement that resets interrupted steps to pending, or fails them after too many attempts, and starts the first step of
 * a new item. A step that was interrupted in its first attempt has no `finished_at`, so it's due immediately (`dueAt`).
 */
const claim = (itemId: string, maxAttempts: number) =>
  prepared(sql`
  WITH ${lockedItem(itemId, sql`AND processing_status IN ('pending', 'processing')`)},
  claimed AS (
    UPDATE media_items SET processing_status = 'processing' WHERE id = (SELECT id FROM item)
      AND processing_status = 'pending'
  ),
  interrupted AS (
    UPDATE media_steps s SET finished_at = CASE WHEN b.attempts < 2 THEN NULL ELSE now() END,
      progress = CASE WHEN b.attempts >= ${maxAttempts}::int OR b.checkpoint IS NULL THEN 0 ELSE b.progress END,
      checkpoint = CASE WHEN b.attempts < ${maxAttempts}::int THEN b.checkpoint END,
      status = CASE WHEN b.attempts >= ${maxAttempts}::int THEN 'failed' ELSE 'pending' END,
      error = CASE WHEN b.attempts >= ${maxAttempts}::int THEN ${GIVEN_UP.text}::text ELSE ${INTERRUPTED.text}::text END,
      error_told = CASE WHEN b.attempts >= ${maxAttempts}::int THEN ${JSON.stringify(GIVEN_UP.sentences)}::jsonb
        ELSE ${JSON.stringify(INTERRUPTED.sentences)}::jsonb END
    FROM before b WHERE s.media_item_id = b.media_item_id AND s.name = b.name AND b.status = 'processing'
    RETURNING s.*
  ),
  deleted_partial_findings AS (
    DELETE FROM media_turns t USING interrupted i
    WHERE t.media_item_id = i.media_item_id AND t.step_name = i.name AND i.status = 'failed'
  ),
  started AS (
    UPDATE media_steps s SET ${startStep} FROM before b
    WHERE s.media_item_id = b.media_item_id AND s.name = b.name AND b.name = 'inspect' AND b.status = 'pending'
      AND b.attempts = 0
    RETURNING s.*
  )
  SELECT ${itemColumns}, u.language, false AS "isFinished", (SELECT started_at FROM started) AS "startedAt",
    'inspect' AS next, ${stepsAfter(sql`SELECT * FROM interrupted UNION ALL SELECT * FROM started`)}
  FROM item i JOIN users u ON u.id = i.user_id`)

/**
 * Statement that ends a run (`ended`) and steps that never started (`settled`), starts the next step, and finishes the item
 * once no step is open. It changes nothing and returns no row when another run has replaced the ended one, or the item is
 * gone.
 */
const advance = (itemId: string, { ended, settled = [], next, finish }: StepChanges) => {
  const changes = ended ? [{ name: ended.run.step, ...ended.end }, ...settled] : settled
  const status = finish?.status ?? null
  const endedStep = sql`${ended?.run.step ?? null}::text`
  return prepared(sql`
  WITH ${lockedItem(itemId)},
  current_run AS MATERIALIZED (
    SELECT FROM item WHERE ${endedStep} IS NULL
      OR EXISTS (SELECT FROM before WHERE name = ${endedStep} AND status = 'processing'
        AND started_at = ${ended?.run.startedAt ?? null})
  ),
  ended AS (
    UPDATE media_steps s SET status = input.status, engine = input.engine, model = input.model, error = input.error,
      error_told = coalesce(input."errorSentences", '[]'), lacks = input."missingCapability",
      finished_at = clock_timestamp(), checkpoint = CASE WHEN input.status = 'pending' THEN s.checkpoint END,
      worked_ms = CASE WHEN input.status = 'pending' AND b.name = ${endedStep}
        THEN least(b.worked_ms + extract(epoch FROM clock_timestamp() - b.started_at) * 1000, 2000000000)::int
        ELSE b.worked_ms END,
      progress = CASE WHEN input.status = 'completed' THEN 1
        WHEN input.status = 'pending' AND (input.error IS NULL OR s.checkpoint IS NOT NULL) THEN s.progress ELSE 0 END
    FROM current_run, before b JOIN jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      AS input (name text, status text, engine text, model text, error text, "errorSentences" jsonb, "missingCapability" text) ON input.name = b.name
    WHERE s.media_item_id = b.media_item_id AND s.name = b.name AND (b.status = 'pending' OR b.name = ${endedStep})
    RETURNING s.*
  ),
  deleted_partial_findings AS (
    DELETE FROM media_turns t USING ended e
    WHERE t.media_item_id = e.media_item_id AND t.step_name = e.name AND e.status <> 'pending'
  ),
  open AS MATERIALIZED (
    SELECT name FROM before WHERE status IN ('pending', 'processing')
      AND name NOT IN (SELECT name FROM ended WHERE status NOT IN ('pending', 'processing'))
  ),
  started AS (
    UPDATE media_steps s SET ${startStep} FROM current_run, before b
    WHERE s.media_item_id = b.media_item_id AND s.name = b.name AND b.name = ${next ?? null} AND b.status = 'pending'
      AND NOT EXISTS (SELECT FROM open WHERE name = ANY(${next ? [...stepNeeds[next]] : []}::text[]))
    RETURNING s.*
  ),
  finished AS (
    UPDATE media_items SET processing_status = ${status}, error = ${finish?.error ?? null},
      error_told = ${JSON.stringify(finish?.errorSentences ?? [])}::jsonb, updated_at = now() FROM current_run
    WHERE id = ${itemId} AND ${status}::text IS NOT NULL AND NOT EXISTS (SELECT FROM open)
    RETURNING id
  )
  SELECT ${itemColumns}, u.language, EXISTS (SELECT FROM finished) AS "isFinished",
    (SELECT started_at FROM started) AS "startedAt", ${next ?? null}::text AS next,
    ${stepsAfter(sql`SELECT * FROM ended UNION ALL SELECT * FROM started`)}
  FROM current_run, item i JOIN users u ON u.id = i.user_id`)
}

type WorkRow = ProcessedItem & {
  language: string
  isFinished: boolean
  startedAt: Date | null
  next: ProcessingStepName | null
  steps: (Omit<ProcessingStepRow, 'startedAt' | 'finishedAt'> & {
    startedAt: string | null
    finishedAt: string | null
  })[]
}

function toState({ steps, language, isFinished, startedAt, next, ...item }: WorkRow): WorkState {
  const toDate = (text: string | null) => (text === null ? null : new Date(text))
  return {
    item,
    language,
    isFinished,
    startedRun: next !== null && startedAt !== null ? { step: next, startedAt } : null,
    steps: steps.map((step) => ({ ...step, startedAt: toDate(step.startedAt), finishedAt: toDate(step.finishedAt) })),
  }
}

const unfinishedJob = sql`SELECT FROM pgboss.job WHERE name IN ('process-media', 'process-long-media')
  AND state < 'completed' AND group_id = i.id::text`

const MAX_QUEUE_POSITION = 1000
type Tx = Prisma.TransactionClient

export type ProcessingStore = ReturnType<typeof createProcessingStore>

/**
 * Access to steps of items. Changes that start or end a run, and results, lock the item's row first, so a run reliably sees
 * whether it has been replaced. Progress, attempts and `undoStart` lock nothing: they apply only to a run that is still
 * current (`isStillRunning`).
 */
export function createProcessingStore({ pool }: Pick<Database, 'pool'>) {
  const lockItem = async (tx: Tx, itemId: string): Promise<boolean> => {
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT id FROM media_items WHERE id = ${itemId}::uuid AND user_id IS NOT NULL FOR NO KEY UPDATE`
    return rows.length > 0
  }

  const isStillRunning = (itemId: string, { step, startedAt }: Run) =>
    sql`media_item_id = ${itemId} AND name = ${step} AND status = 'processing' AND started_at = ${startedAt}`
  const pooled: SqlClient = { query: (statement) => pool.query(statement) as never }

  return {
    /**
     * Starts work on an item, replacing any earlier run; null when it's gone or finished.
     * @param maxAttempts maximum number of starts of a step.
     */
    async claim(itemId: string, maxAttempts: number): Promise<WorkState | null> {
      const claimRow = async () => (await pool.query<WorkRow>(claim(itemId, maxAttempts))).rows[0]
      const workRow = await claimRow()
      if (workRow === undefined) return null
      const stepNames = new Set(workRow.steps.map(({ name }) => name))
      const missing = newSteps(workRow).filter(({ name }) => !stepNames.has(name))
      if (missing.length === 0) return toState(workRow)
      // An item from an earlier version with fewer steps.
      await pool.query(
        sql`INSERT INTO media_steps (media_item_id, ${raw(newStepColumns)})
         SELECT i.id, input.* FROM media_items i, jsonb_to_recordset(${JSON.stringify(missing)}::jsonb) AS input (${raw(newStepTypes)})
           WHERE i.id = ${itemId}
         ON CONFLICT DO NOTHING`,
      )
      const completeRow = await claimRow()
      return completeRow === undefined ? null : toState(completeRow)
    },

    /**
     * Ends a run, starts the next step and finishes the item, in one statement; null, changing nothing, when the item is gone
     * or the ended run has been replaced.
     */
    async advance(itemId: string, change: StepChanges, tx?: Transaction): Promise<WorkState | null> {
      const client = tx === undefined ? pooled : sqlOf(tx)
      const { rows } = await client.query<WorkRow>(advance(itemId, change))
      return rows[0] ? toState(rows[0]) : null
    },

    /** Stores progress; false when the run has been replaced, or its item is in the trash. */
    async report(itemId: string, run: Run, progress: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`UPDATE media_steps SET progress = ${progress} WHERE ${isStillRunning(itemId, run)}
          AND EXISTS (SELECT FROM media_items WHERE id = ${itemId} AND user_id IS NOT NULL)`,
      )
      return rowCount === 1
    },

    /** Counts a run as an attempt (1), or takes that back while it only waits for a permit (-1). */
    async countAttempt(itemId: string, run: Run, by: 1 | -1): Promise<void> {
      await pool.query(
        sql`UPDATE media_steps SET attempts = greatest(attempts + ${by}, 0) WHERE ${isStillRunning(itemId, run)}`,
      )
    },

    /** Resets a step as if this run had never started. */
    async undoStart(itemId: string, run: Run): Promise<void> {
      await pool.query(
        sql`UPDATE media_steps s SET status = 'pending', ${keepProgress}, attempts = greatest(attempts - 1, 0), started_at = NULL
         WHERE ${isStillRunning(itemId, run)}`,
      )
    },

    /**
     * Resets steps of a user's item to pending; false when it isn't theirs.
     * @param retriesOnce failed steps get one more attempt instead of a full set of them, so that the user isn't notified of
     *   the same failure again.
     */
    async reset(
      tx: Tx,
      userId: string,
      itemId: string,
      steps: ProcessingStepName[],
      { retriesOnce = false } = {},
    ): Promise<boolean> {
      if (!(await lockItem(tx, itemId))) return false
      const { count } = await tx.mediaItem.updateMany({
        where: { id: itemId, userId },
        data: { processingStatus: 'pending', error: null, errorSentences: [] },
      })
      if (count === 0) return false
      await tx.mediaTurn.deleteMany({ where: { mediaItemId: itemId, stepName: { in: steps } } })
      const where = { mediaItemId: itemId, name: { in: steps } }
      await tx.mediaStep.updateMany({
        where: retriesOnce ? { ...where, status: { not: 'failed' } } : where,
        data: { attempts: 0 },
      })
      if (retriesOnce) {
        await tx.mediaStep.updateMany({
          where: { ...where, status: 'failed', attempts: { lt: MAX_ATTEMPTS } },
          data: { attempts: MAX_ATTEMPTS },
        })
      }
      await tx.mediaStep.updateMany({
        where,
        data: {
          status: 'pending',
          progress: 0,
          error: null,
          errorSentences: [],
          missingCapability: null,
          checkpoint: Prisma.DbNull,
          workedMs: 0,
          startedAt: null,
          finishedAt: null,
        },
      })
      return true
    },

    /** Removes webhook events that a trigger stored at the end of an item's processing. */
    async dropHookNotices(tx: Tx, { id, userId }: Pick<ProcessedItem, 'id' | 'userId'>): Promise<void> {
      await tx.webhookOutboxEvent.deleteMany({
        where: { userId, event: { in: ['media.done', 'media.failed'] }, data: { path: ['id'], equals: id } },
      })
    },

    /** Capabilities whose absence made the server skip steps. */
    async missingCapabilities(): Promise<Capability[]> {
      const { rows } = await pool.query<{ lacks: Capability }>(
        'SELECT DISTINCT lacks FROM media_steps WHERE lacks IS NOT NULL',
      )
      return rows.map(({ lacks }) => lacks)
    },

    /** Items with steps skipped for one of these capabilities, by id. */
    async itemsSkippedFor(
      capabilities: Capability[],
      { after, limit }: { after: string; limit: number },
    ): Promise<{ id: string; userId: string }[]> {
      const { rows } = await pool.query<{ id: string; userId: string }>(
        sql`SELECT i.id, i.user_id AS "userId" FROM media_items i WHERE i.id > ${after} AND i.user_id IS NOT NULL AND EXISTS (
           SELECT FROM media_steps s WHERE s.media_item_id = i.id AND s.lacks = ANY(${capabilities})
         ) ORDER BY i.id LIMIT ${limit}`,
      )
      return rows
    },

    /** Locks an item and lists its steps skipped for one of these capabilities. */
    async stepsSkippedFor(tx: Tx, itemId: string, capabilities: Capability[]): Promise<ProcessingStepName[]> {
      if (!(await lockItem(tx, itemId))) return []
      const steps = await tx.mediaStep.findMany({
        where: { mediaItemId: itemId, missingCapability: { in: capabilities } },
        select: { name: true },
      })
      return steps.map(({ name }) => name as ProcessingStepName)
    },

    /** True when a job that hasn't started yet will process the item by this time. @param orLong counts jobs for long steps. */
    async hasJobWaiting(tx: Tx, itemId: string, by: Date, { orLong = false } = {}): Promise<boolean> {
      const rows = await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM pgboss.job WHERE (name = 'process-media' OR (${orLong} AND name = 'process-long-media'))
          AND state < 'active' AND start_after <= ${by}::timestamptz
          AND group_id = ${itemId} LIMIT 1`
      return rows.length > 0
    },

    /** Type of an item; null when it isn't the user's. */
    async typeOf(tx: Tx, userId: string, itemId: string): Promise<MediaType | null> {
      const item = await tx.mediaItem.findUnique({ where: { id: itemId, userId }, select: { mediaType: true } })
      return (item?.mediaType as MediaType | undefined) ?? null
    },

    /** True when the item is finished, deleted or in the trash. */
    async isDone(itemId: string): Promise<boolean> {
      const { rows } = await pool.query<{ status: string }>(
        sql`SELECT processing_status AS status FROM media_items WHERE id = ${itemId} AND user_id IS NOT NULL`,
      )
      return !['pending', 'processing'].includes(rows[0]?.status ?? 'gone')
    },

    /** True when new items of a user wait to be inspected; a job's `group_tier` is the user's id. */
    async hasNewItems(userId: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`SELECT FROM pgboss.job WHERE name = 'process-media' AND state < 'active' AND NOT blocked AND start_after <= now()
           AND coalesce(group_tier, '') = ${userId} AND priority >= ${raw(NEW_ITEM_PRIORITY)} LIMIT 1`,
      )
      return rowCount === 1
    },

    /** Positions of items in their user's queue, from 1, among the first 1000. */
    async queuePositions(userId: string, itemIds: string[]): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ id: string; position: number }>(
        prepared(sql`
          SELECT id, position FROM (
            SELECT group_id AS id, row_number() OVER (ORDER BY priority DESC, created_on)::int AS position FROM (
              SELECT group_id, priority, created_on FROM pgboss.job
              WHERE name = 'process-media' AND state < 'active' AND NOT blocked
                AND coalesce(group_tier, '') = ${userId}::text AND start_after <= now()
              ORDER BY priority DESC, created_on LIMIT ${MAX_QUEUE_POSITION}
            ) AS first
          ) AS placed WHERE id = ANY (${itemIds}::text[])`),
      )
      return new Map(rows.map(({ id, position }) => [id, position]))
    },

    /** Unfinished items that no job will process. */
    async findLost(limit: number): Promise<{ id: string; userId: string }[]> {
      const { rows } = await pool.query<{ id: string; userId: string }>(
        sql`SELECT i.id, i.user_id AS "userId" FROM media_items i
         WHERE i.processing_status IN ('pending', 'processing') AND i.user_id IS NOT NULL AND NOT EXISTS (${unfinishedJob})
         ORDER BY i.created_at LIMIT ${limit}`,
      )
      return rows
    },
  }
}
