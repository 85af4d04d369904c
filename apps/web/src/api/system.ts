import type { Health, PublicConfig, SystemOverviewJson } from '@mira/shared'
import { requestJson } from './client.ts'

/** What a client needs to know before anybody signs in: names, limits, capabilities. */
export async function fetchConfig(signal?: AbortSignal): Promise<PublicConfig> {
  return requestJson('/config', { signal })
}

/** What works on the server now. */
export async function fetchHealth(signal?: AbortSignal): Promise<Health> {
  return requestJson('/health', { signal })
}

/** What was measured of the instance and of its servers (administrators). */
export async function fetchSystemOverview(signal?: AbortSignal): Promise<SystemOverviewJson> {
  return requestJson('/admin/system', { signal })
}
