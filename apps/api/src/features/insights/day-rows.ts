import { addedClasses, type HourSource, isUse } from './hour-rows.ts'
import { packSql } from './packed-counts.ts'

/** SQL that is true of an hour that figures are made of: uses, how long files took, and (of everybody) all uses together. */
export const isFigure = `(${isUse} OR kind IN ('', 'ingestion'))`

/** SQL of how much was done in an hour of somebody, and in one of everybody, of whom all uses together tell the people. */
export const doneSql = {
  person: 'completed + failed + interrupted',
  all: `CASE kind WHEN '' THEN users ELSE completed + failed + interrupted END`,
}

const dayRows = (source: HourSource, key: string, done: string) => `
  WITH hours AS MATERIALIZED (
    SELECT *, date_trunc('day', hour, 'UTC') AS day FROM ${source} AS h WHERE ${isFigure}
  ), by_hour AS (
    SELECT ${key}, extract(hour FROM hour AT TIME ZONE 'UTC')::int AS hour_of_day, sum(${done})::int AS done,
      sum(completed)::int AS completed, sum(failed)::int AS failed
    FROM hours GROUP BY ${key}, hour_of_day
  )
  SELECT sums.*, coalesce(durations.classes, '{}') AS duration_classes, coalesce(firsts.classes, '{}') AS first_token_classes
  FROM (
    SELECT ${key}, array_agg(${packSql('hour_of_day', 'done')} ORDER BY hour_of_day) AS hours,
      sum(completed)::int AS completed, sum(failed)::int AS failed
    FROM by_hour GROUP BY ${key}
  ) AS sums
  LEFT JOIN (${addedClasses('duration_classes', key)}) AS durations USING (${key})
  LEFT JOIN (${addedClasses('first_token_classes', key)}) AS firsts USING (${key})`

/** SQL of the days of people, with the columns of activity_days, added up of rows of activity_hours. */
export const personDayRows = (source: HourSource) => dayRows(source, 'day, user_id, kind', doneSql.person)

/** SQL of the days of everybody, with the columns of activity_day_totals, added up of rows of activity_hour_totals. */
export const totalDayRows = (source: HourSource) => dayRows(source, 'day, kind', doneSql.all)
