import type { ActivityKind } from '@mira/shared'
import type { Prisma, PrismaClient } from './generated/client.ts'
import { newId } from './new-id.ts'
import { join, raw, type SqlText, sql } from './sql.ts'

export interface ActivityRecord {
  /** Generated when left out. */
  id?: string
  userId: string
  kind: ActivityKind
  outcome?: 'completed' | 'failed' | 'interrupted'
  /** Subject of the activity: a session, media item, run, … */
  subjectId?: string
  /** The message, frame or result inside the subject. */
  detailId?: string
  durationMs?: number
  firstTokenMs?: number
  inputTokens?: number
  outputTokens?: number
  /** Data without a row of its own to join; erased with its source. `action` is a code that clients word. */
  detail: { action: string } & Record<string, string | number | boolean | null>
  /** False when the user keeps their activity out of analytics. */
  countsInAnalytics?: boolean
}

/** Appends to the activity table, the only source of statistics. Pass the transaction of the recorded change, if any. */
export async function recordActivity(
  client: PrismaClient | Prisma.TransactionClient,
  activity: ActivityRecord,
): Promise<void> {
  await client.activity.create({ data: activity })
}

const columns = raw(`id, user_id, kind, outcome, subject_id, detail_id, duration_ms, first_token_ms, input_tokens,
  output_tokens, detail, in_analytics`)

/**
 * SQL that inserts an activity, `INSERT INTO activities …`, to which a condition may be added. It's meant for use inside a
 * larger statement: a transaction of several statements would block the embedded database's only session for too long.
 */
export function insertActivitySql(activity: ActivityRecord | null): SqlText {
  return sql`INSERT INTO activities (${columns})
    SELECT ${columns} FROM jsonb_to_record(${activity && activityJson(activity)}::jsonb) AS record (
      id uuid, user_id uuid, kind text, outcome text, subject_id uuid, detail_id uuid, duration_ms int, first_token_ms int,
      input_tokens int, output_tokens int,
      detail jsonb, in_analytics boolean)`
}

/** SQL that inserts an activity, or updates the row with its id: a process that continues stays one activity. */
export function upsertActivitySql(activity: ActivityRecord, condition: SqlText): SqlText {
  const measured = ['duration_ms', 'first_token_ms', 'input_tokens', 'output_tokens']
  return sql`${insertActivitySql(activity)} WHERE ${condition}
    ON CONFLICT (id) DO UPDATE SET outcome = excluded.outcome, detail = excluded.detail,
      in_analytics = activities.in_analytics AND excluded.in_analytics,
      ${join(measured.map((column) => raw(`${column} = coalesce(excluded.${column}, activities.${column})`)))}`
}

/** JSON of a record for insertActivitySql. */
function activityJson(activity: ActivityRecord): string {
  return JSON.stringify({
    id: activity.id ?? newId(),
    user_id: activity.userId,
    kind: activity.kind,
    outcome: activity.outcome ?? 'completed',
    subject_id: activity.subjectId,
    detail_id: activity.detailId,
    duration_ms: activity.durationMs,
    first_token_ms: activity.firstTokenMs,
    input_tokens: activity.inputTokens,
    output_tokens: activity.outputTokens,
    detail: activity.detail,
    in_analytics: activity.countsInAnalytics ?? true,
  })
}
