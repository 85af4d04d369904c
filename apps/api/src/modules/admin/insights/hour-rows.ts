import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/**
 * Durations are counted in classes that grow by a constant ratio: class n holds what rounds to RATIO to the power of n
 * milliseconds. A percentile read from the counts is at most 5 % away from the exact one, however long it took.
 */
export const TIME_CLASS_RATIO = 1.1

/** SQL for the class of a column of milliseconds; what took less than one counts as one. */
const timeClassSql = (column: string) =>
  `round(ln(greatest(${column}, 1)::float8) / ln(${TIME_CLASS_RATIO}::float8))::int`

/** Number of durations in each class. */
export type ClassCounts = ReadonlyMap<number, number>

/**
 * The duration, in milliseconds, that the given share (0 to 1) of all did not exceed, by nearest rank; null when there
 * is none.
 */
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
 * Something counted (a class of durations, an hour of the day) and how often it was there are kept as one number, so that arrays
 * of them are short and quick to take apart.
 */
const COUNT_BITS = 22
const MAX_COUNTED = 2 ** COUNT_BITS - 1

/** SQL of one number for what was counted, from 0 to 511, and how often. */
export const packSql = (counted: string, count: string) =>
  `((${counted}) << ${COUNT_BITS} | least(${count}, ${MAX_COUNTED})::int)`
const countedOfPackedSql = (packed: string) => `(${packed} >> ${COUNT_BITS})`
const countOfPackedSql = (packed: string) => `(${packed} & ${MAX_COUNTED})`

export const countedOfPacked = (packed: number): number => packed >> COUNT_BITS
export const countOfPacked = (packed: number): number => packed & MAX_COUNTED

/** Kinds of activity that are a person's use of the product; opened results belong to the search that found them. */
export const useKinds = ['chat', 'upload', 'search', 'agent', 'effect'] as const

/** SQL that is true of a row (kind, name) that counts as use. */
export const isUse = `(kind IN (${useKinds.map((kind) => `'${kind}'`).join(', ')}) AND name <> 'opened')`

/** Begin of the hour of UTC: in zones that are a quarter or half an hour off, see analytics-period.ts. */
const hourOf = `date_trunc('hour', created_at, 'UTC')`

/** Only words that the product itself wrote become names: what a person typed never gets here. */
const word = (key: string) => `coalesce(substring(detail ->> '${key}' FROM '^[A-Za-z0-9_-]{1,60}$'), '')`

const nameSql = `CASE kind
  WHEN 'agent' THEN ${word('agent')}
  WHEN 'effect' THEN ${word('effect')}
  WHEN 'search' THEN CASE WHEN detail ->> 'action' = 'opened' THEN 'opened' ELSE '' END
  ELSE '' END`

/** Classes with their counts of one column of durations, of what was completed. */
const classesOf = (column: string) => `
  SELECT hour, user_id, kind, name, array_agg(${packSql('class', 'n')} ORDER BY class) AS classes FROM (
    SELECT hour, user_id, kind, name, ${timeClassSql(column)} AS class, count(*)::int AS n
    FROM base WHERE outcome = 'completed' AND ${column} IS NOT NULL GROUP BY 1, 2, 3, 4, 5
  ) AS classed GROUP BY 1, 2, 3, 4`

/** SQL in brackets that reads rows of the table `activities`. */
export type ActivitySource = SqlText

/** The activities that meet a condition. */
export const activitiesWhere = (condition: SqlText): ActivitySource =>
  sql`(SELECT * FROM activities WHERE ${condition})`

/**
 * SQL of activities added up by hour, user, kind and name: `WITH base AS (…) SELECT …` with the columns of
 * activity_hours.
 */
export const hourRows = (source: ActivitySource) => sql`
  WITH activity AS MATERIALIZED (
    SELECT ${raw(hourOf)} AS hour, a.* FROM ${source} AS a WHERE a.in_analytics
  ), base AS MATERIALIZED (
    SELECT hour, user_id, kind, ${raw(nameSql)} AS name, outcome, duration_ms, first_token_ms, input_tokens, output_tokens
    FROM activity
    UNION ALL
    -- how long the steps of an uploaded file took together, with all turns of long ones, once they are done
    SELECT hour, activity.user_id, 'ingestion', '', 'completed', steps.took_ms, NULL, NULL, NULL
    FROM activity
    JOIN media_items m ON m.id = activity.subject_id AND m.processing_status = 'completed'
      -- a file that was there already is not processed again
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

/** SQL of the conversations of each hour: hour, user_id, session_id and span_ms. */
export const sessionRows = (source: ActivitySource) => sql`
  SELECT ${raw(hourOf)} AS hour, user_id, subject_id AS session_id,
    least(extract(epoch FROM max(created_at) - min(created_at - make_interval(secs => coalesce(duration_ms, 0) / 1000.0)))
      * 1000, 2000000000)::int AS span_ms
  FROM ${source} AS a WHERE a.in_analytics AND a.kind = 'chat' AND a.subject_id IS NOT NULL
  GROUP BY 1, 2, 3`

/** SQL of the classes that rows `hours` tell of in a column of theirs, added up by columns of `key`. */
const addedClasses = (column: string, key: string) => `
  SELECT ${key}, array_agg(${packSql('class', 'n')} ORDER BY class) AS classes FROM (
    SELECT ${key}, ${countedOfPackedSql('packed')} AS class, sum(${countOfPackedSql('packed')}) AS n
    FROM hours, LATERAL unnest(${column}) AS packed GROUP BY ${key}, class
  ) AS classed GROUP BY ${key}`

/** SQL in brackets that reads rows with columns of activity_hours, or of activity_hour_totals. */
export type HourSource = SqlText

/** SQL of the hours of everybody, with the columns of activity_hour_totals, added up of rows of activity_hours. */
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
    FROM hours WHERE ${raw(isUse)} GROUP BY 1
  ) AS sums
  LEFT JOIN (${raw(addedClasses('duration_classes', 'hour, kind, total_name'))}) AS durations USING (hour, kind, total_name)
  LEFT JOIN (${raw(addedClasses('first_token_classes', 'hour, kind, total_name'))}) AS firsts USING (hour, kind, total_name)`

/** SQL that is true of an hour that figures are made of: uses, how long files took, and (of everybody) all uses together. */
export const isFigure = `(${isUse} OR kind IN ('', 'ingestion'))`

/** SQL of how much was done in an hour of somebody, and in one of everybody, of whom all uses together tell the people. */
export const doneSql = {
  person: 'completed + failed + interrupted',
  all: `CASE kind WHEN '' THEN users ELSE completed + failed + interrupted END`,
}

/** SQL of the conversations of rows with `session_id` and `span_ms`: their ids one after the other, and how long they were used. */
export const sessionSums = `string_agg(uuid_send(session_id), ''::bytea ORDER BY session_id) AS session_ids,
  sum(span_ms)::bigint AS session_ms`

/** Sources of the hours of some days: all uses, and conversations. */
interface DaySource {
  hours: HourSource
  sessions: HourSource
}

const dayRows = ({ hours, sessions }: DaySource, key: string, doneExpression: string) => sql`
  WITH hours AS MATERIALIZED (
    SELECT *, date_trunc('day', hour, 'UTC') AS day FROM ${hours} AS h WHERE ${raw(isFigure)}
  ), by_hour AS (
    SELECT ${raw(key)}, kind, extract(hour FROM hour AT TIME ZONE 'UTC')::int AS hour_of_day,
      sum(${raw(doneExpression)})::int AS done,
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
  LEFT JOIN (${raw(addedClasses('duration_classes', `${key}, kind`))}) AS durations USING (${raw(key)}, kind)
  LEFT JOIN (${raw(addedClasses('first_token_classes', `${key}, kind`))}) AS firsts USING (${raw(key)}, kind)
  LEFT JOIN sessions USING (${raw(key)}, kind)`

/** SQL of the days of people, with the columns of activity_days, added up of hours of theirs. */
export const personDayRows = (source: DaySource) => dayRows(source, 'day, user_id', doneSql.person)

/** SQL of the days of everybody, with the columns of activity_day_totals, added up of rows of activity_hour_totals. */
export const totalDayRows = (source: DaySource) => dayRows(source, 'day', doneSql.all)
