import { advisoryLocks } from '../../../platform/database/advisory-locks.ts'
import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import {
  type ActivitySource,
  activitiesWhere,
  type HourSource,
  hourRows,
  sessionRows,
  totalDayRows,
  totalRows,
  userDayRows,
} from './hour-rows.ts'

/** Maximum hours of single users recomputed per transaction, during which the embedded database responds to no other query. */
const BATCH_MARKS = 50
/** Hours rolled up per step. */
const STEP_HOURS = 24
/** Wait after the end of an hour before it's rolled up: activities are dated at the start of their transaction, which may commit later. */
const GRACE_MINUTES = 5

type Transaction = Prisma.TransactionClient

const hourColumns = raw(`hour, user_id, kind, name, completed, failed, interrupted, duration_ms_sum, duration_count,
  input_tokens, output_tokens, duration_classes, first_token_classes`)
const insertHours = (source: ActivitySource) =>
  sql`INSERT INTO activity_hours (${hourColumns}) SELECT ${hourColumns} FROM (${hourRows(source)}) AS rows`
const insertSessions = (source: ActivitySource) =>
  sql`INSERT INTO activity_session_hours (hour, user_id, session_id, span_ms)
   SELECT hour, user_id, session_id, span_ms FROM (${sessionRows(source)}) AS rows`
const totalColumns = raw(
  'hour, kind, name, users, completed, failed, interrupted, duration_classes, first_token_classes',
)
const insertTotals = (condition: SqlText) =>
  sql`INSERT INTO activity_hour_totals (${totalColumns})
   SELECT ${totalColumns} FROM (${totalRows(sql`(SELECT * FROM activity_hours WHERE ${condition})`)}) AS rows`
const dayColumns = raw(
  'day, kind, hours, completed, failed, duration_classes, first_token_classes, session_ids, session_ms',
)

/** Hours or days with the user of each, as two parallel arrays. */
interface Pairs {
  times: Date[]
  userIds: string[]
}

const pairsSql = ({ times, userIds }: Pairs) => sql`unnest(${times}::timestamptz[], ${userIds}::uuid[])`
const inPairs = (pairs: Pairs) => sql`(hour, user_id) IN (SELECT * FROM ${pairsSql(pairs)})`
/** SQL for the activities of the pairs. With OFFSET 0, each pair reads only its own hour from the index, not all hours of the user. */
const activitiesOfPairs = (pairs: Pairs): ActivitySource => sql`(
  SELECT one.* FROM ${pairsSql(pairs)} AS pair (hour, user_id)
  CROSS JOIN LATERAL (
    SELECT * FROM activities WHERE activities.user_id = pair.user_id
      AND activities.created_at >= pair.hour AND activities.created_at < pair.hour + interval '1 hour' OFFSET 0
  ) AS one)`

const DAY_MS = 24 * 60 * 60 * 1000
const dayOf = (hour: Date) => new Date(Math.floor(hour.getTime() / DAY_MS) * DAY_MS)

/** SQL for a table's hours within certain days. */
type HoursOf = (table: string) => HourSource

/** SQL for the hours within some days. OFFSET 0 as in `activitiesOfPairs`. */
const hoursOfDays =
  (days: Date[]): HoursOf =>
  (table) =>
    sql`(
  SELECT one.* FROM unnest(${days}::timestamptz[]) AS given (day) CROSS JOIN LATERAL (
    SELECT * FROM ${raw(table)} h WHERE h.hour >= given.day AND h.hour < given.day + interval '24 hours' OFFSET 0
  ) AS one)`
const hoursOfUserDays =
  (pairs: Pairs): HoursOf =>
  (table) =>
    sql`(
  SELECT one.* FROM ${pairsSql(pairs)} AS given (day, user_id) CROSS JOIN LATERAL (
    SELECT * FROM ${raw(table)} h WHERE h.user_id = given.user_id
      AND h.hour >= given.day AND h.hour < given.day + interval '24 hours' OFFSET 0
  ) AS one)`

/** SQL that rolls up days of each user. */
const insertDays = (hoursOf: HoursOf) => sql`
  INSERT INTO activity_days (user_id, ${dayColumns}) SELECT user_id, ${dayColumns} FROM (${userDayRows({
    hours: hoursOf('activity_hours'),
    sessions: hoursOf('activity_session_hours'),
  })}) AS rows`
/** SQL that rolls up days of all users together. */
const insertTotalDays = (hoursOf: HoursOf) => sql`
  INSERT INTO activity_day_totals (${dayColumns}) SELECT ${dayColumns} FROM (${totalDayRows({
    hours: hoursOf('activity_hour_totals'),
    sessions: hoursOf('activity_session_hours'),
  })}) AS rows`

/** Recomputes the days that contain the changed hours. */
async function recomputeDays(tx: Transaction, changed: readonly { hour: Date; user_id: string }[]): Promise<void> {
  if (changed.length === 0) return
  const changedDays = changed.map(({ hour, user_id: userId }) => ({ day: dayOf(hour), userId }))
  const distinct = [...new Map(changedDays.map((pair) => [`${pair.day.getTime()} ${pair.userId}`, pair])).values()]
  const pairs = { times: distinct.map(({ day }) => day), userIds: distinct.map(({ userId }) => userId) }
  await tx.$executeRaw`DELETE FROM activity_days WHERE (day, user_id) IN (SELECT * FROM ${pairsSql(pairs)})`
  await tx.$executeRaw(insertDays(hoursOfUserDays(pairs)))
  const days = [...new Set(changedDays.map(({ day }) => day.getTime()))].map((time) => new Date(time))
  await tx.$executeRaw`DELETE FROM activity_day_totals WHERE day = ANY(${days}::timestamptz[])`
  await tx.$executeRaw(insertTotalDays(hoursOfDays(days)))
}

/**
 * Rolls activities up by hour, and hours by day. Each step is a transaction under one lock, so servers take turns, and
 * repeating a step changes nothing.
 */
export function createRollupsStore({ prisma }: { prisma: PrismaClient }) {
  /** Runs work on one server at a time. The setting tells the trigger on activity_hours that deleted rows will be replaced. */
  const withLock = <Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    prisma.$transaction(
      async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.rollups}), set_config('mira.rolls_up', 'on', true)`
        return work(tx)
      },
      { timeout: 60_000, maxWait: 30_000 },
    )

  return {
    /** Time of the oldest change that may not be in the sums yet; null when there is none. */
    async oldestMark(): Promise<Date | null> {
      const [mark] = await prisma.$queryRaw<{ marked_at: Date }[]>`
        SELECT marked_at FROM activity_marks ORDER BY id LIMIT 1`
      return mark?.marked_at ?? null
    },

    /**
     * Recomputes a batch of changed hours and their days.
     * @returns true when there may be more.
     */
    async recomputeMarked(): Promise<boolean> {
      return withLock(async (tx) => {
        type Mark = { hour: Date; user_id: string; is_rolled: boolean; is_kept: boolean; is_of_day: boolean }
        const marks = await tx.$queryRaw<Mark[]>`
          WITH pairs AS MATERIALIZED (
            SELECT DISTINCT hour, user_id FROM (SELECT * FROM activity_marks ORDER BY id LIMIT ${BATCH_MARKS}) AS first
          ), taken AS (
            -- an import marks the same hour once per item
            DELETE FROM activity_marks m USING pairs p WHERE m.hour = p.hour AND m.user_id = p.user_id
          )
          SELECT hour, user_id, coalesce(hour < rolled_until, false) AS is_rolled,
            coalesce(hour >= kept_from, true) AS is_kept, coalesce(hour < days_until, false) AS is_of_day
          FROM pairs LEFT JOIN activity_rollups ON true`
        const rolled = marks.filter(({ is_rolled: isRolled }) => isRolled)
        const keptRows = rolled.filter(({ is_kept: isKept }) => isKept)
        const pairs = {
          times: keptRows.map(({ hour }) => hour),
          userIds: keptRows.map(({ user_id: userId }) => userId),
        }
        if (keptRows.length > 0) {
          await tx.$executeRaw`DELETE FROM activity_hours WHERE ${inPairs(pairs)}`
          await tx.$executeRaw`DELETE FROM activity_session_hours WHERE ${inPairs(pairs)}`
          await tx.$executeRaw(insertHours(activitiesOfPairs(pairs)))
          await tx.$executeRaw(insertSessions(activitiesOfPairs(pairs)))
        }
        const hours = [...new Set(rolled.map(({ hour }) => hour.getTime()))].map((time) => new Date(time))
        if (hours.length > 0) {
          await tx.$executeRaw`DELETE FROM activity_hour_totals WHERE hour = ANY(${hours}::timestamptz[])`
          await tx.$executeRaw(insertTotals(sql`hour = ANY(${hours}::timestamptz[])`))
        }
        await recomputeDays(
          tx,
          rolled.filter(({ is_of_day: isOfDay }) => isOfDay),
        )
        return marks.length > 0
      })
    },

    /**
     * Rolls up the next finished hours, from the first activity on.
     * @returns true when there may be more.
     */
    async advance(): Promise<boolean> {
      return withLock(async (tx) => {
        const [range] = await tx.$queryRaw<{ begin: Date; end: Date; is_last: boolean }[]>`
          WITH target AS (
            SELECT date_trunc('hour', now() - make_interval(mins => ${GRACE_MINUTES}::int), 'UTC') AS hour
          ), done AS (SELECT max(rolled_until) AS hour FROM activity_rollups),
          first AS (
            SELECT least(target.hour, coalesce((
              SELECT date_trunc('hour', min(created_at), 'UTC') FROM activities
              WHERE created_at >= coalesce(done.hour, '-infinity')
            ), target.hour)) AS hour FROM target, done
          )
          SELECT first.hour AS begin, least(first.hour + make_interval(hours => ${STEP_HOURS}::int), target.hour) AS "end",
            first.hour + make_interval(hours => ${STEP_HOURS}::int) >= target.hour AS is_last
          FROM first, target, done WHERE done.hour IS NULL OR done.hour < target.hour`
        if (range === undefined) return false
        const { begin, end, is_last: isLast } = range
        if (begin < end) {
          const inRange = sql`hour >= ${begin} AND hour < ${end}`
          const activitiesOfRange = activitiesWhere(sql`created_at >= ${begin} AND created_at < ${end}`)
          await tx.$executeRaw`DELETE FROM activity_hours WHERE ${inRange}`
          await tx.$executeRaw`DELETE FROM activity_session_hours WHERE ${inRange}`
          await tx.$executeRaw`DELETE FROM activity_hour_totals WHERE ${inRange}`
          await tx.$executeRaw(insertHours(activitiesOfRange))
          await tx.$executeRaw(insertSessions(activitiesOfRange))
          await tx.$executeRaw(insertTotals(inRange))
        }
        await tx.$executeRaw`INSERT INTO activity_rollups (id, rolled_until) VALUES (1, ${end})
          ON CONFLICT (id) DO UPDATE SET rolled_until = excluded.rolled_until`
        return !isLast
      })
    },

    /**
     * Rolls up the next day whose hours are all rolled up.
     * @returns true when there may be more.
     */
    async advanceDays(): Promise<boolean> {
      return withLock(async (tx) => {
        const [step] = await tx.$queryRaw<{ begin: Date; end: Date; is_last: boolean }[]>`
          WITH reached AS (
            SELECT days_until, date_trunc('day', rolled_until, 'UTC') AS target FROM activity_rollups
          ), first AS (
            SELECT least(target, (
              SELECT date_trunc('day', min(hour), 'UTC') FROM activity_hours WHERE hour >= coalesce(days_until, '-infinity')
            )) AS day FROM reached
          )
          SELECT day AS begin, least(day + interval '24 hours', target) AS "end", day + interval '24 hours' >= target AS is_last
          FROM first, reached WHERE days_until IS NULL OR days_until < target`
        if (step === undefined) return false
        const { begin, end, is_last: isLast } = step
        if (begin < end) {
          const inRange: HoursOf = (table) =>
            sql`(SELECT * FROM ${raw(table)} WHERE hour >= ${begin} AND hour < ${end})`
          await tx.$executeRaw(insertDays(inRange))
          await tx.$executeRaw(insertTotalDays(inRange))
        }
        await tx.$executeRaw`UPDATE activity_rollups SET days_until = ${end}`
        return !isLast
      })
    },

    /** Records that activities older than `days` may be removed: hours before that time are never recomputed. */
    async keepFrom(days: number): Promise<void> {
      await withLock(
        (tx) => tx.$executeRaw`UPDATE activity_rollups SET kept_from = greatest(kept_from,
          least(rolled_until, date_trunc('hour', now() - make_interval(days => ${days}::int), 'UTC')))`,
      )
    },
  }
}

export type RollupsStore = ReturnType<typeof createRollupsStore>
