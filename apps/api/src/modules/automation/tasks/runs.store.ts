import type { CodedSentence, RunStatus, TaskType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { TimePosition } from '../../../platform/lib/cursor.ts'
import type { TaskResults } from './task.ts'

export interface RunStepRow {
  name: string
  status: 'running' | 'completed' | 'failed'
  items: number
  total: number | null
  error: string | null
  error_told?: CodedSentence[]
  started_at: string
  finished_at: string | null
}

export interface LogLine {
  at: string
  level: 'info' | 'warning' | 'error'
  text: string
  told?: CodedSentence[]
}

export interface RunRow {
  id: string
  taskType: TaskType
  scheduledFor: Date | null
  trigger: 'schedule' | 'manual' | 'retry'
  reason: string | null
  status: RunStatus
  cancelRequested: boolean
  attempts: number
  steps: RunStepRow[]
  log: LogLine[]
  itemsProcessed: number
  results: TaskResults
  errorMessage: string | null
  requestedBy: string | null
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

/** Fields written while a run is in progress. */
export type RunState = Pick<RunRow, 'steps' | 'log' | 'itemsProcessed' | 'results'>

/** Claim of one server on a run, which a later attempt ends. */
export interface Claim {
  id: string
  serverId: string
  attempts: number
}

export type RunsStore = ReturnType<typeof createRunsStore>

/** A server without a heartbeat for this long has died. */
const DEAD_AFTER = `interval '25 seconds'`

const columns = `id, task_type AS "taskType", scheduled_for AS "scheduledFor", trigger, reason, status,
  cancel_requested AS "cancelRequested", attempts, steps, log, items_processed AS "itemsProcessed", results,
  error_message AS "errorMessage", requested_by AS "requestedBy", created_at AS "createdAt", started_at AS "startedAt",
  finished_at AS "finishedAt"`
const isClaimed = `id = $1 AND server_id = $2 AND attempts = $3 AND status = 'running'`

/** Rows of runs, which decide the server that executes each. */
export function createRunsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** @returns the new run's id; null when its slot has a run, or the task is running. */
    async add(run: {
      taskType: TaskType
      trigger: RunRow['trigger']
      scheduledFor?: Date
      reason?: string | undefined
      requestedBy?: string
    }): Promise<string | null> {
      const { rows } = await pool.query<{ id: string }>(
        `INSERT INTO automation_runs (id, task_type, trigger, scheduled_for, reason, requested_by)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
        [newId(), run.taskType, run.trigger, run.scheduledFor ?? null, run.reason ?? null, run.requestedBy ?? null],
      )
      return rows[0]?.id ?? null
    },

    /** Claims a run that waits, or whose server has died; null without one. */
    async take(serverId: string, isOnlyServer: boolean): Promise<RunRow | null> {
      const { rows } = await pool.query<RunRow>(
        `UPDATE automation_runs SET status = 'running', server_id = $1, heartbeat_at = now(), attempts = attempts + 1,
           started_at = coalesce(started_at, now())
         WHERE id = (
           SELECT id FROM automation_runs
           WHERE status = 'pending'
             OR (status = 'running' AND (($2 AND server_id IS DISTINCT FROM $1::uuid)
               OR heartbeat_at IS NULL OR heartbeat_at < now() - ${DEAD_AFTER}))
           ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING ${columns}`,
        [serverId, isOnlyServer],
      )
      return rows[0] ?? null
    },

    /** Stores a heartbeat. @returns true when the run is to be cancelled; null when the claim has ended. */
    async beat({ id, serverId, attempts }: Claim): Promise<boolean | null> {
      const { rows } = await pool.query<{ cancel_requested: boolean }>(
        `UPDATE automation_runs SET heartbeat_at = now() WHERE ${isClaimed} RETURNING cancel_requested`,
        [id, serverId, attempts],
      )
      return rows[0]?.cancel_requested ?? null
    },

    async save({ id, serverId, attempts }: Claim, state: RunState): Promise<void> {
      await pool.query(
        `UPDATE automation_runs SET steps = $4::jsonb, log = $5::jsonb, items_processed = $6, results = $7::jsonb
         WHERE ${isClaimed}`,
        [id, serverId, attempts, ...stateValues(state)],
      )
    },

    /** @returns false when the claim has ended. */
    async end(
      { id, serverId, attempts }: Claim,
      state: RunState,
      result: { status: 'completed' | 'failed' | 'cancelled'; error: string | null },
    ): Promise<boolean> {
      const { rowCount } = await pool.query(
        `UPDATE automation_runs SET steps = $4::jsonb, log = $5::jsonb, items_processed = $6, results = $7::jsonb,
           status = $8, error_message = $9, finished_at = now()
         WHERE ${isClaimed}`,
        [id, serverId, attempts, ...stateValues(state), result.status, result.error],
      )
      return rowCount === 1
    },

    /** Returns a run that a stopping server can't finish. */
    async release({ id, serverId, attempts }: Claim, state: RunState): Promise<void> {
      await pool.query(
        `UPDATE automation_runs SET steps = $4::jsonb, log = $5::jsonb, items_processed = $6, results = $7::jsonb,
           status = 'pending', server_id = NULL, attempts = attempts - 1
         WHERE ${isClaimed}`,
        [id, serverId, attempts, ...stateValues(state)],
      )
    },

    /** Cancels a waiting run, or asks its server to. @returns the previous status; null without such a run. */
    async cancel(id: string): Promise<RunStatus | null> {
      const { rows } = await pool.query<{ status: RunStatus }>(
        `WITH before AS (SELECT id, status FROM automation_runs WHERE id = $1 FOR UPDATE)
         UPDATE automation_runs r SET
           status = CASE before.status WHEN 'pending' THEN 'cancelled' ELSE before.status END,
           finished_at = CASE before.status WHEN 'pending' THEN now() ELSE r.finished_at END,
           cancel_requested = r.cancel_requested OR before.status = 'running'
         FROM before WHERE r.id = before.id RETURNING before.status`,
        [id],
      )
      return rows[0]?.status ?? null
    },

    async find(id: string): Promise<RunRow | null> {
      const { rows } = await pool.query<RunRow>(`SELECT ${columns} FROM automation_runs WHERE id = $1`, [id])
      return rows[0] ?? null
    },

    async list(limit: number, after: TimePosition | null): Promise<RunRow[]> {
      const { rows } = await pool.query<RunRow>(
        `SELECT ${columns} FROM automation_runs
         WHERE $2::timestamptz IS NULL OR (created_at, id) < ($2::timestamptz, $3::uuid)
         ORDER BY created_at DESC, id DESC LIMIT $1`,
        [limit, after?.createdAt ?? null, after?.id ?? null],
      )
      return rows
    },

    /** The newest run of each task. */
    async lastOfEach(): Promise<RunRow[]> {
      const { rows } = await pool.query<RunRow>(
        `SELECT DISTINCT ON (task_type) ${columns} FROM automation_runs ORDER BY task_type, created_at DESC, id DESC`,
      )
      return rows
    },

    async countRunning(): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM automation_runs WHERE status = 'running'`,
      )
      return rows[0]?.count ?? 0
    },
  }
}

function stateValues({ steps, log, itemsProcessed, results }: RunState) {
  return [JSON.stringify(steps), JSON.stringify(log), itemsProcessed, JSON.stringify(results)]
}
