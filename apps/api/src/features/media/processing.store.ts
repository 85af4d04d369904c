import type { Capability, MediaType, ProcessingStep, ProcessingStepName } from '@mira/shared'
import type { Database } from '../../db/client.ts'
import type { Prisma } from '../../db/generated/client.ts'
import { type MediaItemRow, toRow } from './media.store.ts'
import { stepNeeds, stepsOfType } from './processing.ts'
import { NEWCOMER_PRIORITY } from './step-order.ts'

/** A step of an item as a row. */
export interface StepRow extends ProcessingStep {
  model: string | null
  /** How often it was begun. */
  attempts: number
  startedAt: Date | null
  finishedAt: Date | null
}

/** One run of one step: nobody else may report or end it. */
export interface StepRun {
  itemId: string
  step: ProcessingStepName
  startedAt: Date
  /** Of the person whose item it is, ISO 639-1. */
  language: string
}

/** How a run of a step ended; pending when it is to be tried again. */
export type StepEnd = Pick<StepRow, 'status' | 'engine' | 'model' | 'error'> & { lacks?: Capability | undefined }

/** Steps that were begun when their process died, and are tried again. */
export const INTERRUPTED = 'The server stopped while this was done. It is tried again.'
const GIVEN_UP = 'This made the server stop several times. It is not tried again by itself.'
const NOT_WANTED = { caption: 'A caption was not wanted.', read: 'Its text was not wanted.' }

const columns = `name, status, progress, engine, model, error, attempts, started_at AS "startedAt",
  finished_at AS "finishedAt"`
const liveJob = `SELECT FROM pgboss.job WHERE name = 'process-media' AND state < 'completed' AND group_id = i.id::text`

type Tx = Prisma.TransactionClient

export type ProcessingStore = ReturnType<typeof createProcessingStore>

/**
 * Steps of items. Whatever changes who does a step takes the item's row first, as do the results of steps: so a run sees
 * for certain whether it is still the one.
 */
export function createProcessingStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const lockItem = async (tx: Tx, itemId: string): Promise<boolean> => {
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT id FROM media_items WHERE id = ${itemId}::uuid FOR NO KEY UPDATE`
    return rows.length > 0
  }

  const addSteps = async (
    tx: Tx,
    item: Pick<MediaItemRow, 'id' | 'mediaType' | 'wantsCaption' | 'wantsText'>,
  ): Promise<void> => {
    const unwanted: Partial<Record<ProcessingStepName, string>> = {
      ...(item.wantsCaption ? {} : { caption: NOT_WANTED.caption }),
      ...(item.wantsText ? {} : { read: NOT_WANTED.read }),
    }
    await tx.mediaStep.createMany({
      data: stepsOfType[item.mediaType].map((name, position) => ({
        mediaItemId: item.id,
        name,
        position,
        ...(unwanted[name] ? { status: 'skipped', error: unwanted[name], finishedAt: new Date() } : {}),
      })),
      skipDuplicates: true,
    })
  }

  /** How long ago the first step of this round began; steps of an earlier day belong to another one. */
  const tookMs = async (tx: Tx, itemId: string): Promise<number> => {
    const rows = await tx.$queryRaw<{ tookMs: number | null }[]>`
      SELECT (extract(epoch FROM clock_timestamp() - min(started_at)) * 1000)::float8 AS "tookMs" FROM media_steps
      WHERE media_item_id = ${itemId}::uuid AND started_at > now() - interval '6 hours'`
    return rows[0]?.tookMs ?? 0
  }

  const isStillRunning = `media_item_id = $1 AND name = $2 AND status = 'processing' AND started_at = $3`
  const keyOf = ({ itemId, step, startedAt }: StepRun) => [itemId, step, startedAt]

  return {
    addSteps,

    async item(id: string): Promise<MediaItemRow | null> {
      const model = await prisma.mediaItem.findUnique({ where: { id } })
      return model && toRow(model)
    },

    async steps(itemId: string): Promise<StepRow[]> {
      const { rows } = await pool.query<StepRow>(
        `SELECT ${columns} FROM media_steps WHERE media_item_id = $1 ORDER BY position`,
        [itemId],
      )
      return rows
    },

    /**
     * Begins to work on an item, in place of whoever did before: steps that it has begun and not ended are begun anew, at
     * once the first time, unless that has been done too often. False when the item is gone.
     */
    async takeUp(itemId: string, mostAttempts: number): Promise<boolean> {
      return prisma.$transaction(async (tx) => {
        if (!(await lockItem(tx, itemId))) return false
        const item = await tx.mediaItem.findUniqueOrThrow({ where: { id: itemId } })
        await addSteps(tx, toRow(item))
        await tx.$executeRaw`
          UPDATE media_steps SET progress = 0,
            finished_at = CASE WHEN attempts < 2 THEN NULL ELSE now() END,
            status = CASE WHEN attempts >= ${mostAttempts} THEN 'failed' ELSE 'pending' END,
            error = CASE WHEN attempts >= ${mostAttempts} THEN ${GIVEN_UP} ELSE ${INTERRUPTED} END
          WHERE media_item_id = ${itemId}::uuid AND status = 'processing'`
        await tx.$executeRaw`
          UPDATE media_items SET processing_status = 'processing' WHERE id = ${itemId}::uuid AND processing_status = 'pending'`
        return true
      })
    },

    /**
     * Counts an attempt and begins a step that is pending; null when it is not, is gone, or needs a step that has been
     * made pending meanwhile: whoever did that has also seen to a job.
     */
    async begin(itemId: string, step: ProcessingStepName): Promise<StepRun | null> {
      return prisma.$transaction(async (tx) => {
        if (!(await lockItem(tx, itemId))) return null
        const [begun] = await tx.$queryRaw<Pick<StepRun, 'startedAt' | 'language'>[]>`
          UPDATE media_steps SET status = 'processing', attempts = attempts + 1, started_at = clock_timestamp(),
            finished_at = NULL, progress = 0, error = NULL, lacks = NULL
          WHERE media_item_id = ${itemId}::uuid AND name = ${step} AND status = 'pending' AND NOT EXISTS (
            SELECT FROM media_steps needed WHERE needed.media_item_id = ${itemId}::uuid
              AND needed.name = ANY(${[...stepNeeds[step]]}::text[]) AND needed.status IN ('pending', 'processing')
          ) RETURNING started_at AS "startedAt", (
            SELECT language FROM users JOIN media_items i ON i.user_id = users.id WHERE i.id = media_item_id
          ) AS language`
        return begun ? { itemId, step, ...begun } : null
      })
    },

    /** Stores how far a run is; false when it is no longer the one that does the step. */
    async report(run: StepRun, progress: number): Promise<boolean> {
      const { rowCount } = await pool.query(`UPDATE media_steps SET progress = $4 WHERE ${isStillRunning}`, [
        ...keyOf(run),
        progress,
      ])
      return rowCount === 1
    },

    /** Ends a run; false when it was no longer the one that does the step. */
    async end(run: StepRun, { status, engine, model, error, lacks }: StepEnd): Promise<boolean> {
      const { rowCount } = await pool.query(
        `UPDATE media_steps SET status = $4, engine = $5, model = $6, error = $7, lacks = $8, finished_at = clock_timestamp(),
           progress = CASE WHEN $4 = 'completed' THEN 1 ELSE 0 END
         WHERE ${isStillRunning}`,
        [...keyOf(run), status, engine, model, error, lacks ?? null],
      )
      return rowCount === 1
    },

    /** Leaves a step as if this run had never begun it. */
    async giveBack(run: StepRun): Promise<void> {
      await pool.query(
        `UPDATE media_steps SET status = 'pending', progress = 0, attempts = greatest(attempts - 1, 0), started_at = NULL
         WHERE ${isStillRunning}`,
        keyOf(run),
      )
    },

    /**
     * Ends the work on an item that has nothing left to do: failed when it could not be inspected. Null when there is
     * something left after all. `ended` is called in its transaction with what it came to.
     */
    async finish(
      itemId: string,
      ended: (tx: Tx, end: { error: string | null; tookMs: number }) => Promise<void> = async () => {},
    ): Promise<{ error: string | null } | null> {
      return prisma.$transaction(async (tx) => {
        if (!(await lockItem(tx, itemId))) return null
        const left = await tx.$queryRaw<Pick<StepRow, 'name' | 'status' | 'error'>[]>`
          SELECT name, status, error FROM media_steps
          WHERE media_item_id = ${itemId}::uuid AND (name = 'inspect' OR status IN ('pending', 'processing'))`
        const inspect = left.find(({ name }) => name === 'inspect')
        const failed = inspect?.status === 'failed'
        if (!failed && left.some(({ status }) => status === 'pending' || status === 'processing')) return null
        const error = failed ? (inspect.error ?? 'It could not be read.') : null
        if (failed) {
          await tx.mediaStep.updateMany({
            where: { mediaItemId: itemId, status: { in: ['pending', 'processing'] } },
            data: { status: 'skipped', error: 'The file cannot be read.', finishedAt: new Date() },
          })
        }
        await tx.$executeRaw`
          UPDATE media_items SET processing_status = ${failed ? 'failed' : 'completed'}, error = ${error},
            updated_at = now()
          WHERE id = ${itemId}::uuid`
        await ended(tx, { error, tookMs: await tookMs(tx, itemId) })
        return { error }
      })
    },

    /** Makes steps of an item of the person pending again; false when it is not theirs. */
    async reset(tx: Tx, userId: string, itemId: string, steps: ProcessingStepName[]): Promise<boolean> {
      if (!(await lockItem(tx, itemId))) return false
      const { count } = await tx.mediaItem.updateMany({
        where: { id: itemId, userId },
        data: { processingStatus: 'pending', error: null },
      })
      if (count === 0) return false
      await tx.mediaStep.updateMany({
        where: { mediaItemId: itemId, name: { in: steps } },
        data: {
          status: 'pending',
          progress: 0,
          attempts: 0,
          error: null,
          lacks: null,
          startedAt: null,
          finishedAt: null,
        },
      })
      return true
    },

    /** What has no engine of all that was skipped for that. */
    async lackedCapabilities(): Promise<Capability[]> {
      const { rows } = await pool.query<{ lacks: Capability }>(
        'SELECT DISTINCT lacks FROM media_steps WHERE lacks IS NOT NULL',
      )
      return rows.map(({ lacks }) => lacks)
    },

    /** Items, in the order of their ids, with steps that were skipped for want of one of these. */
    async itemsLacking(
      capabilities: Capability[],
      { after, limit }: { after: string; limit: number },
    ): Promise<{ id: string; userId: string }[]> {
      const { rows } = await pool.query<{ id: string; userId: string }>(
        `SELECT i.id, i.user_id AS "userId" FROM media_items i WHERE i.id > $2 AND EXISTS (
           SELECT FROM media_steps s WHERE s.media_item_id = i.id AND s.lacks = ANY($1)
         ) ORDER BY i.id LIMIT $3`,
        [capabilities, after, limit],
      )
      return rows
    },

    /** The steps of an item that were skipped for want of one of these; nobody else changes them meanwhile. */
    async stepsLacking(tx: Tx, itemId: string, capabilities: Capability[]): Promise<ProcessingStepName[]> {
      await lockItem(tx, itemId)
      const found = await tx.mediaStep.findMany({
        where: { mediaItemId: itemId, lacks: { in: capabilities } },
        select: { name: true },
      })
      return found.map(({ name }) => name as ProcessingStepName)
    },

    /** Whether a job that has not begun will work on an item in its turn, from this time at the latest. */
    async hasJobWaiting(tx: Tx, itemId: string, from: Date): Promise<boolean> {
      const rows = await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM pgboss.job WHERE name = 'process-media' AND state < 'active' AND start_after <= ${from}::timestamptz
          AND group_id = ${itemId} LIMIT 1`
      return rows.length > 0
    },

    /** What an item of the person is; null when there is none. */
    async typeOf(tx: Tx, userId: string, itemId: string): Promise<MediaType | null> {
      const found = await tx.mediaItem.findUnique({ where: { id: itemId, userId }, select: { mediaType: true } })
      return (found?.mediaType as MediaType | undefined) ?? null
    },

    /** Whether there is nothing left to do with an item, or no item. */
    async isDone(itemId: string): Promise<boolean> {
      const { rows } = await pool.query<{ status: string }>(
        'SELECT processing_status AS status FROM media_items WHERE id = $1',
        [itemId],
      )
      return !['pending', 'processing'].includes(rows[0]?.status ?? 'gone')
    },

    /** Whether other items wait for a turn that goes before those that have had one. */
    async hasNewcomers(): Promise<boolean> {
      const { rowCount } = await pool.query(
        `SELECT FROM pgboss.job WHERE name = 'process-media' AND state < 'active' AND start_after <= now()
           AND priority >= ${NEWCOMER_PRIORITY} LIMIT 1`,
      )
      return rowCount === 1
    },

    /** Whether another item could be worked on now. */
    async hasOthersWaiting(itemId: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        `SELECT FROM pgboss.job WHERE name = 'process-media' AND state < 'active' AND start_after <= now()
           AND group_id <> $1 LIMIT 1`,
        [itemId],
      )
      return rowCount === 1
    },

    /** How many jobs wait, now or for later, as far as it is of interest. */
    async countWaiting(most: number): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM
           (SELECT FROM pgboss.job WHERE name = 'process-media' AND state < 'active' LIMIT $1) AS waiting`,
        [most],
      )
      return rows[0]?.count ?? 0
    },

    /** Items with something left to do that no job will do. */
    async lost(limit: number): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT i.id FROM media_items i
         WHERE i.processing_status IN ('pending', 'processing') AND NOT EXISTS (${liveJob})
         ORDER BY i.created_at LIMIT $1`,
        [limit],
      )
      return rows.map(({ id }) => id)
    },
  }
}
