import type { ActivityEntryJson, DashboardHealthJson, Overview } from '@mira/shared'
import { requestJson } from './client.ts'

/** The figures of the user's overview. */
export async function fetchOverview(signal?: AbortSignal): Promise<Overview> {
  return requestJson('/dashboard/overview', { signal })
}

/** The user's latest activity, newest first. */
export async function fetchActivity(limit: number, signal?: AbortSignal): Promise<ActivityEntryJson[]> {
  const { activity } = await requestJson<{ activity: ActivityEntryJson[] }>('/dashboard/activity', {
    signal,
    query: { limit },
  })
  return activity
}

/** State of the server's parts, with reasons for failures. */
export async function fetchDashboardHealth(signal?: AbortSignal): Promise<DashboardHealthJson> {
  return requestJson('/dashboard/health', { signal })
}
