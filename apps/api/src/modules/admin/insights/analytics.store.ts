import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { nothing, raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import { addUp, type PeriodFigures, type SumRow } from './activity-sums.ts'
import { type Range, wholeDaysOf } from './analytics-period.ts'
import {
  activitiesWhere,
  countSql,
  figureCondition,
  hourRows,
  packSql,
  sessionRows,
  sessionSums,
  totalRows,
  useCondition,
  useKinds,
} from './hour-rows.ts'

interface UserFigures {
  total: number
  /** Accounts that existed when the period began. */
  totalBefore: number
  active: number
  activeBefore: number
  /** Creation time of the oldest account. */
  since: Date | null
}

const useKindsSql = raw(useKinds.map((kind) => `'${kind}'`).join(', '))
const rolledUntil = raw(`coalesce((SELECT rolled_until FROM activity_rollups), '-infinity')`)
const daysUntil = raw(`coalesce((SELECT days_until FROM activity_rollups), '-infinity')`)

const sumsOfDay = raw(`day AS begin, kind, hours, completed, failed, duration_classes, first_token_classes, session_ids,
  session_ms::float8 AS session_ms`)
const sumsOfHour = (countExpression: string) =>
  raw(`hour, kind, ARRAY[${packSql('0', countExpression)}], completed, failed, duration_classes,
  first_token_classes, NULL, 0`)

/**
 * SQL for the rows to add up to a range's figures: rolled-up whole days (UTC), the hours before and after them, and activities
 * that aren't rolled up yet. A single statement reads them, so that nothing is missed or counted twice.
 */
function figuresSql(userId: string | null, { from, until }: Range): SqlText {
  const scope = userId === null ? 'all' : 'user'
  const days = raw(userId === null ? 'activity_day_totals' : 'activity_days')
  const hours = raw(userId === null ? 'activity_hour_totals' : 'activity_hours')
  const owned = userId === null ? nothing : sql`user_id = ${userId} AND`
  const wholeDays = wholeDaysOf({ from, until })
  const endOfDays = sql`greatest(${wholeDays.from}::timestamptz, least(${wholeDays.until}::timestamptz, ${daysUntil}))`
  const beforeDaysCondition = sql`hour >= ${from}::timestamptz AND hour < least(${wholeDays.from}::timestamptz, ${rolledUntil})`
  const afterDaysCondition = sql`hour >= ${endOfDays} AND hour < least(${until}::timestamptz, ${rolledUntil})`
  const fresh = activitiesWhere(
    sql`${owned} created_at >= greatest(${from}::timestamptz, ${rolledUntil}) AND created_at < ${until}::timestamptz`,
  )
  const freshHours = userId === null ? totalRows(sql`(${hourRows(fresh)})`) : hourRows(fresh)
  const sums = sumsOfHour(countSql[scope])
  const hourSumsSql = sql`SELECT ${sums} FROM ${hours} WHERE ${owned} ${raw(figureCondition)}`
  const sessionsSql = sql`SELECT session_id, span_ms FROM activity_session_hours WHERE ${owned}`
  return sql`SELECT ${sumsOfDay} FROM ${days}
    WHERE ${owned} day >= ${wholeDays.from}::timestamptz AND day < ${endOfDays}
    UNION ALL ${hourSumsSql} AND ${beforeDaysCondition}
    UNION ALL ${hourSumsSql} AND ${afterDaysCondition}
    UNION ALL SELECT ${sums} FROM (${freshHours}) AS fresh WHERE ${raw(figureCondition)}
    UNION ALL SELECT ${from}::timestamptz, 'session', '{}', 0, 0, '{}', '{}', session_ids, coalesce(session_ms, 0) FROM (
      SELECT ${raw(sessionSums)} FROM (
        ${sessionsSql} ${beforeDaysCondition} UNION ALL ${sessionsSql} ${afterDaysCondition}
        UNION ALL SELECT session_id, span_ms FROM (${sessionRows(fresh)}) AS fresh
      ) AS used
    ) AS sessions`
}

/**
 * SQL condition for users `u` with a use in the range. OFFSET 0 makes PostgreSQL look up each user in the index of hours instead
 * of reading all hours.
 */
const activeCondition = ({ from, until }: Range, owned: SqlText) => sql`(
  EXISTS (SELECT FROM activity_hours h
    WHERE h.user_id = u.id AND h.hour >= ${from}::timestamptz AND h.hour < ${until}::timestamptz
      AND h.hour < ${rolledUntil} AND ${raw(useCondition)} OFFSET 0)
  OR u.id IN (SELECT a.user_id FROM activities a WHERE ${owned} a.in_analytics AND a.kind IN (${useKindsSql})
    AND a.created_at >= greatest(${from}::timestamptz, ${rolledUntil}) AND a.created_at < ${until}::timestamptz
    AND NOT (a.kind = 'search' AND a.detail ->> 'action' IS NOT DISTINCT FROM 'opened')))`

/** Input of analytics, for one user or everybody (`userId` null). */
export function createAnalyticsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async hasUser(userId: string): Promise<boolean> {
      const { rows } = await pool.query(sql`SELECT 1 FROM users WHERE id = ${userId} AND trashed_at IS NULL`)
      return rows.length > 0
    },

    /** Uses in a range. */
    async figures(userId: string | null, range: Range): Promise<PeriodFigures> {
      const { rows } = await pool.query<SumRow>(prepared(figuresSql(userId, range)))
      return addUp(rows, { isOneUser: userId !== null })
    },

    async users(userId: string | null, current: Range, previous: Range): Promise<UserFigures> {
      const owned = userId === null ? nothing : sql`a.user_id = ${userId} AND`
      const { rows } = await pool.query<{
        total: number
        total_before: number
        active: number
        active_before: number
        since: Date | null
      }>(
        prepared(sql`
          SELECT count(*)::int AS total,
            count(*) FILTER (WHERE u.created_at < ${current.from}::timestamptz)::int AS total_before,
            count(*) FILTER (WHERE ${activeCondition(current, owned)})::int AS active,
            count(*) FILTER (WHERE ${activeCondition(previous, owned)})::int AS active_before, min(u.created_at) AS since
          FROM users u WHERE ${userId === null ? sql`u.trashed_at IS NULL` : sql`u.id = ${userId}`}`),
      )
      const { total = 0, total_before: totalBefore = 0, active = 0, active_before: activeBefore = 0 } = rows[0] ?? {}
      return { total, totalBefore, active, activeBefore, since: rows[0]?.since ?? null }
    },

    /** Ids of open conversations. As in the chat, a conversation is complete after 24 hours without activity. */
    async activeSessions(userId: string | null, now: Date): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        prepared(sql`
          SELECT id FROM chat_sessions
          WHERE user_id IS NOT NULL AND completed_at IS NULL AND updated_at >= ${now}::timestamptz - interval '24 hours'
            ${userId === null ? nothing : sql`AND user_id = ${userId}`}`),
      )
      return rows.map(({ id }) => id)
    },
  }
}

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>
