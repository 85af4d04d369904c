import type { CodedSentence, RunStatus, TaskType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'
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

/** A server's claim on a run; a later attempt ends it. */
export interface Claim {
  id: string
  serverId: string
  attempts: number
}

export type RunsStore = ReturnType<typeof createRunsStore>

/** A server without a heartbeat for this long counts as dead. */
const DEAD_AFTER = `interval '25 seconds'`

const runColumns = `id, task_type AS "taskType", scheduled_for AS "scheduledFor", trigger, reason, status,
  cancel_requested AS "cancelRequested", attempts, steps, log, items_processed AS "itemsProcessed", results,
  error_message AS "errorMessage", requested_by AS "requestedBy", created_at AS "createdAt", started_at AS "startedAt",
  finished_at AS "finishedAt"`
const isClaimed = ({ id, serverId, attempts }: Claim) =>
  sql`id = ${id} AND server_id = ${serverId} AND attempts = ${attempts} AND status = 'running'`

/** Rows of runs; the server that claims a row executes the run. */
export function createRunsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** @returns the new run's id; null when its slot already has a run, or the task is already running. */
    async add(run: {
      taskType: TaskType
      trigger: RunRow['trigger']
      scheduledFor?: Date
      reason?: string | undefined
      requestedBy?: string
    }): Promise<string | null> {
      const { rows } = await pool.query<{ id: string }>(
        sql`INSERT INTO automation_runs (id, task_type, trigger, scheduled_for, reason, requested_by)
         VALUES (${newId()}, ${run.taskType}, ${run.trigger}, ${run.scheduledFor ?? null}, ${run.reason ?? null},
           ${run.requestedBy ?? null}) ON CONFLICT DO NOTHING RETURNING id`,
      )
      return rows[0]?.id ?? null
    },

    /** Claims a run that waits, or whose server has died; null when there is none. */
    async take(serverId: string, isOnlyServer: boolean): Promise<RunRow | null> {
      const { rows } = await pool.query<RunRow>(
        sql`UPDATE automation_runs SET status = 'running', server_id = ${serverId}::uuid, heartbeat_at = now(),
          attempts = attempts + 1,
           started_at = coalesce(started_at, now())
         WHERE id = (
           SELECT id FROM automation_runs
           WHERE status = 'pending'
             OR (status = 'running' AND ((${isOnlyServer} AND server_id IS DISTINCT FROM ${serverId}::uuid)
               OR heartbeat_at IS NULL OR heartbeat_at < now() - ${raw(DEAD_AFTER)}))
           ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING ${raw(runColumns)}`,
      )
      return rows[0] ?? null
    },

    /** Stores a heartbeat. @returns true when the run is to be cancelled; null when the claim has ended. */
    async beat(claim: Claim): Promise<boolean | null> {
      const { rows } = await pool.query<{ cancel_requested: boolean }>(
        sql`UPDATE automation_runs SET heartbeat_at = now() WHERE ${isClaimed(claim)} RETURNING cancel_requested`,
      )
      return rows[0]?.cancel_requested ?? null
    },

    async save(claim: Claim, state: RunState): Promise<void> {
      await pool.query(sql`UPDATE automation_runs SET ${stateOf(state)} WHERE ${isClaimed(claim)}`)
    },

    /** @returns false when the claim has ended. */
    async end(
      claim: Claim,
      state: RunState,
      { status, error }: { status: 'completed' | 'failed' | 'cancelled'; error: string | null },
    ): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`UPDATE automation_runs SET ${stateOf(state)}, status = ${status}, error_message = ${error}, finished_at = now()
         WHERE ${isClaimed(claim)}`,
      )
      return rowCount === 1
    },

    /** Makes a run wait again, when its server stops. */
    async release(claim: Claim, state: RunState): Promise<void> {
      await pool.query(
        sql`UPDATE automation_runs SET ${stateOf(state)}, status = 'pending', server_id = NULL, attempts = attempts - 1
         WHERE ${isClaimed(claim)}`,
      )
    },

    /** Cancels a waiting run, or asks the server of a running one to stop. @returns the previous status; null for an unknown id. */
    async cancel(id: string): Promise<RunStatus | null> {
      const { rows } = await pool.query<{ status: RunStatus }>(
        sql`WITH before AS (SELECT id, status FROM automation_runs WHERE id = ${id} FOR UPDATE)
         UPDATE automation_runs r SET
           status = CASE before.status WHEN 'pending' THEN 'cancelled' ELSE before.status END,
           finished_at = CASE before.status WHEN 'pending' THEN now() ELSE r.finished_at END,
           cancel_requested = r.cancel_requested OR before.status = 'running'
         FROM before WHERE r.id = before.id RETURNING before.status`,
      )
      return rows[0]?.status ?? null
    },

    async find(id: string): Promise<RunRow | null> {
      const { rows } = await pool.query<RunRow>(sql`SELECT ${raw(runColumns)} FROM automation_runs WHERE id = ${id}`)
      return rows[0] ?? null
    },

    async list(limit: number, after: TimePosition | null): Promise<RunRow[]> {
      const { rows } = await pool.query<RunRow>(
        sql`SELECT ${raw(runColumns)} FROM automation_runs
         WHERE ${after?.createdAt ?? null}::timestamptz IS NULL
           OR (created_at, id) < (${after?.createdAt ?? null}::timestamptz, ${after?.id ?? null}::uuid)
         ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      )
      return rows
    },

    /** The newest run of each task. */
    async lastOfEach(): Promise<RunRow[]> {
      const { rows } = await pool.query<RunRow>(
        `SELECT DISTINCT ON (task_type) ${runColumns} FROM automation_runs ORDER BY task_type, created_at DESC, id DESC`,
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

function stateOf({ steps, log, itemsProcessed, results }: RunState): SqlText {
  return sql`steps = ${JSON.stringify(steps)}::jsonb, log = ${JSON.stringify(log)}::jsonb,
    items_processed = ${itemsProcessed}, results = ${JSON.stringify(results)}::jsonb`
}

export interface TaskRow {
  taskType: TaskType
  isEnabled: boolean
  schedule: string | null
  timeZone: string
  /** Scheduled times up to this one have been handled: run, or skipped for good. */
  checkedUntil: Date | null
}

export type TasksStore = ReturnType<typeof createTasksStore>

const columns = `task_type AS "taskType", is_enabled AS "isEnabled", schedule, time_zone AS "timeZone",
  checked_until AS "checkedUntil"`

/** Rows of tasks with their schedules, and the administrators to notify. */
export function createTasksStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Adds missing rows. */
    async seed(defaults: { taskType: TaskType; schedule: string | null }[], now: Date): Promise<void> {
      await pool.query(
        sql`INSERT INTO automation_tasks (task_type, schedule, checked_until)
         SELECT task_type, schedule, ${now}
           FROM jsonb_to_recordset(${JSON.stringify(defaults.map(({ taskType, schedule }) => ({ task_type: taskType, schedule })))}::jsonb) AS given (task_type text, schedule text)
         ON CONFLICT DO NOTHING`,
      )
    },

    async all(): Promise<TaskRow[]> {
      const { rows } = await pool.query<TaskRow>(`SELECT ${columns} FROM automation_tasks`)
      return rows
    },

    /** Changes a task. Scheduled times before `now` count as handled, so that the new schedule doesn't make up for past ones. */
    async change(row: Pick<TaskRow, 'taskType' | 'isEnabled' | 'schedule' | 'timeZone'>, now: Date): Promise<void> {
      await pool.query(
        sql`UPDATE automation_tasks SET is_enabled = ${row.isEnabled}, schedule = ${row.schedule}, time_zone = ${row.timeZone},
          checked_until = ${now},
           updated_at = now() WHERE task_type = ${row.taskType}`,
      )
    },

    /** Sets `checked_until`, unless another server has meanwhile changed it. */
    async advanceCheckedUntil({ taskType, checkedUntil }: TaskRow, until: Date): Promise<void> {
      await pool.query(
        sql`UPDATE automation_tasks SET checked_until = ${until}
         WHERE task_type = ${taskType} AND checked_until IS NOT DISTINCT FROM ${checkedUntil}::timestamptz`,
      )
    },

    async administrators(): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(`SELECT id FROM users WHERE role = 'admin' AND is_active`)
      return rows.map(({ id }) => id)
    },

    /** Language of the first administrator, for texts that all of them read. */
    async languageOfAdministrators(): Promise<string | null> {
      const { rows } = await pool.query<{ language: string }>(
        `SELECT language FROM users WHERE role = 'admin' AND is_active ORDER BY created_at, id LIMIT 1`,
      )
      return rows[0]?.language ?? null
    },
  }
}
