import type { CodedSentence, RunStatus, TaskType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { TimePosition } from '../../../platform/lib/cursor.ts'
import type { TaskResults } from './task.ts'

/** A step as it is kept. */
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

/** A run in the hands of one server; a later attempt takes it out of them. */
export interface Hold {
  id: string
  serverId: string
  attempts: number
}

export type RunsStore = ReturnType<typeof createRunsStore>

/** A server that has said nothing for so long has died. */
const DEAD_AFTER = `interval '25 seconds'`

const columns = `id, task_type AS "taskType", scheduled_for AS "scheduledFor", trigger, reason, status,
  cancel_requested AS "cancelRequested", attempts, steps, log, items_processed AS "itemsProcessed", results,
  error_message AS "errorMessage", requested_by AS "requestedBy", created_at AS "createdAt", started_at AS "startedAt",
  finished_at AS "finishedAt"`
const isHeld = `id = $1 AND server_id = $2 AND attempts = $3 AND status = 'running'`

/** Keeps runs; which server runs one is decided by its row. */
export function createRunsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** A new run; null when its slot was run already, or when one of the task is going on. */
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

    /** Takes a run that waits, or whose server has died; null when there is none. */
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

    /** Says that the run goes on; whether it is to be cancelled, or null when it is not in these hands any more. */
    async beat({ id, serverId, attempts }: Hold): Promise<boolean | null> {
      const { rows } = await pool.query<{ cancel_requested: boolean }>(
        `UPDATE automation_runs SET heartbeat_at = now() WHERE ${isHeld} RETURNING cancel_requested`,
        [id, serverId, attempts],
      )
      return rows[0]?.cancel_requested ?? null
    },

    async save({ id, serverId, attempts }: Hold, state: RunState): Promise<void> {
      await pool.query(
        `UPDATE automation_runs SET steps = $4::jsonb, log = $5::jsonb, items_processed = $6, results = $7::jsonb
         WHERE ${isHeld}`,
        [id, serverId, attempts, ...stateValues(state)],
      )
    },

    /** Ends a run; false when it is not in these hands any more. */
    async end(
      { id, serverId, attempts }: Hold,
      state: RunState,
      ended: { status: 'completed' | 'failed' | 'cancelled'; error: string | null },
    ): Promise<boolean> {
      const { rowCount } = await pool.query(
        `UPDATE automation_runs SET steps = $4::jsonb, log = $5::jsonb, items_processed = $6, results = $7::jsonb,
           status = $8, error_message = $9, finished_at = now()
         WHERE ${isHeld}`,
        [id, serverId, attempts, ...stateValues(state), ended.status, ended.error],
      )
      return rowCount === 1
    },

    /** Hands a run that a stopping server cannot finish to whoever takes it next. */
    async release({ id, serverId, attempts }: Hold, state: RunState): Promise<void> {
      await pool.query(
        `UPDATE automation_runs SET steps = $4::jsonb, log = $5::jsonb, items_processed = $6, results = $7::jsonb,
           status = 'pending', server_id = NULL, attempts = attempts - 1
         WHERE ${isHeld}`,
        [id, serverId, attempts, ...stateValues(state)],
      )
    },

    /** Ends a run that waits, or asks the server that runs it to; what it was, null when there is no such run. */
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
