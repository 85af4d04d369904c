import type { ActivityEntryJson, DashboardHealthJson, Overview } from '@mira/shared'
import { requestJson } from './client.ts'

/** The figures of the user's overview. */
export async function fetchOverview(signal?: AbortSignal): Promise<Overview> {
  return requestJson('/dashboard/overview', { signal })
}

/** What the user did last, newest first. */
export async function fetchActivity(limit: number, signal?: AbortSignal): Promise<ActivityEntryJson[]> {
  const { activity } = await requestJson<{ activity: ActivityEntryJson[] }>('/dashboard/activity', {
    signal,
    query: { limit },
  })
  return activity
}

/** Which parts of the server work, and why the others do not. */
export async function fetchDashboardHealth(signal?: AbortSignal): Promise<DashboardHealthJson> {
  return requestJson('/dashboard/health', { signal })
}
