import type { ActivityEntryJson, DashboardHealthJson, Overview } from '@mira/shared'
import { call } from './client.ts'

/** The figures of the user's overview. */
export async function fetchOverview(signal?: AbortSignal): Promise<Overview> {
  return call('GET /dashboard/overview', { signal })
}

/** The user's latest activity, newest first. */
export async function fetchActivity(limit: number, signal?: AbortSignal): Promise<ActivityEntryJson[]> {
  const { activity } = await call('GET /dashboard/activity', { signal, query: { limit } })
  return activity
}

/** State of the server's parts, with reasons for failures. */
export async function fetchDashboardHealth(signal?: AbortSignal): Promise<DashboardHealthJson> {
  return call('GET /dashboard/health', { signal })
}
