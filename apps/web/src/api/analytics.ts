import type { AnalyticsJson, AnalyticsPeriod } from '@mira/shared'
import { call } from './client.ts'

/** The figures of a period: of one person, or of everybody the caller may see. */
export async function fetchAnalytics(
  { period, userId }: { period: AnalyticsPeriod; userId: string | null },
  signal?: AbortSignal,
): Promise<AnalyticsJson> {
  return call('GET /analytics', { signal, query: { period, user_id: userId } })
}
