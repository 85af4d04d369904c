import type { TaskType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

export interface TaskRow {
  taskType: TaskType
  isEnabled: boolean
  schedule: string | null
  timeZone: string
  /** Slots up to here were run or given up. */
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

    /** Slots before `now` count as checked, so that the new schedule makes up for none. */
    async change(row: Pick<TaskRow, 'taskType' | 'isEnabled' | 'schedule' | 'timeZone'>, now: Date): Promise<void> {
      await pool.query(
        sql`UPDATE automation_tasks SET is_enabled = ${row.isEnabled}, schedule = ${row.schedule}, time_zone = ${row.timeZone},
          checked_until = ${now},
           updated_at = now() WHERE task_type = ${row.taskType}`,
      )
    },

    /** Moves the mark, unless another server has meanwhile. */
    async check({ taskType, checkedUntil }: TaskRow, until: Date): Promise<void> {
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
