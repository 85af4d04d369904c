import type { ReminderState } from '@mira/shared'
import type { Database, Queryable } from '../../../platform/database/client.ts'
import { Prisma } from '../../../platform/database/generated/client.ts'
import type { ReminderModel } from '../../../platform/database/generated/models/Reminder.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'
import type { Series } from './recurrence.ts'

export type ReminderRow = Omit<ReminderModel, 'recurrence' | 'state'> & {
  recurrence: Series | null
  state: ReminderState
}

/** Changeable fields of a reminder. */
export interface ReminderChanges {
  text?: string
  dueAt?: Date
  timeZone?: string
  recurrence?: Series | null
  state?: ReminderState
  firedAt?: Date | null
  completedAt?: Date
}

export type RemindersStore = ReturnType<typeof createRemindersStore>

const columns = `id, user_id AS "userId", text, due_at AS "dueAt", time_zone AS "timeZone", recurrence, state,
  fired_at AS "firedAt", completed_at AS "completedAt", created_at AS "createdAt", updated_at AS "updatedAt"`
/** Condition of active reminders that haven't fired since they came due; reminders of accounts in the trash wait. */
const isUnfired = `state = 'active' AND (fired_at IS NULL OR fired_at < due_at)
  AND user_id NOT IN (SELECT id FROM users WHERE trashed_at IS NOT NULL)`

export function createRemindersStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const toRow = (model: ReminderModel): ReminderRow => ({
    ...model,
    recurrence: model.recurrence as Series | null,
    state: model.state as ReminderState,
  })

  return {
    transaction: <T>(work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> => prisma.$transaction(work),

    /** @returns null when the user has `maxActive` active reminders. */
    async add(
      userId: string,
      { text, dueAt, timeZone, recurrence }: Pick<ReminderRow, 'text' | 'dueAt' | 'timeZone' | 'recurrence'>,
      maxActive: number,
    ): Promise<ReminderRow | null> {
      const { rows } = await pool.query<ReminderRow>(
        sql`INSERT INTO reminders (id, user_id, text, due_at, time_zone, recurrence)
         SELECT ${newId()}, ${userId}, ${text}, ${dueAt}, ${timeZone}, ${recurrence && JSON.stringify(recurrence)}::jsonb
         WHERE (SELECT count(*) FROM reminders WHERE user_id = ${userId} AND state = 'active') < ${maxActive}
         RETURNING ${raw(columns)}`,
      )
      return rows[0] ?? null
    },

    async find(userId: string, id: string): Promise<ReminderRow | null> {
      const model = await prisma.reminder.findUnique({ where: { id, userId } })
      return model && toRow(model)
    },

    countActive: (userId: string): Promise<number> => prisma.reminder.count({ where: { userId, state: 'active' } }),

    /** Active reminders by due time, the next one first; completed reminders, the last completed first. */
    async list(
      userId: string,
      { state, limit, after }: { state: ReminderState; limit: number; after: TimePosition | null },
    ): Promise<ReminderRow[]> {
      const isActive = state === 'active'
      const [key, comparison, direction] = isActive ? ['due_at', '>', 'ASC'] : ['completed_at', '<', 'DESC']
      const { rows } = await pool.query<ReminderRow>(
        sql`SELECT ${raw(columns)} FROM reminders
         WHERE user_id = ${userId} AND state = ${state}
           AND (${after?.id ?? null}::uuid IS NULL
             OR (${raw(key)}, id) ${raw(comparison)} (${after?.createdAt ?? null}::timestamptz, ${after?.id ?? null}::uuid))
         ORDER BY ${raw(key)} ${raw(direction)}, id ${raw(direction)} LIMIT ${limit}`,
      )
      return rows
    },

    /** @returns null when the row has changed since it was read. */
    async change(
      tx: Queryable,
      { id, userId, dueAt, firedAt, state }: ReminderRow,
      { recurrence, ...changes }: ReminderChanges,
    ): Promise<ReminderRow | null> {
      const { count } = await tx.reminder.updateMany({
        where: { id, userId, dueAt, firedAt, state },
        data: {
          ...changes,
          ...(recurrence === undefined ? {} : { recurrence: recurrence ?? Prisma.DbNull }),
        },
      })
      return count === 0 ? null : toRow(await tx.reminder.findUniqueOrThrow({ where: { id } }))
    },

    /** @returns false when it didn't exist. */
    async remove(tx: Queryable, userId: string, id: string): Promise<boolean> {
      return (await tx.reminder.deleteMany({ where: { id, userId } })).count > 0
    },

    /** Due reminders of all users that haven't fired, the longest overdue first. */
    async due(now: Date, excludedIds: string[], limit: number): Promise<ReminderRow[]> {
      const { rows } = await pool.query<ReminderRow>(
        sql`SELECT ${raw(columns)} FROM reminders WHERE ${raw(isUnfired)} AND due_at <= ${now}
           AND id <> ALL (${excludedIds}::uuid[]) ORDER BY due_at LIMIT ${limit}`,
      )
      return rows
    },

    /** Next due time of all reminders; null when there is none. */
    async nextDue(): Promise<Date | null> {
      const { rows } = await pool.query<{ dueAt: Date }>(
        `SELECT due_at AS "dueAt" FROM reminders WHERE ${isUnfired} ORDER BY due_at LIMIT 1`,
      )
      return rows[0]?.dueAt ?? null
    },

    /**
     * Claims a due reminder for this server.
     * @returns false when another server was first, or the reminder has changed.
     */
    async fire(tx: Queryable, { id, dueAt }: ReminderRow, now: Date, nextDueAt: Date | null): Promise<boolean> {
      const { count } = await tx.reminder.updateMany({
        where: {
          id,
          dueAt,
          state: 'active',
          OR: [{ firedAt: null }, { firedAt: { lt: dueAt } }],
        },
        data: { firedAt: now, ...(nextDueAt === null ? {} : { dueAt: nextDueAt }) },
      })
      return count === 1
    },
  }
}
