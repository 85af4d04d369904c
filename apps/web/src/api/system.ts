import type { Health, PublicConfig, SystemOverviewJson } from '@mira/shared'
import { requestJson } from './client.ts'

/** Public configuration, available before sign-in: names, limits, capabilities. */
export async function fetchConfig(signal?: AbortSignal): Promise<PublicConfig> {
  return requestJson('/config', { signal })
}

/** Current state of the server's capabilities. */
export async function fetchHealth(signal?: AbortSignal): Promise<Health> {
  return requestJson('/health', { signal })
}

/** Metrics of the instance and of its servers (administrators). */
export async function fetchSystemOverview(signal?: AbortSignal): Promise<SystemOverviewJson> {
  return requestJson('/admin/system', { signal })
}
