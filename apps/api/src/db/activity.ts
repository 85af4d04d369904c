import type { ActivityKind } from '@mira/shared'
import type { Prisma, PrismaClient } from './generated/client.ts'

/** One thing that was asked or done; durations in milliseconds. */
export interface ActivityRecord {
  userId: string
  kind: ActivityKind
  outcome?: 'completed' | 'failed' | 'interrupted'
  /** What it was about: a session, media item, run, … */
  subjectId?: string
  /** The message, frame or result inside the subject. */
  detailId?: string
  durationMs?: number
  firstTokenMs?: number
  inputTokens?: number
  outputTokens?: number
  /** What has no row of its own to join; erased with its source. `action` is a machine word that clients put into words. */
  detail: { action: string } & Record<string, string | number | boolean | null>
  /** False when the person keeps their use out of analytics. */
  inAnalytics?: boolean
}

/** Appends to the activity table, the only source of figures, in the transaction that stores what it tells of. */
export async function recordActivity(
  client: PrismaClient | Prisma.TransactionClient,
  activity: ActivityRecord,
): Promise<void> {
  await client.activity.create({ data: activity })
}
