import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/**
 * Ratio of the classes in which durations are counted: class n contains durations of about ratio ** n milliseconds. A
 * percentile computed from the counts is at most 5 % off, for any duration.
 */
export const TIME_CLASS_RATIO = 1.1

/** SQL for the class of the duration in a column, in milliseconds; less than 1 ms counts as 1. */
const timeClassSql = (column: string) =>
  `round(ln(greatest(${column}, 1)::float8) / ln(${TIME_CLASS_RATIO}::float8))::int`

/** Number of durations in each class. */
export type ClassCounts = ReadonlyMap<number, number>

/** Percentile of durations by nearest rank; null when there are no durations. @param share from 0 to 1. */
export function percentileMs(counts: ClassCounts, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const rank = Math.max(1, Math.ceil(share * total))
  let seenCount = 0
  for (const [timeClass, count] of [...counts].sort(([one], [other]) => one - other)) {
    seenCount += count
    if (seenCount >= rank) return TIME_CLASS_RATIO ** timeClass
  }
  return null
}

/**
 * A key (class of durations, hour of the day) and its count are packed into one integer, so that arrays of them are short and
 * quick to unpack. The count takes the lower bits.
 */
const COUNT_BITS = 22
const MAX_COUNT = 2 ** COUNT_BITS - 1

/** SQL for a packed key, from 0 to 511, and its count. */
export const packSql = (key: string, count: string) =>
  `((${key}) << ${COUNT_BITS} | least(${count}, ${MAX_COUNT})::int)`
const unpackKeySql = (packed: string) => `(${packed} >> ${COUNT_BITS})`
const unpackCountSql = (packed: string) => `(${packed} & ${MAX_COUNT})`

export const unpackKey = (packed: number): number => packed >> COUNT_BITS
export const unpackCount = (packed: number): number => packed & MAX_COUNT

/** Kinds of activity that count as use. */
export const useKinds = ['chat', 'upload', 'search', 'agent', 'effect'] as const

/** SQL condition on `kind` and `name` for rows that count as use; opening a result belongs to the search that found it. */
export const useCondition = `(kind IN (${useKinds.map((kind) => `'${kind}'`).join(', ')}) AND name <> 'opened')`

/** SQL for the UTC hour of an activity; see analytics-period.ts for zones offset by a quarter or half an hour. */
const hourOf = `date_trunc('hour', created_at, 'UTC')`

/** SQL for an identifier in an activity's details; empty for anything else, such as text that a user typed. */
const identifier = (key: string) => `coalesce(substring(detail ->> '${key}' FROM '^[A-Za-z0-9_-]{1,60}$'), '')`

const nameSql = `CASE kind
  WHEN 'agent' THEN ${identifier('agent')}
  WHEN 'effect' THEN ${identifier('effect')}
  WHEN 'search' THEN CASE WHEN detail ->> 'action' = 'opened' THEN 'opened' ELSE '' END
  ELSE '' END`

/** SQL for the number of completed activities in each class of the durations in a column. */
const classesOf = (column: string) => `
  SELECT hour, user_id, kind, name, array_agg(${packSql('class', 'n')} ORDER BY class) AS classes FROM (
    SELECT hour, user_id, kind, name, ${timeClassSql(column)} AS class, count(*)::int AS n
    FROM base WHERE outcome = 'completed' AND ${column} IS NOT NULL GROUP BY 1, 2, 3, 4, 5
  ) AS classed GROUP BY 1, 2, 3, 4`

/** Parenthesised SQL for rows of `activities`. */
export type ActivitySource = SqlText

export const activitiesWhere = (condition: SqlText): ActivitySource =>
  sql`(SELECT * FROM activities WHERE ${condition})`

/**
 * SQL for sums of activities by hour, user, kind and name: `WITH base AS (…) SELECT …` with the columns of activity_hours.
 */
export const hourRows = (source: ActivitySource) => sql`
  WITH activity AS MATERIALIZED (
    SELECT ${raw(hourOf)} AS hour, a.* FROM ${source} AS a WHERE a.in_analytics
  ), base AS MATERIALIZED (
    SELECT hour, user_id, kind, ${raw(nameSql)} AS name, outcome, duration_ms, first_token_ms, input_tokens, output_tokens
    FROM activity
    UNION ALL
    -- total time of the steps of an uploaded file, including all turns of long ones, once it is processed
    SELECT hour, activity.user_id, 'ingestion', '', 'completed', steps.took_ms, NULL, NULL, NULL
    FROM activity
    JOIN media_items m ON m.id = activity.subject_id AND m.processing_status = 'completed'
      -- a file that existed already is not processed again
      AND m.created_at > activity.created_at - interval '1 minute'
    CROSS JOIN LATERAL (
      SELECT least(sum(s.worked_ms + extract(epoch FROM s.finished_at - s.started_at) * 1000), 2000000000)::int AS took_ms
      FROM media_steps s WHERE s.media_item_id = m.id AND s.status = 'completed'
    ) AS steps
    WHERE kind = 'upload' AND outcome = 'completed' AND steps.took_ms IS NOT NULL
  )
  SELECT sums.*, coalesce(durations.classes, '{}') AS duration_classes, coalesce(firsts.classes, '{}') AS first_token_classes
  FROM (
    SELECT hour, user_id, kind, name,
      count(*) FILTER (WHERE outcome = 'completed')::int AS completed,
      count(*) FILTER (WHERE outcome = 'failed')::int AS failed,
      count(*) FILTER (WHERE outcome = 'interrupted')::int AS interrupted,
      coalesce(sum(duration_ms) FILTER (WHERE outcome = 'completed'), 0)::bigint AS duration_ms_sum,
      count(duration_ms) FILTER (WHERE outcome = 'completed')::int AS duration_count,
      coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
      coalesce(sum(output_tokens), 0)::bigint AS output_tokens
    FROM base GROUP BY 1, 2, 3, 4
  ) AS sums
  LEFT JOIN (${raw(classesOf('duration_ms'))}) AS durations USING (hour, user_id, kind, name)
  LEFT JOIN (${raw(classesOf('first_token_ms'))}) AS firsts USING (hour, user_id, kind, name)`

/** SQL for the conversations used in each hour, with the time from the first to the last use (`span_ms`). */
export const sessionRows = (source: ActivitySource) => sql`
  SELECT ${raw(hourOf)} AS hour, user_id, subject_id AS session_id,
    least(extract(epoch FROM max(created_at) - min(created_at - make_interval(secs => coalesce(duration_ms, 0) / 1000.0)))
      * 1000, 2000000000)::int AS span_ms
  FROM ${source} AS a WHERE a.in_analytics AND a.kind = 'chat' AND a.subject_id IS NOT NULL
  GROUP BY 1, 2, 3`

/** SQL that adds up the packed class counts in a column of the CTE `hours`, grouped by the columns of `key`. */
const summedClasses = (column: string, key: string) => `
  SELECT ${key}, array_agg(${packSql('class', 'n')} ORDER BY class) AS classes FROM (
    SELECT ${key}, ${unpackKeySql('packed')} AS class, sum(${unpackCountSql('packed')}) AS n
    FROM hours, LATERAL unnest(${column}) AS packed GROUP BY ${key}, class
  ) AS classed GROUP BY ${key}`

/** Parenthesised SQL for rows with the columns of activity_hours or activity_hour_totals. */
export type HourSource = SqlText

/** SQL for the hours of all users together, with the columns of activity_hour_totals, added up from rows of activity_hours. */
export const totalRows = (source: HourSource) => sql`
  WITH hours AS MATERIALIZED (
    SELECT *, CASE name WHEN 'opened' THEN name ELSE '' END AS total_name FROM ${source} AS h
  )
  SELECT hour, kind, total_name AS name, users, completed, failed, interrupted,
    coalesce(durations.classes, '{}') AS duration_classes, coalesce(firsts.classes, '{}') AS first_token_classes
  FROM (
    SELECT hour, kind, total_name, count(DISTINCT user_id)::int AS users, sum(completed)::int AS completed,
      sum(failed)::int AS failed, sum(interrupted)::int AS interrupted
    FROM hours GROUP BY 1, 2, 3
    UNION ALL
    SELECT hour, '', '', count(DISTINCT user_id)::int, sum(completed)::int, sum(failed)::int, sum(interrupted)::int
    FROM hours WHERE ${raw(useCondition)} GROUP BY 1
  ) AS sums
  LEFT JOIN (${raw(summedClasses('duration_classes', 'hour, kind, total_name'))}) AS durations USING (hour, kind, total_name)
  LEFT JOIN (${raw(summedClasses('first_token_classes', 'hour, kind, total_name'))}) AS firsts USING (hour, kind, total_name)`

/** SQL condition for hours that analytics show: uses, ingestion, and the rows for all uses together (kind ''). */
export const figureCondition = `(${useCondition} OR kind IN ('', 'ingestion'))`

/** SQL for the count of an hour: its uses, or its distinct users in the rows for all uses of all users together. */
export const countSql = {
  user: 'completed + failed + interrupted',
  all: `CASE kind WHEN '' THEN users ELSE completed + failed + interrupted END`,
}

/** SQL aggregates over rows with `session_id` and `span_ms`: the concatenated ids, and the total time of use. */
export const sessionSums = `string_agg(uuid_send(session_id), ''::bytea ORDER BY session_id) AS session_ids,
  sum(span_ms)::bigint AS session_ms`

/** SQL for the hours to add up to days: their sums, and the conversations used in them. */
interface DaySource {
  hours: HourSource
  sessions: HourSource
}

const dayRows = ({ hours, sessions }: DaySource, key: string, countExpression: string) => sql`
  WITH hours AS MATERIALIZED (
    SELECT *, date_trunc('day', hour, 'UTC') AS day FROM ${hours} AS h WHERE ${raw(figureCondition)}
  ), by_hour AS (
    SELECT ${raw(key)}, kind, extract(hour FROM hour AT TIME ZONE 'UTC')::int AS hour_of_day,
      sum(${raw(countExpression)})::int AS done,
      sum(completed)::int AS completed, sum(failed)::int AS failed
    FROM hours GROUP BY ${raw(key)}, kind, hour_of_day
  ), sessions AS (
    SELECT ${raw(key)}, 'chat' AS kind, ${raw(sessionSums)} FROM (
      SELECT date_trunc('day', hour, 'UTC') AS day, user_id, session_id, sum(span_ms) AS span_ms
      FROM ${sessions} AS h GROUP BY 1, 2, 3
    ) AS used GROUP BY ${raw(key)}
  )
  SELECT sums.*, coalesce(durations.classes, '{}') AS duration_classes, coalesce(firsts.classes, '{}') AS first_token_classes,
    session_ids, coalesce(session_ms, 0) AS session_ms
  FROM (
    SELECT ${raw(key)}, kind, array_agg(${raw(packSql('hour_of_day', 'done'))} ORDER BY hour_of_day) AS hours,
      sum(completed)::int AS completed, sum(failed)::int AS failed
    FROM by_hour GROUP BY ${raw(key)}, kind
  ) AS sums
  LEFT JOIN (${raw(summedClasses('duration_classes', `${key}, kind`))}) AS durations USING (${raw(key)}, kind)
  LEFT JOIN (${raw(summedClasses('first_token_classes', `${key}, kind`))}) AS firsts USING (${raw(key)}, kind)
  LEFT JOIN sessions USING (${raw(key)}, kind)`

/** SQL for days of each user, with the columns of activity_days, added up from rows of activity_hours. */
export const userDayRows = (source: DaySource) => dayRows(source, 'day, user_id', countSql.user)

/** SQL for days of all users together, with the columns of activity_day_totals, added up from rows of activity_hour_totals. */
export const totalDayRows = (source: DaySource) => dayRows(source, 'day', countSql.all)
