import type { AnalyticsPeriod } from '@mira/shared'
import type pg from 'pg'

/** Expected analytics of a period, from SQL independent of the product's. */
export interface ExpectedAnalytics {
  from: Date
  until: Date
  now: Counts
  before: Counts
  days: { date: string; chat: number; upload: number; agents: number; search: number }[]
  hours: { hour: number; count: number; user_hours: number }[]
  cells: { day: number; hour: number; value: number }[]
}

export interface Counts {
  chat: number
  upload: number
  agent: number
  search: number
  effect: number
  completed: number
  failed: number
  active_users: number
  sessions: number
  session_seconds: number | null
  p50: number | null
  p95: number | null
  first_token: number | null
  ingestion: number | null
}

/** Length of each period; the previous one is as long. */
const lengths: Record<Exclude<AnalyticsPeriod, 'day'>, string> = {
  week: '7 days',
  month: '30 days',
  quarter: '3 months',
}

const isUse = `kind IN ('chat', 'upload', 'agent', 'search', 'effect') AND detail ->> 'action' <> 'opened'`

const countsSql = `
  WITH a AS (
    SELECT * FROM activities WHERE in_analytics AND created_at >= $1 AND created_at < $2 AND ($3::uuid IS NULL OR user_id = $3)
  ), uses AS (SELECT * FROM a WHERE ${isUse}),
  spans AS (
    SELECT subject_id, sum(seconds) AS seconds FROM (
      SELECT subject_id, extract(epoch FROM max(created_at) - min(created_at - duration_ms * interval '1 ms')) AS seconds
      FROM a WHERE kind = 'chat' GROUP BY subject_id, date_trunc('hour', created_at, 'UTC')
    ) AS hours GROUP BY subject_id
  ), files AS (
    SELECT sum(extract(epoch FROM s.finished_at - s.started_at)) AS seconds
    FROM a JOIN media_steps s ON s.media_item_id = a.subject_id WHERE a.kind = 'upload' GROUP BY a.id
  )
  SELECT count(*) FILTER (WHERE kind = 'chat')::int AS chat, count(*) FILTER (WHERE kind = 'upload')::int AS upload,
    count(*) FILTER (WHERE kind = 'agent')::int AS agent, count(*) FILTER (WHERE kind = 'search')::int AS search,
    count(*) FILTER (WHERE kind = 'effect')::int AS effect,
    count(*) FILTER (WHERE outcome = 'completed')::int AS completed, count(*) FILTER (WHERE outcome = 'failed')::int AS failed,
    count(DISTINCT user_id)::int AS active_users,
    (SELECT count(*)::int FROM spans) AS sessions, (SELECT avg(seconds)::float8 FROM spans) AS session_seconds,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE kind = 'chat' AND outcome = 'completed') / 1000.0::float8 AS p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE kind = 'chat' AND outcome = 'completed') / 1000.0::float8 AS p95,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY first_token_ms) FILTER (WHERE kind = 'chat' AND outcome = 'completed') / 1000.0::float8 AS first_token,
    (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::float8 FROM files) AS ingestion
  FROM uses`

/** Reads the expected analytics of a period in a time zone, of all users or, with `userId`, of one. */
export async function readExpectedAnalytics(
  pool: pg.Pool,
  { period, zone, userId, now }: { period: AnalyticsPeriod; zone: string; userId: string | null; now: Date },
): Promise<ExpectedAnalytics> {
  const bounds =
    period === 'day'
      ? `SELECT next - interval '24 hours' AS from, next AS until, next - interval '48 hours' AS before_from,
           next - interval '24 hours' AS before_until FROM clock`
      : `SELECT (day - length + interval '1 day') AT TIME ZONE $2 AS from, next AS until,
           (day - length + interval '1 day' - length) AT TIME ZONE $2 AS before_from,
           (next AT TIME ZONE $2 - length) AT TIME ZONE $2 AS before_until
         FROM clock, (SELECT interval '${lengths[period]}' AS length) AS l`
  const { rows } = await pool.query(
    `WITH clock AS (
       SELECT date_trunc('day', $1::timestamptz AT TIME ZONE $2) AS day, date_trunc('hour', $1::timestamptz, 'UTC') + interval '1 hour' AS next
     ), bounds AS (${bounds})
     -- an hour of UTC belongs to the day in which it begins
     SELECT date_bin('1 hour', "from" + interval '59 minutes', '2000-01-01Z') AS "from", until,
       date_bin('1 hour', before_from + interval '59 minutes', '2000-01-01Z') AS before_from,
       date_bin('1 hour', before_until + interval '59 minutes', '2000-01-01Z') AS before_until FROM bounds`,
    [now, zone],
  )
  const { from, until, before_from: beforeFrom, before_until: beforeUntil } = rows[0]
  const counts = async (start: Date, end: Date) => (await pool.query<Counts>(countsSql, [start, end, userId])).rows[0]!
  const local = `(date_trunc('hour', created_at, 'UTC') AT TIME ZONE $4)`
  const grouped = async <Row>(columns: string, group: string) =>
    (
      await pool.query(
        `SELECT ${columns} FROM activities WHERE in_analytics AND ${isUse} AND created_at >= $1 AND created_at < $2
           AND ($3::uuid IS NULL OR user_id = $3) GROUP BY ${group} ORDER BY ${group}`,
        [from, until, userId, zone],
      )
    ).rows as Row[]
  const countOf = (kind: string, name: string) => `count(*) FILTER (WHERE kind = '${kind}')::int AS ${name}`
  return {
    ...{ from, until },
    now: await counts(from, until),
    before: await counts(beforeFrom, beforeUntil),
    days: await grouped(
      `to_char(${local}, 'YYYY-MM-DD${period === 'day' ? '"T"HH24' : ''}') AS date, ${countOf('chat', 'chat')}, ${countOf('upload', 'upload')}, ${countOf('agent', 'agents')}, ${countOf('search', 'search')}`,
      '1',
    ),
    hours: await grouped(
      `extract(hour FROM ${local})::int AS hour, count(*)::int AS count,
       count(DISTINCT (user_id, date_trunc('hour', created_at, 'UTC')))::int AS user_hours`,
      '1',
    ),
    cells: await grouped(
      `extract(isodow FROM ${local})::int - 1 AS day, extract(hour FROM ${local})::int AS hour, count(*)::int AS value`,
      '1, 2',
    ),
  }
}
