import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { addUp, type PeriodFigures, type SumRow } from './activity-sums.ts'
import { type Range, wholeDaysOf } from './analytics-period.ts'
import { doneSql, isFigure, sessionSums } from './day-rows.ts'
import { activitiesWhere, hourRows, isUse, sessionRows, totalRows, useKinds } from './hour-rows.ts'
import { packSql } from './packed-counts.ts'

export interface UserFigures {
  /** Accounts there are, and how many of them were there when the period began. */
  total: number
  totalBefore: number
  active: number
  activeBefore: number
  /** Creation time of the oldest account. */
  since: Date | null
}

/** One person's figures, or those of everybody, which are read from different tables. */
type Who = 'person' | 'all'

const inUse = useKinds.map((kind) => `'${kind}'`).join(', ')
const rolledUntil = `coalesce((SELECT rolled_until FROM activity_rollups), '-infinity')`
const daysUntil = `coalesce((SELECT days_until FROM activity_rollups), '-infinity')`

const sumsOfDay = `day AS begin, kind, hours, completed, failed, duration_classes, first_token_classes, session_ids,
  session_ms::float8 AS session_ms`
const sumsOfHour = (
  doneExpression: string,
) => `hour, kind, ARRAY[${packSql('0', doneExpression)}], completed, failed, duration_classes,
  first_token_classes, NULL, 0`

/**
 * Rows of uses to be added up, from one statement, so that no figure is late or counted twice: summed whole days (UTC),
 * the
 * hours before and after them, and activities that aren't summed yet. $1 and $2 are the ends of the range, $3 and $4
 * those
 * of its whole days, $5 the user.
 */
const figuresSql = (who: Who) => {
  const [days, hours, owned] =
    who === 'person'
      ? ['activity_days', 'activity_hours', 'user_id = $5 AND']
      : ['activity_day_totals', 'activity_hour_totals', '']
  const endOfDays = `greatest($3::timestamptz, least($4::timestamptz, ${daysUntil}))`
  const isBefore = `hour >= $1::timestamptz AND hour < least($3::timestamptz, ${rolledUntil})`
  const isAfter = `hour >= ${endOfDays} AND hour < least($2::timestamptz, ${rolledUntil})`
  const fresh = activitiesWhere(
    `${owned} created_at >= greatest($1::timestamptz, ${rolledUntil}) AND created_at < $2::timestamptz`,
  )
  const freshHours = who === 'person' ? hourRows(fresh) : totalRows(`(${hourRows(fresh)})`)
  const ofHours = `SELECT ${sumsOfHour(doneSql[who])} FROM ${hours} WHERE ${owned} ${isFigure}`
  const ofSessions = `SELECT session_id, span_ms FROM activity_session_hours WHERE ${owned}`
  return `SELECT ${sumsOfDay} FROM ${days} WHERE ${owned} day >= $3::timestamptz AND day < ${endOfDays}
    UNION ALL ${ofHours} AND ${isBefore}
    UNION ALL ${ofHours} AND ${isAfter}
    UNION ALL SELECT ${sumsOfHour(doneSql[who])} FROM (${freshHours}) AS fresh WHERE ${isFigure}
    UNION ALL SELECT $1, 'session', '{}', 0, 0, '{}', '{}', session_ids, coalesce(session_ms, 0) FROM (
      SELECT ${sessionSums} FROM (
        ${ofSessions} ${isBefore} UNION ALL ${ofSessions} ${isAfter}
        UNION ALL SELECT session_id, span_ms FROM (${sessionRows(fresh)}) AS fresh
      ) AS used
    ) AS sessions`
}
const selectFigures = { person: prepared(figuresSql('person')), all: prepared(figuresSql('all')) }

/**
 * Each person is looked up in the index of their hours, so it does not matter how many hours there are: OFFSET keeps the database
 * from reading all of them once for all people instead.
 */
const isActive = (from: string, until: string, owned: string) => `(
  EXISTS (SELECT FROM activity_hours h WHERE h.user_id = u.id AND h.hour >= ${from}::timestamptz AND h.hour < ${until}::timestamptz
    AND h.hour < ${rolledUntil} AND ${isUse} OFFSET 0)
  OR u.id IN (SELECT a.user_id FROM activities a WHERE ${owned} a.in_analytics AND a.kind IN (${inUse})
    AND a.created_at >= greatest(${from}::timestamptz, ${rolledUntil}) AND a.created_at < ${until}::timestamptz
    AND NOT (a.kind = 'search' AND a.detail ->> 'action' IS NOT DISTINCT FROM 'opened')))`

/** $1 and $2 are the ends of the range, $3 and $4 those of the one before, $5 the person. */
const usersSql = (who: Who) => {
  const [condition, owned] =
    who === 'person' ? ['WHERE u.id = $5', 'a.user_id = $5 AND'] : ['WHERE u.trashed_at IS NULL', '']
  return `
  SELECT count(*)::int AS total, count(*) FILTER (WHERE u.created_at < $1::timestamptz)::int AS total_before,
    count(*) FILTER (WHERE ${isActive('$1', '$2', owned)})::int AS active,
    count(*) FILTER (WHERE ${isActive('$3', '$4', owned)})::int AS active_before, min(u.created_at) AS since
  FROM users u ${condition}`
}
const selectUsers = { person: prepared(usersSql('person')), all: prepared(usersSql('all')) }

/** As in the chat: 24 quiet hours complete a conversation. $1 is now, $2 the person. */
const activeSql = (who: Who) => `
  SELECT id FROM chat_sessions WHERE user_id IS NOT NULL AND completed_at IS NULL AND updated_at >= $1::timestamptz - interval '24 hours'
    ${who === 'person' ? 'AND user_id = $2' : ''}`
const selectActive = { person: prepared(activeSql('person')), all: prepared(activeSql('all')) }

const whoIs = (userId: string | null): Who => (userId === null ? 'all' : 'person')
const personLast = (values: unknown[], userId: string | null) => (userId === null ? values : [...values, userId])

/** Reads what analytics are computed from, of everybody (`userId` null) or one person. */
export function createAnalyticsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async hasUser(userId: string): Promise<boolean> {
      const { rows } = await pool.query('SELECT 1 FROM users WHERE id = $1 AND trashed_at IS NULL', [userId])
      return rows.length > 0
    },

    /** Uses in a range. */
    async figures(userId: string | null, range: Range): Promise<PeriodFigures> {
      const days = wholeDaysOf(range)
      const values = [range.from, range.until, days.from, days.until]
      const { rows } = await pool.query<SumRow>(selectFigures[whoIs(userId)](personLast(values, userId)))
      return addUp(rows, { ofOne: userId !== null })
    },

    async users(userId: string | null, current: Range, previous: Range): Promise<UserFigures> {
      const values = [current.from, current.until, previous.from, previous.until]
      const { rows } = await pool.query<{
        total: number
        total_before: number
        active: number
        active_before: number
        since: Date | null
      }>(selectUsers[whoIs(userId)](personLast(values, userId)))
      const { total = 0, total_before: totalBefore = 0, active = 0, active_before: activeBefore = 0 } = rows[0] ?? {}
      return { total, totalBefore, active, activeBefore, since: rows[0]?.since ?? null }
    },

    /** Ids of the conversations that go on. */
    async activeSessions(userId: string | null, now: Date): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(selectActive[whoIs(userId)](personLast([now], userId)))
      return rows.map(({ id }) => id)
    },
  }
}

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>
