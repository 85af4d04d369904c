import type { ActivityKind, CodedSentence } from '@mira/shared'
import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import { say } from '../../../sentences.ts'
import { readOffsiteMark } from '../backups/offsite-mark.ts'
import { useCondition, useKinds } from './hour-rows.ts'

/**
 * SQL for a user's uses after `since`: rows of `at`, `kind`, `completed`, `failed` and `interrupted`. Whole hours come from
 * the rollups, dated at their start. Activities are read for everything else, so that nothing is missed or counted twice: hours
 * that aren't rolled up yet or have changed since; hours so old that activities may have been removed; uses kept out of
 * analytics; and hours that contain a time of `cuts`.
 * @param cuts boundaries of the periods that the rows are counted in; `since` is one of them.
 */
function recentUses(userId: string, since: Date, cuts: Date[]): Prisma.Sql {
  const ownUseCondition = Prisma.sql`a.user_id = ${userId}::uuid AND a.created_at > ${since}
    AND a.kind = ANY(${[...useKinds]}) AND a.detail->>'action' IS DISTINCT FROM 'opened'`
  return Prisma.sql`
    WITH summed AS MATERIALIZED (
      SELECT coalesce(max(kept_from), '-infinity') AS since, coalesce(max(rolled_until), '-infinity') AS until
      FROM activity_rollups
    ), live_hours AS MATERIALIZED (
      SELECT hour FROM (
        SELECT date_trunc('hour', cut, 'UTC') AS hour FROM unnest(${cuts}::timestamptz[]) AS cut
        UNION
        SELECT hour FROM activity_marks WHERE user_id = ${userId}::uuid AND hour > ${since}
      ) AS hours, summed WHERE hour >= summed.since AND hour < summed.until
    ), live AS (
      SELECT a.* FROM activities a, summed WHERE ${ownUseCondition} AND a.created_at >= summed.until
      UNION ALL
      SELECT a.* FROM activities a, summed WHERE ${ownUseCondition} AND a.created_at < least(summed.since, summed.until)
      UNION ALL
      SELECT a.* FROM live_hours CROSS JOIN LATERAL (
        SELECT * FROM activities a WHERE ${ownUseCondition}
          AND a.created_at >= live_hours.hour AND a.created_at < live_hours.hour + interval '1 hour' OFFSET 0
      ) a
      UNION ALL
      SELECT a.* FROM activities a, summed WHERE ${ownUseCondition} AND NOT a.in_analytics
        AND a.created_at >= summed.since AND a.created_at < summed.until
        AND date_trunc('hour', a.created_at, 'UTC') NOT IN (SELECT hour FROM live_hours)
    )
    SELECT created_at AS at, kind, (outcome = 'completed')::int AS completed, (outcome = 'failed')::int AS failed,
      (outcome = 'interrupted')::int AS interrupted FROM live
    UNION ALL
    SELECT hour, kind, completed, failed, interrupted FROM activity_hours, summed
    WHERE user_id = ${userId}::uuid AND hour > ${since} AND hour >= summed.since AND hour < summed.until
      AND hour NOT IN (SELECT hour FROM live_hours) AND ${Prisma.raw(useCondition)}`
}

/** Counts in total, in the last 7 days (`recent`), and in the 7 days before (`previous`). */
export interface PeriodCounts {
  total: number
  recent: number
  previous: number
}

/** Requests of a period by outcome, without interrupted ones. */
export interface RequestOutcomes {
  completed: number
  failed: number
}

interface OverviewFigures {
  accountCreatedAt: Date
  chatSessions: PeriodCounts
  agentCalls: PeriodCounts
  requests: { month: RequestOutcomes; recent: RequestOutcomes; previous: RequestOutcomes }
}

/** An activity with its subject, if that still exists. */
export interface ActivityRow {
  id: string
  kind: ActivityKind
  outcome: 'completed' | 'failed' | 'interrupted'
  detail: Record<string, unknown>
  createdAt: Date
  session: { id: string; name: string } | null
  mediaItem: { id: string; name: string } | null
  /** Name of the account or API token that the activity is about; null for other subjects. */
  subjectName: string | null
}

interface OverviewRow {
  account_created_at: Date
  sessions_total: number
  sessions_recent: number
  sessions_previous: number
  agents_total: number
  agents_recent: number
  agents_previous: number
  completed_month: number
  failed_month: number
  completed_recent: number
  failed_recent: number
  completed_previous: number
  failed_previous: number
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const MONTH_MS = 30 * 24 * 60 * 60 * 1000

/** A problem shown to users, as English text and as codes for translation. */
interface Problem {
  at: Date
  reason: string
  told: CodedSentence[]
}

/** Reads figures from sessions and activities; every query is about one user. */
export function createInsightsStore({
  prisma,
}: {
  prisma: Pick<PrismaClient, '$queryRaw' | 'setting' | 'backup' | 'damagedFile'>
}) {
  return {
    /** Figures of the overview at `now`, from one query; null when there is no such user. */
    async overview(userId: string, now: Date): Promise<OverviewFigures | null> {
      const weekAgo = new Date(now.getTime() - WEEK_MS)
      const twoWeeksAgo = new Date(now.getTime() - 2 * WEEK_MS)
      const monthAgo = new Date(now.getTime() - MONTH_MS)
      const recentCondition = (at: string) => Prisma.sql`${Prisma.raw(at)} > ${weekAgo}`
      const previousCondition = (at: string) =>
        Prisma.sql`${Prisma.raw(at)} > ${twoWeeksAgo} AND ${Prisma.raw(at)} <= ${weekAgo}`
      const agentCalls = Prisma.sql`CASE WHEN kind = 'agent' THEN completed + failed + interrupted END`
      const sum = (counts: Prisma.Sql, isCounted: Prisma.Sql) =>
        Prisma.sql`coalesce(sum(${counts}) FILTER (WHERE ${isCounted}), 0)::int`
      const [row] = await prisma.$queryRaw<OverviewRow[]>`
        SELECT users.created_at AS account_created_at, sessions.*, agents.*, done.*
        FROM users,
          LATERAL (
            SELECT coalesce((
                SELECT count FROM person_counts WHERE user_id = users.id AND subject = 'conversation'
              ), 0)::int AS sessions_total,
              count(*) FILTER (WHERE ${recentCondition('created_at')})::int AS sessions_recent,
              count(*) FILTER (WHERE ${previousCondition('created_at')})::int AS sessions_previous
            FROM chat_sessions WHERE user_id = users.id AND created_at > ${twoWeeksAgo}
          ) AS sessions,
          LATERAL (
            -- counted in a partial index, without reading all activities
            SELECT count(*)::int AS agents_total FROM activities WHERE user_id = users.id AND kind = 'agent'
          ) AS agents,
          LATERAL (
            SELECT ${sum(agentCalls, recentCondition('at'))} AS agents_recent,
              ${sum(agentCalls, previousCondition('at'))} AS agents_previous,
              coalesce(sum(completed), 0)::int AS completed_month, coalesce(sum(failed), 0)::int AS failed_month,
              ${sum(Prisma.sql`completed`, recentCondition('at'))} AS completed_recent,
              ${sum(Prisma.sql`failed`, recentCondition('at'))} AS failed_recent,
              ${sum(Prisma.sql`completed`, previousCondition('at'))} AS completed_previous,
              ${sum(Prisma.sql`failed`, previousCondition('at'))} AS failed_previous
            FROM (${recentUses(userId, monthAgo, [weekAgo, twoWeeksAgo, monthAgo])}) AS uses
          ) AS done
        WHERE users.id = ${userId}::uuid`
      if (row === undefined) return null
      return {
        accountCreatedAt: row.account_created_at,
        chatSessions: { total: row.sessions_total, recent: row.sessions_recent, previous: row.sessions_previous },
        agentCalls: { total: row.agents_total, recent: row.agents_recent, previous: row.agents_previous },
        requests: {
          month: { completed: row.completed_month, failed: row.failed_month },
          recent: { completed: row.completed_recent, failed: row.failed_recent },
          previous: { completed: row.completed_previous, failed: row.failed_previous },
        },
      }
    },

    /** The user's latest activities, newest first, with the names of subjects that still exist. */
    async recentActivity(userId: string, limit: number): Promise<ActivityRow[]> {
      const rows = await prisma.$queryRaw<
        {
          id: string
          kind: ActivityKind
          outcome: ActivityRow['outcome']
          detail: Record<string, unknown>
          created_at: Date
          session_id: string | null
          session_name: string | null
          media_id: string | null
          media_name: string | null
          subject_name: string | null
        }[]
      >`
        SELECT activities.id, activities.kind, activities.outcome, activities.detail, activities.created_at,
          chat_sessions.id AS session_id, chat_sessions.session_name,
          media_items.id AS media_id, media_items.original_filename AS media_name,
          coalesce(subjects.username, api_tokens.name) AS subject_name
        FROM activities
        LEFT JOIN chat_sessions ON chat_sessions.id = activities.subject_id AND chat_sessions.user_id = activities.user_id
        LEFT JOIN media_items ON media_items.id = activities.subject_id AND media_items.user_id = activities.user_id
        LEFT JOIN api_tokens ON api_tokens.id = activities.subject_id AND api_tokens.user_id = activities.user_id
        LEFT JOIN users AS subjects ON subjects.id = activities.subject_id AND activities.kind = 'account'
        WHERE activities.user_id = ${userId}::uuid
        ORDER BY activities.created_at DESC, activities.id DESC
        LIMIT ${limit}`
      return rows.map(({ created_at, session_id, session_name, media_id, media_name, subject_name, ...activity }) => ({
        ...activity,
        createdAt: created_at,
        session: session_id === null ? null : { id: session_id, name: session_name ?? '' },
        mediaItem: media_id === null ? null : { id: media_id, name: media_name ?? '' },
        subjectName: subject_name,
      }))
    },

    /** End of the last backup; null when there was none. */
    async lastBackupAt(): Promise<Date | null> {
      const setting = await prisma.setting.findUnique({ where: { key: 'last_backup_at' } })
      return typeof setting?.value === 'string' ? new Date(setting.value) : null
    },

    /** The last failed backup, unless a later one succeeded. */
    async failedBackup(): Promise<Problem | null> {
      const failed = await prisma.backup.findFirst({
        where: { state: 'failed', createdAt: { lte: new Date() } },
        orderBy: { createdAt: 'desc' },
        select: { finishedAt: true, createdAt: true, error: true, errorSentences: true },
      })
      if (failed === null) return null
      const at = failed.finishedAt ?? failed.createdAt
      const setting = await prisma.setting.findUnique({ where: { key: 'last_backup_at' } })
      const succeededAt = typeof setting?.value === 'string' ? new Date(setting.value) : null
      // A success dated in the future, by a wrong clock, doesn't hide a failure.
      if (succeededAt !== null && succeededAt > at && succeededAt <= new Date()) return null
      return { at, reason: failed.error ?? '', told: failed.errorSentences as unknown as CodedSentence[] }
    },

    /** Time of the last successful trial restore. */
    async lastTrialRestoreAt(): Promise<Date | null> {
      const setting = await prisma.setting.findUnique({ where: { key: 'last_proven_restore_at' } })
      return typeof setting?.value === 'string' ? new Date(setting.value) : null
    },

    /** Problems that could prevent a complete restore: of the newest backup, of stored files, and of off-site copies. */
    async backupWarnings(offsiteAddress: string): Promise<Problem[]> {
      const [newest, damaged, offsite] = await Promise.all([
        prisma.backup.findFirst({
          where: { state: 'completed', isCreatedHere: true, reason: { not: 'update' }, createdAt: { lte: new Date() } },
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          select: {
            createdAt: true,
            problems: true,
            trialRestoreFailedAt: true,
            trialRestoreError: true,
            trialRestoreErrorSentences: true,
          },
        }),
        prisma.damagedFile.aggregate({ where: { repairedAt: null }, _count: true, _max: { foundAt: true } }),
        readOffsiteMark({ prisma }, offsiteAddress),
      ])
      const warnings: Problem[] = []
      if (newest !== null && newest.problems > 0) {
        const { text, sentences } = say('backup_lacks_files', { count: newest.problems })
        warnings.push({ at: newest.createdAt, reason: text, told: sentences })
      }
      if (newest?.trialRestoreFailedAt) {
        const sentences = newest.trialRestoreErrorSentences as unknown as CodedSentence[]
        warnings.push({ at: newest.trialRestoreFailedAt, reason: newest.trialRestoreError ?? '', told: sentences })
      }
      const { _count: count, _max: latest } = damaged
      if (latest.foundAt !== null) {
        const { text, sentences } = say('files_damaged', { count })
        warnings.push({ at: latest.foundAt, reason: text, told: sentences })
      }
      if (offsite?.failed) warnings.push({ ...offsite.failed, at: new Date(offsite.failed.at) })
      return warnings
    },
  }
}

export type InsightsStore = ReturnType<typeof createInsightsStore>
