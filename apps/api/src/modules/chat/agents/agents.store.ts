import type { agentRunOrigins } from '@mira/shared'
import { type ActivityRecord, insertActivitySql } from '../../../platform/database/activity.ts'
import { visibleRunColumns } from '../../../platform/database/agent-runs.ts'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'
import { storable, storableJson } from '../../../platform/lib/storable.ts'

/** Last response of a public source. */
export interface SourceResponse {
  key: string
  value: unknown
  fetchedAt: Date
}

export type SourceResponsesStore = ReturnType<typeof createSourceResponsesStore>

/** Caches responses of public sources for all users; they contain nothing that a user wrote. */
export function createSourceResponsesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async find(keys: string[]): Promise<SourceResponse[]> {
      const { rows } = await pool.query<SourceResponse>(
        sql`SELECT key, value, fetched_at AS "fetchedAt" FROM source_answers WHERE key = ANY(${keys}::text[])`,
      )
      return rows
    },

    /** Newest cached response whose key has the prefix and whose `names` contain the name; null when there is none. */
    async findNamed(prefix: string, name: string): Promise<SourceResponse | null> {
      const { rows } = await pool.query<SourceResponse>(
        sql`SELECT key, value, fetched_at AS "fetchedAt" FROM source_answers
         WHERE starts_with(key, ${prefix}) AND value->'names' ? ${name} ORDER BY fetched_at DESC LIMIT 1`,
      )
      return rows[0] ?? null
    },

    async save({ key, value, fetchedAt }: SourceResponse): Promise<void> {
      const text = JSON.stringify(value, (_key, item) =>
        typeof item === 'string' ? item.replaceAll('\0', '').toWellFormed() : item,
      )
      await pool.query(
        sql`INSERT INTO source_answers (key, value, fetched_at) VALUES (${key}, ${text}::jsonb, ${fetchedAt})
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, fetched_at = excluded.fetched_at
         WHERE source_answers.fetched_at < excluded.fetched_at OR source_answers.fetched_at > now()`,
      )
    },
  }
}

/** Call counts by outcome; `total` includes interrupted calls. */
interface CallCounts {
  completed: number
  failed: number
  total: number
}

/** A call in its caller's history. */
export interface RunRecord {
  id: string
  agentName: string
  input: string
  output: string
  /** Empty when the call failed. */
  data: object
  outcome: 'completed' | 'failed' | 'interrupted'
  durationMs: number
  origin: (typeof agentRunOrigins)[number]
  /** Conversation of the call; undefined outside of conversations. */
  sessionId: string | undefined
}

export interface AgentRunRow extends Omit<RunRecord, 'sessionId'> {
  createdAt: Date
}

/** Call figures of one agent. */
export interface AgentFigures extends CallCounts {
  name: string
  /** Mean duration of completed calls; null when there were none. */
  averageMs: number | null
  /** Completed calls among the newest calls that weren't interrupted (`recentEnded`). */
  recentCompleted: number
  recentEnded: number
  lastUsed: Date | null
}

export type AgentsStore = ReturnType<typeof createAgentsStore>

/** Number of latest calls that an agent's status depends on. */
const RECENT_CALLS = 20
/** Maximum age of calls that indicate an agent's current health. */
const HEALTH_DAYS = 7
const HEALTH_CALLS = 1000

const visibleRun = visibleRunColumns('r')
const runColumns = `id, agent_name AS "agentName", input, ${visibleRun.output} AS output, ${visibleRun.data} AS data, outcome,
  duration_ms AS "durationMs", origin, created_at AS "createdAt"`

/** Stores agents' calls: each caller's history, and figures of outcomes. */
export function createAgentsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Stores a call in the history and as an activity, atomically; only as an activity if its conversation was deleted. */
    async record(activity: ActivityRecord, run: RunRecord): Promise<void> {
      const { userId } = activity
      const { sessionId = null } = run
      await pool.query(
        sql`WITH stored AS (
           INSERT INTO agent_runs (id, user_id, agent_name, input, output, data, outcome, duration_ms, origin, session_id)
           SELECT ${run.id}::uuid, ${userId}::uuid, ${run.agentName}, ${storable(run.input)}, ${storable(run.output)},
             ${JSON.stringify(storableJson(run.data))}::jsonb, ${run.outcome}, ${run.durationMs}, ${run.origin},
             ${sessionId}::uuid
           WHERE ${sessionId}::uuid IS NULL
             OR EXISTS (SELECT FROM chat_sessions WHERE id = ${sessionId}::uuid AND user_id = ${userId}::uuid)
         )
         ${insertActivitySql(activity)}`,
      )
    },

    /** A user's calls of an agent, newest first. @param after position of the previous page's last call */
    async findRuns(
      userId: string,
      agentName: string,
      limit: number,
      after: TimePosition | null,
    ): Promise<AgentRunRow[]> {
      const { rows } = await pool.query<AgentRunRow>(
        sql`SELECT ${raw(runColumns)} FROM agent_runs r WHERE user_id = ${userId} AND agent_name = ${agentName}
           AND (${after?.createdAt ?? null}::timestamptz IS NULL
             OR (created_at, id) < (${after?.createdAt ?? null}::timestamptz, ${after?.id ?? null}::uuid))
         ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      )
      return rows
    },

    /** @returns false when the user has no such call. */
    async deleteRun(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query(sql`DELETE FROM agent_runs WHERE user_id = ${userId} AND id = ${id}`)
      return rowCount === 1
    },

    /** @returns the number of deleted calls. */
    async deleteRuns(userId: string, agentName: string): Promise<number> {
      const { rowCount } = await pool.query(
        sql`DELETE FROM agent_runs WHERE user_id = ${userId} AND agent_name = ${agentName}`,
      )
      return rowCount ?? 0
    },

    /** Counts all users' calls, except those excluded from analytics. */
    async countCalls(): Promise<CallCounts> {
      const { rows } = await pool.query<CallCounts>(
        `SELECT count(*)::int AS total, (count(*) FILTER (WHERE outcome = 'completed'))::int AS completed,
           (count(*) FILTER (WHERE outcome = 'failed'))::int AS failed
         FROM activities WHERE kind = 'agent' AND in_analytics`,
      )
      return rows[0] ?? { completed: 0, failed: 0, total: 0 }
    },

    /** Outcomes of all users' latest calls of each agent, among at most `HEALTH_CALLS` calls of the last `HEALTH_DAYS` days. */
    async recentOutcomes(): Promise<Pick<AgentFigures, 'name' | 'recentCompleted' | 'recentEnded'>[]> {
      const { rows } = await pool.query<Pick<AgentFigures, 'name' | 'recentCompleted' | 'recentEnded'>>(
        `WITH newest AS (
           SELECT detail->>'agent' AS name, outcome, created_at, id FROM activities
           WHERE kind = 'agent' AND in_analytics AND outcome <> 'interrupted'
             AND created_at > now() - make_interval(days => ${HEALTH_DAYS})
           ORDER BY created_at DESC LIMIT ${HEALTH_CALLS}
         ), ranked AS (
           SELECT *, row_number() OVER (PARTITION BY name ORDER BY created_at DESC, id DESC) AS rank FROM newest
         )
         SELECT name, (count(*) FILTER (WHERE outcome = 'completed'))::int AS "recentCompleted",
           count(*)::int AS "recentEnded"
         FROM ranked WHERE name IS NOT NULL AND rank <= ${RECENT_CALLS} GROUP BY name`,
      )
      return rows
    },

    /** Figures of each agent, without calls excluded from analytics. @param userId null for all users */
    async figures(userId: string | null): Promise<AgentFigures[]> {
      const { rows } = await pool.query<AgentFigures>(
        sql`WITH calls AS (
           SELECT detail->>'agent' AS name, outcome, duration_ms, created_at,
             CASE WHEN outcome <> 'interrupted' THEN row_number() OVER (
               PARTITION BY detail->>'agent', outcome = 'interrupted' ORDER BY created_at DESC, id DESC) END AS rank
           FROM activities
           WHERE kind = 'agent' AND in_analytics AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)
         )
         SELECT name, count(*)::int AS total,
           (count(*) FILTER (WHERE outcome = 'completed'))::int AS completed,
           (count(*) FILTER (WHERE outcome = 'failed'))::int AS failed,
           (avg(duration_ms) FILTER (WHERE outcome = 'completed'))::float AS "averageMs",
           (count(*) FILTER (WHERE outcome = 'completed' AND rank <= ${raw(RECENT_CALLS)}))::int AS "recentCompleted",
           (count(*) FILTER (WHERE rank <= ${raw(RECENT_CALLS)}))::int AS "recentEnded",
           max(created_at) AS "lastUsed"
         FROM calls WHERE name IS NOT NULL GROUP BY name`,
      )
      return rows
    },
  }
}
