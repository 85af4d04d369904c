import { raw, sql } from '../../../platform/database/sql.ts'
import { addedClasses, type HourSource, isUse } from './hour-rows.ts'
import { packSql } from './packed-counts.ts'

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
export interface DaySource {
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
