import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/** Figures of a week. */
interface WeekFigures {
  active_users: number
  messages: number
  sessions: number
  uploads: number
  searches: number
  opened: number
  agent_calls: number
  effects: number
  completed: number
  failed: number
}

/** Stored figures; titles are joined when they're read, so that deleted items aren't named. */
export interface StoredFigures extends WeekFigures {
  previous: WeekFigures
  /** Time of counting (ISO 8601) of an unfinished week; `previous` then covers the same part of the week before. */
  until?: string
  /** Agent that was called most. */
  top_agent: string | null
  /** `YYYY-MM-DD`; null for a week without activity. */
  busiest_day: string | null
  asked_ids: string[]
  added_ids: string[]
  found_ids: string[]
}

export interface SummaryRow {
  id: string
  /** `YYYY-MM-DD`. */
  weekStart: string
  figures: StoredFigures
  summaryText: string
  engine: string
  generatedAt: Date
}

/** A week of a user, or of the instance when `userId` is null. */
export interface Week {
  userId: string | null
  start: Date
  end: Date
  timeZone: string
}

export type WeekSummariesStore = ReturnType<typeof createWeekSummariesStore>

/**
 * SQL condition for activities in a week. Activities that users keep out of analytics count in their own summaries, never in
 * the instance's.
 */
const inWeek = ({ userId, start, end }: Pick<Week, 'userId' | 'start' | 'end'>) =>
  sql`activities.created_at >= ${start} AND activities.created_at < ${end}
    AND ${userId === null ? sql`activities.in_analytics` : sql`activities.user_id = ${userId}`}`
const isRequest = raw(
  `kind IN ('chat', 'upload', 'search', 'agent', 'effect') AND detail->>'action' IS DISTINCT FROM 'opened'`,
)

/** Counts of activities by week, and rows of summaries. */
export function createWeekSummariesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async count(week: Pick<Week, 'userId' | 'start' | 'end'>): Promise<WeekFigures> {
      const { rows } = await pool.query<WeekFigures>(
        sql`SELECT count(DISTINCT user_id) FILTER (WHERE ${isRequest})::int AS active_users,
           count(*) FILTER (WHERE kind = 'chat')::int AS messages,
           count(DISTINCT subject_id) FILTER (WHERE kind = 'chat')::int AS sessions,
           count(*) FILTER (WHERE kind = 'upload')::int AS uploads,
           count(*) FILTER (WHERE kind = 'search' AND detail->>'action' IS DISTINCT FROM 'opened')::int AS searches,
           count(*) FILTER (WHERE kind = 'search' AND detail->>'action' = 'opened')::int AS opened,
           count(*) FILTER (WHERE kind = 'agent')::int AS agent_calls,
           count(*) FILTER (WHERE kind = 'effect')::int AS effects,
           count(*) FILTER (WHERE ${isRequest} AND outcome = 'completed')::int AS completed,
           count(*) FILTER (WHERE ${isRequest} AND outcome = 'failed')::int AS failed
         FROM activities WHERE ${inWeek(week)}`,
      )
      const [figures] = rows
      if (figures === undefined) throw new Error('a week could not be counted')
      return figures
    },

    /** Highlights of a week, with at most `limit` ids of each kind. */
    async highlights(
      week: Week,
      limit: number,
    ): Promise<Pick<StoredFigures, 'top_agent' | 'busiest_day' | 'asked_ids' | 'added_ids' | 'found_ids'>> {
      const topSubjectIds = (condition: SqlText) =>
        week.userId === null
          ? sql`ARRAY[]::uuid[]`
          : sql`ARRAY(SELECT subject_id FROM activities
              WHERE ${inWeek(week)} AND subject_id IS NOT NULL AND ${condition}
              GROUP BY subject_id ORDER BY count(*) DESC, max(created_at) DESC LIMIT ${limit})`
      const { rows } = await pool.query<
        Pick<StoredFigures, 'top_agent' | 'busiest_day' | 'asked_ids' | 'added_ids' | 'found_ids'>
      >(
        sql`SELECT
           (SELECT detail->>'agent' FROM activities WHERE kind = 'agent' AND ${inWeek(week)}
             GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS top_agent,
           (SELECT to_char(created_at AT TIME ZONE ${week.timeZone}, 'YYYY-MM-DD') FROM activities
             WHERE ${inWeek(week)} AND ${isRequest}
             GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS busiest_day,
           ${topSubjectIds(sql`kind = 'chat'`)} AS asked_ids,
           ${topSubjectIds(sql`kind = 'upload'`)} AS added_ids,
           ${topSubjectIds(sql`kind = 'search' AND detail->>'action' = 'opened'`)} AS found_ids`,
      )
      const [highlights] = rows
      if (highlights === undefined) throw new Error('the highlights of a week could not be read')
      return highlights
    },

    /** Active accounts with activities in a week, by id. */
    async activeUsers(start: Date, end: Date): Promise<{ id: string; language: string }[]> {
      const { rows } = await pool.query<{ id: string; language: string }>(
        sql`SELECT id, language FROM users WHERE is_active AND EXISTS (
           SELECT FROM activities a WHERE a.user_id = users.id AND a.created_at >= ${start} AND a.created_at < ${end}
             AND ${isRequest})
         ORDER BY id`,
      )
      return rows
    },

    /** Ids of users with a summary of the whole week, and `instance` if the instance has one. */
    async ownersOf(weekStart: string): Promise<Set<string>> {
      const { rows } = await pool.query<{ owner: string }>(
        sql`SELECT coalesce(user_id::text, 'instance') AS owner FROM weekly_summaries
         WHERE week_start = ${weekStart}::date AND figures->>'until' IS NULL`,
      )
      return new Set(rows.map(({ owner }) => owner))
    },

    /**
     * Stores a summary, replacing one of the week so far.
     * @returns `kept` when a summary of the whole week already exists, or the user is gone.
     */
    async add(
      week: Week & { weekStart: string },
      summary: { figures: StoredFigures; text: string; insights: string[]; engine: string; model: string | null },
    ): Promise<'new' | 'replaced' | 'kept'> {
      const owner =
        week.userId === null
          ? sql`(week_start) WHERE user_id IS NULL`
          : sql`(user_id, week_start) WHERE user_id IS NOT NULL`
      const id = newId()
      const { rows } = await pool.query<{ isNew: boolean }>(
        sql`INSERT INTO weekly_summaries (id, user_id, week_start, time_zone, figures, summary_text, insights, engine, model)
         SELECT ${id}::uuid, ${week.userId}::uuid, ${week.weekStart}::date, ${week.timeZone},
           ${JSON.stringify(summary.figures)}::jsonb, ${summary.text}, ${JSON.stringify(summary.insights)}::jsonb,
           ${summary.engine}, ${summary.model}
         WHERE ${week.userId}::uuid IS NULL OR EXISTS (SELECT FROM users WHERE id = ${week.userId}::uuid)
         ON CONFLICT ${owner} DO UPDATE SET time_zone = excluded.time_zone, figures = excluded.figures,
           summary_text = excluded.summary_text, insights = excluded.insights, engine = excluded.engine,
           model = excluded.model, generated_at = now()
         WHERE weekly_summaries.figures->>'until' IS NOT NULL
         RETURNING id = ${id}::uuid AS "isNew"`,
      )
      const [row] = rows
      return row === undefined ? 'kept' : row.isNew ? 'new' : 'replaced'
    },

    async list(userId: string | null, limit: number): Promise<SummaryRow[]> {
      const { rows } = await pool.query<SummaryRow>(
        sql`SELECT id, to_char(week_start, 'YYYY-MM-DD') AS "weekStart", figures, summary_text AS "summaryText", engine,
           generated_at AS "generatedAt"
         FROM weekly_summaries WHERE user_id IS NOT DISTINCT FROM ${userId}::uuid ORDER BY week_start DESC LIMIT ${limit}`,
      )
      return rows
    },

    /** Titles of the user's existing conversations and items, by id. */
    async titles(userId: string, ids: string[]): Promise<Map<string, string>> {
      const { rows } = await pool.query<{ id: string; title: string }>(
        sql`SELECT id, session_name AS title FROM chat_sessions WHERE user_id = ${userId} AND id = ANY(${ids}::uuid[])
         UNION ALL
         SELECT id, original_filename FROM media_items WHERE user_id = ${userId} AND id = ANY(${ids}::uuid[])`,
      )
      return new Map(rows.map(({ id, title }) => [id, title]))
    },
  }
}
