import type { Health, PublicConfig, SystemOverviewJson } from '@mira/shared'
import { call } from './client.ts'

/** Public configuration, available before sign-in: names, limits, capabilities. */
export async function fetchConfig(signal?: AbortSignal): Promise<PublicConfig> {
  return call('GET /config', { signal })
}

/** Current state of the server's capabilities. */
export async function fetchHealth(signal?: AbortSignal): Promise<Health> {
  return call('GET /health', { signal })
}

/** Metrics of the instance and of its servers (administrators). */
export async function fetchSystemOverview(signal?: AbortSignal): Promise<SystemOverviewJson> {
  return call('GET /admin/system', { signal })
}
