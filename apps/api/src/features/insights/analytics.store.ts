import type { Database } from '../../db/client.ts'
import type { Range } from './analytics-period.ts'
import { activitiesWhere, hourRows, isUse, sessionRows, useKinds } from './hour-rows.ts'
import { type ClassCount, classOfPackedSql, countOfPackedSql } from './time-classes.ts'

/** What was done, by everybody or one person. */
export interface Sums {
  chat: number
  upload: number
  agents: number
  search: number
  effects: number
  /** Uses that ended well, and that failed; what was interrupted is in neither. */
  completed: number
  failed: number
}

/** The same in one hour. */
export interface HourFigures extends Sums {
  hour: Date
  /** Different people. */
  users: number
}

/** Durations of a period by class. */
export interface PeriodTimes {
  response: ClassCount[]
  first_token: ClassCount[]
  ingestion: ClassCount[]
}

export interface UserFigures {
  /** Accounts there are, and how many of them were there when the period began. */
  total: number
  totalBefore: number
  active: number
  activeBefore: number
  /** When the first of the accounts was made. */
  since: Date | null
}

export interface SessionFigures {
  sessions: number
  activeSessions: number
  /** Null when there were none. */
  averageSeconds: number | null
}

type Times = keyof PeriodTimes

const useSum = (kind: (typeof useKinds)[number]) => `coalesce(sum(n) FILTER (WHERE kind = '${kind}'), 0)::int`
const inUse = useKinds.map((kind) => `'${kind}'`).join(', ')

/**
 * Whatever is not added up yet is read from the activities in the same statement, so no figure is late and none is
 * counted twice. $1 and $2 are the ends of the range, $3 the person or null.
 */
const rolledUntil = `coalesce((SELECT rolled_until FROM activity_rollups), '-infinity')`
const isRolled = `hour >= $1 AND hour < $2 AND hour < ${rolledUntil}`
const fresh = activitiesWhere(
  `created_at >= greatest($1, ${rolledUntil}) AND created_at < $2 AND ($3::uuid IS NULL OR user_id = $3)`,
)

/** The hours of one person, or of everybody, which are read from different tables. */
const rolledRows = (userId: string | null) =>
  userId === null
    ? `SELECT hour, kind, name, users, completed, failed, interrupted, duration_classes, first_token_classes
       FROM activity_hour_totals WHERE ${isRolled} AND $3::uuid IS NULL`
    : `SELECT hour, kind, name, 1 AS users, completed, failed, interrupted, duration_classes, first_token_classes
       FROM activity_hours WHERE ${isRolled} AND user_id = $3::uuid`

/** What was done, as the columns of Sums, of rows `counted` that `more` is added to. */
const countedSql = (userId: string | null, more = '') => `
  WITH fresh AS MATERIALIZED (${hourRows(fresh)}),
  rows AS (
    SELECT hour, kind, name, users, completed, failed, interrupted FROM (${rolledRows(userId)}) AS rolled
    UNION ALL
    SELECT hour, kind, name, 1, completed, failed, interrupted FROM fresh
    ${more}
  ), counted AS (
    SELECT *, completed + failed + interrupted AS n FROM rows WHERE name <> 'opened' AND kind IN ('', ${inUse})
  )
  SELECT ${useSum('chat')} AS chat, ${useSum('upload')} AS upload, ${useSum('agent')} AS agents,
    ${useSum('search')} AS search, ${useSum('effect')} AS effects,
    coalesce(sum(completed) FILTER (WHERE kind <> ''), 0)::int AS completed,
    coalesce(sum(failed) FILTER (WHERE kind <> ''), 0)::int AS failed`

const usersOfFresh = `UNION ALL
    SELECT hour, '', '', count(DISTINCT user_id)::int, 0, 0, 0 FROM fresh WHERE ${isUse} GROUP BY hour`
const hoursSql = (userId: string | null) => `${countedSql(userId, usersOfFresh)}, hour,
    ${userId === null ? `coalesce(max(users) FILTER (WHERE kind = ''), 0)::int` : 'least(1, max(users))::int'} AS users
  FROM counted GROUP BY hour`
const sumsSql = (userId: string | null) => `${countedSql(userId)} FROM counted`

const timesSql = (userId: string | null) => `
  WITH rows AS (
    SELECT kind, name, duration_classes, first_token_classes FROM (${rolledRows(userId)}) AS rolled
    WHERE kind IN ('chat', 'ingestion')
    UNION ALL
    SELECT kind, name, duration_classes, first_token_classes FROM (${hourRows(fresh)}) AS fresh
    WHERE kind IN ('chat', 'ingestion')
  ), counts AS (
    SELECT CASE kind WHEN 'chat' THEN 'response' ELSE kind END AS times, unnest(duration_classes) AS packed FROM rows
    UNION ALL
    SELECT 'first_token', unnest(first_token_classes) FROM rows WHERE kind = 'chat'
  )
  SELECT times, ${classOfPackedSql('packed')} AS class, sum(${countOfPackedSql('packed')})::int AS count
  FROM counts GROUP BY 1, 2`

/** Each person is looked up in the index of their hours, so it does not matter how many hours there are. */
const isActive = (from: string, until: string) => `(
  EXISTS (SELECT FROM activity_hours h WHERE h.user_id = u.id AND h.hour >= ${from} AND h.hour < ${until}
    AND h.hour < ${rolledUntil} AND ${isUse})
  OR u.id IN (SELECT a.user_id FROM activities a WHERE a.in_analytics AND a.kind IN (${inUse})
    AND a.created_at >= greatest(${from}, ${rolledUntil}) AND a.created_at < ${until}
    AND NOT (a.kind = 'search' AND a.detail ->> 'action' IS NOT DISTINCT FROM 'opened')))`

const usersSql = `
  SELECT count(*)::int AS total, count(*) FILTER (WHERE u.created_at < $1)::int AS total_before,
    count(*) FILTER (WHERE ${isActive('$1', '$2')})::int AS active,
    count(*) FILTER (WHERE ${isActive('$4', '$5')})::int AS active_before, min(u.created_at) AS since
  FROM users u WHERE $3::uuid IS NULL OR u.id = $3`

const sessionsSql = `
  WITH hours AS (
    SELECT session_id, user_id, span_ms FROM activity_session_hours
    WHERE ${isRolled} AND ($3::uuid IS NULL OR user_id = $3)
    UNION ALL
    SELECT session_id, user_id, span_ms FROM (${sessionRows(fresh)}) AS fresh
  ), sessions AS (SELECT session_id, user_id, sum(span_ms) AS span_ms FROM hours GROUP BY 1, 2)
  SELECT count(*)::int AS sessions, count(active.id)::int AS active_sessions,
    avg(sessions.span_ms)::float8 / 1000 AS average_seconds
  FROM sessions LEFT JOIN (
    -- as in the chat: 24 quiet hours complete a conversation
    SELECT c.id, c.user_id FROM chat_sessions c
    WHERE c.completed_at IS NULL AND c.updated_at >= $4::timestamptz - interval '24 hours' AND ($3::uuid IS NULL OR c.user_id = $3)
  ) active ON active.id = sessions.session_id AND active.user_id = sessions.user_id`

/** Reads what analytics are computed from, of everybody (`userId` null) or one person. */
export function createAnalyticsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async hasUser(userId: string): Promise<boolean> {
      const { rows } = await pool.query('SELECT 1 FROM users WHERE id = $1', [userId])
      return rows.length > 0
    },

    /** The hours in which something was done, in no order. */
    async hours(userId: string | null, { from, until }: Range): Promise<HourFigures[]> {
      return (await pool.query<HourFigures>(hoursSql(userId), [from, until, userId])).rows
    },

    /** What was done in all of a range. */
    async sums(userId: string | null, { from, until }: Range): Promise<Sums> {
      return (await pool.query<Sums>(sumsSql(userId), [from, until, userId])).rows[0] as Sums
    },

    async times(userId: string | null, { from, until }: Range): Promise<PeriodTimes> {
      type Row = ClassCount & { times: Times }
      const { rows } = await pool.query<Row>(timesSql(userId), [from, until, userId])
      const of = (times: Times) => rows.filter((row) => row.times === times)
      return { response: of('response'), first_token: of('first_token'), ingestion: of('ingestion') }
    },

    async users(userId: string | null, current: Range, previous: Range): Promise<UserFigures> {
      const values = [current.from, current.until, userId, previous.from, previous.until]
      const { rows } = await pool.query<{
        total: number
        total_before: number
        active: number
        active_before: number
        since: Date | null
      }>(usersSql, values)
      const { total = 0, total_before: totalBefore = 0, active = 0, active_before: activeBefore = 0 } = rows[0] ?? {}
      return { total, totalBefore, active, activeBefore, since: rows[0]?.since ?? null }
    },

    /** @param now when sessions are to be active; null where that is not asked, and none is. */
    async sessions(userId: string | null, { from, until }: Range, now: Date | null): Promise<SessionFigures> {
      const { rows } = await pool.query<{
        sessions: number
        active_sessions: number
        average_seconds: number | null
      }>(sessionsSql, [from, until, userId, now])
      const {
        sessions = 0,
        active_sessions: activeSessions = 0,
        average_seconds: averageSeconds = null,
      } = rows[0] ?? {}
      return { sessions, activeSessions, averageSeconds }
    },
  }
}

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>
