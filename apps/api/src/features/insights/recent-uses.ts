import { Prisma } from '../../db/generated/client.ts'
import { isUse, useKinds } from './hour-rows.ts'

/**
 * SQL of what a person did after `since`, of the kinds that are uses: rows of `at`, `kind`, `completed`, `failed` and
 * `interrupted`. Whole hours come from their sums, with the begin of the hour as their time; nothing is late and nothing is counted
 * twice, because what the sums do not tell is read from the activities: hours that are not added up yet or changed since, those
 * whose activities were removed for their age, what stays out of analytics, and the hours that a time of `cuts` falls into.
 * @param cuts times between which the rows are told apart; `since` is one of them.
 */
export function recentUses(userId: string, since: Date, cuts: Date[]): Prisma.Sql {
  const isOwn = Prisma.sql`a.user_id = ${userId}::uuid AND a.created_at > ${since}
    AND a.kind = ANY(${[...useKinds]}) AND a.detail->>'action' IS DISTINCT FROM 'opened'`
  return Prisma.sql`
    WITH summed AS MATERIALIZED (
      SELECT coalesce(max(kept_from), '-infinity') AS since, coalesce(max(rolled_until), '-infinity') AS until
      FROM activity_rollups
    ), apart AS MATERIALIZED (
      SELECT hour FROM (
        SELECT date_trunc('hour', cut, 'UTC') AS hour FROM unnest(${cuts}::timestamptz[]) AS cut
        UNION
        SELECT hour FROM activity_marks WHERE user_id = ${userId}::uuid AND hour > ${since}
      ) AS hours, summed WHERE hour >= summed.since AND hour < summed.until
    ), single AS (
      SELECT a.* FROM activities a, summed WHERE ${isOwn} AND a.created_at >= summed.until
      UNION ALL
      SELECT a.* FROM activities a, summed WHERE ${isOwn} AND a.created_at < least(summed.since, summed.until)
      UNION ALL
      SELECT a.* FROM apart CROSS JOIN LATERAL (
        SELECT * FROM activities a WHERE ${isOwn}
          AND a.created_at >= apart.hour AND a.created_at < apart.hour + interval '1 hour' OFFSET 0
      ) a
      UNION ALL
      SELECT a.* FROM activities a, summed WHERE ${isOwn} AND NOT a.in_analytics
        AND a.created_at >= summed.since AND a.created_at < summed.until
        AND date_trunc('hour', a.created_at, 'UTC') NOT IN (SELECT hour FROM apart)
    )
    SELECT created_at AS at, kind, (outcome = 'completed')::int AS completed, (outcome = 'failed')::int AS failed,
      (outcome = 'interrupted')::int AS interrupted FROM single
    UNION ALL
    SELECT hour, kind, completed, failed, interrupted FROM activity_hours, summed
    WHERE user_id = ${userId}::uuid AND hour > ${since} AND hour >= summed.since AND hour < summed.until
      AND hour NOT IN (SELECT hour FROM apart) AND ${Prisma.raw(isUse)}`
}
